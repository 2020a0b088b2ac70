import { type BatchDto, REPLACED } from './dto/batch.dto.js';
import { Injectable } from '@nestjs/common';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { computeBatchStatus } from '../../documents/statuses.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import { computeIdRange } from '../id-range.js';
import type { Days } from '../days.js';
import type { SubmitterFilter } from '../by-query.js';
import { readBatches } from './batches.sql.js';

/** What a list of batches is asked for. */
export interface BatchFilter extends Days {
  readonly by: SubmitterFilter | null;
}

@Injectable()
export class BatchesService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /** A page of the accepted submits, the newest first, each with where its documents stand. */
  list(caller: Caller, { by, ...days }: BatchFilter, page: PageRequest): Promise<Page<BatchDto>> {
    const { first, end } = computeIdRange(days, page.after);
    const { text, further } = readBatches(by);
    const parameters = [caller.tenantId, caller.environment, first, end, page.limit + 1, ...further];
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const rows = await tx.query<Omit<BatchDto, 'status'>[]>(text, parameters);
      const batches = rows.map((row) => Object.assign({}, row, { status: computeShownStatus(row) }));
      return toPage(batches, page, ({ submissionBatchId }) => submissionBatchId);
    });
  }
}

function computeShownStatus({ counts, replacedCount, documentCount }: Omit<BatchDto, 'status'>): BatchDto['status'] {
  return replacedCount === documentCount ? REPLACED : computeBatchStatus(counts);
}
