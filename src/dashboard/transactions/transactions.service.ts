import { Injectable } from '@nestjs/common';
import { type Caller, TenantTransactions } from '../../database/in-tenant.js';
import { type Page, pageOf, type PageRequest } from '../cursor.js';
import { idRangeOf } from '../id-range.js';
import type { ListRequest } from './list-query.js';
import { pageOfRows, type TransactionRow } from './list.sql.js';

@Injectable()
export class TransactionsService {
  constructor(private readonly transactions: TenantTransactions) {}

  /** A page of the attempts to submit a document, the newest first. */
  list(caller: Caller, filter: ListRequest, page: PageRequest): Promise<Page<TransactionRow>> {
    const range = idRangeOf(filter, page.after);
    const { text, parameters } = pageOfRows({ caller, filter, range, limit: page.limit + 1 });
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const rows = await tx.query<TransactionRow[]>(text, [...parameters]);
      return pageOf(rows, page, ({ transactionId }) => transactionId);
    });
  }
}
