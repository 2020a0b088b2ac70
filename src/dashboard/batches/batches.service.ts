import { Injectable } from '@nestjs/common';
import { type Caller, TenantTransactions } from '../../database/in-tenant.js';
import { type BatchStatus, batchStatusOf } from '../../documents/statuses.js';
import { type Page, pageOf, type PageRequest } from '../cursor.js';
import { idRangeOf } from '../id-range.js';
import type { Days } from '../malaysian-days.js';
import { type BatchRow, READ_BATCHES } from './batches.sql.js';

export interface Batch extends BatchRow {
  readonly status: BatchStatus;
}

@Injectable()
export class BatchesService {
  constructor(private readonly transactions: TenantTransactions) {}

  /** A page of the accepted submits, the newest first, each with where its documents stand. */
  list(caller: Caller, days: Days, page: PageRequest): Promise<Page<Batch>> {
    const { first, end } = idRangeOf(days, page.after);
    const parameters = [caller.tenantId, caller.environment, first, end, page.limit + 1];
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const rows = await tx.query<BatchRow[]>(READ_BATCHES, parameters);
      const batches = rows.map((row) => Object.assign({}, row, { status: batchStatusOf(row.counts) }));
      return pageOf(batches, page, ({ submissionBatchId }) => submissionBatchId);
    });
  }
}
