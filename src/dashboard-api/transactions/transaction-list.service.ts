import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { encodeCursor, type Page, toPage, type PageRequest } from '../cursor.js';
import { computeIdRange } from '../days.js';
import type { SubmitterFilter } from '../parameters.js';
import type { TransactionRowDto, StatusCountsDto } from './dto/transaction-row.dto.js';
import type { ListRequest } from './list-query.js';
import { countStatuses, isSearch, searchPage } from './search.js';
import { FIND_BY, type FoundBy, PAGE_BY_ID, buildPageStatement } from './transaction-list.sql.js';

@Injectable()
export class TransactionListService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /** Reads a page of a document list. */
  list(caller: Caller, filter: ListRequest, page: PageRequest): Promise<Page<TransactionRowDto>> {
    const { by, action } = filter;
    if (isSearch(filter)) {
      return this.transactions.readInTenant(caller, ({ tx }) => searchPage(tx, caller, { filter, page }));
    }
    if (by !== null && action === null) {
      return this.transactions.inTenant(caller, ({ tx }) => listBy(tx, caller, { by, filter, page }));
    }
    const range = computeIdRange(filter, page.after);
    const { text, parameters } = buildPageStatement({ caller, filter, range, limit: page.limit + 1 });
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const rows = await tx.query<TransactionRowDto[]>(text, [...parameters]);
      return toPage(rows, page, ({ transactionId }) => transactionId);
    });
  }

  /** Counts the documents of a list per status. Ignores the status filter. */
  async count(caller: Caller, filter: ListRequest): Promise<StatusCountsDto> {
    const counts = await this.transactions.readInTenant(caller, ({ tx }) => countStatuses(tx, caller, filter));
    return { counts };
  }
}

/** Reads a page of the submissions of a key or user. A page with few or no rows may still have a next page. */
async function listBy(
  tx: EntityManager,
  { tenantId, environment }: Caller,
  { by, filter, page }: { by: SubmitterFilter; filter: ListRequest; page: PageRequest },
): Promise<Page<TransactionRowDto>> {
  const { first, end } = computeIdRange(filter, null);
  const wanted = [
    filter.types,
    filter.statuses,
    first,
    end,
    page.limit + 1,
    by.id,
    page.after,
    filter.includesReplaced,
  ];
  const [{ ids, lookedUntil }] = await tx.query<FoundBy[]>(FIND_BY[by.kind], [tenantId, environment, ...wanted]);
  const rows = await tx.query<TransactionRowDto[]>(PAGE_BY_ID, [tenantId, ids]);
  const { items, next } = toPage(rows, page, ({ transactionId }) => transactionId);
  return { items, next: next ?? (lookedUntil === null ? null : encodeCursor(lookedUntil)) };
}
