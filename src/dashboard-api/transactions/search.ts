import type { EntityManager } from 'typeorm';
import type { Caller } from '../../database/in-tenant.js';
import { toSen } from '../../common/decimal.js';
import { encodeCursor, type Page, type PageRequest, type PositionKind, toPage } from '../cursor.js';
import { computeIdRange } from '../days.js';
import type { TransactionRowDto, StatusCountDto } from './dto/transaction-row.dto.js';
import type { ListRequest } from './list-query.js';
import type { SearchTerm } from './search-term.js';
import {
  COUNT_RANGES,
  COUNT_SET,
  COUNTED_MAX,
  type FoundSet,
  type ListSort,
  listParameters,
  type RangeCountRow,
  type SearchValues,
  SET_PAGES,
  SETS,
  type StatusCountRow,
  type WalkEndRow,
  type WalkName,
  WALKS,
} from './search.sql.js';
import { SHOWN_STATUSES } from './shown-status.js';

/** Form of the cursors per order. */
export const POSITION_KINDS = {
  '-accepted': 'uuid',
  date: 'date',
  '-date': 'date',
  amount: 'amount',
  '-amount': 'amount',
} as const satisfies Readonly<Record<ListSort, PositionKind>>;

/** Start position for each order. */
const BEFORE_ALL = {
  '-accepted': null,
  date: '-infinity',
  '-date': 'infinity',
  amount: String(-(2n ** 63n)),
  '-amount': String(2n ** 63n - 1n),
} as const satisfies Readonly<Record<ListSort, string | null>>;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Greatest code point. */
const GREATEST = '\u{10FFFF}';

/** Returns whether the filter goes beyond type, status, acceptance days, submitter and failures. */
export function isSearch({ term, error, dated, sort, ids, referenceId, submissionBatchId }: ListRequest): boolean {
  const conditions = [term, error, dated.from, dated.to, ids, referenceId, submissionBatchId];
  return conditions.some((condition) => condition !== null) || sort !== '-accepted';
}

/** Reads a page of a searched or sorted list. A page with few or no rows may still have a next page. */
export async function searchPage(
  tx: EntityManager,
  caller: Caller,
  { filter, page }: { filter: ListRequest; page: PageRequest },
): Promise<Page<TransactionRowDto>> {
  const { sort } = filter;
  const values = buildValues(caller, filter, page);
  const found = await findSet(tx, filter, values);
  if (found !== null) {
    const ofSet = SET_PAGES[sort];
    const parameters = listParameters(ofSet, { ...values, ids: found });
    const rows = await tx.query<TransactionRowDto[]>(ofSet.text, parameters);
    return toPage(rows, page, (row) => toPosition(row, sort));
  }
  const walk = WALKS[chooseWalk(filter)];
  const rows = await tx.query<TransactionRowDto[]>(walk.page.text, listParameters(walk.page, values));
  const { items, next } = toPage(rows, page, (row) => toPosition(row, sort));
  return { items, next: next ?? (await findEnd(tx, filter, values)) };
}

/** Counts the documents of a list per status. Ignores the status filter. */
export async function countStatuses(
  tx: EntityManager,
  caller: Caller,
  asked: ListRequest,
): Promise<readonly StatusCountDto[]> {
  const filter = { ...asked, statuses: SHOWN_STATUSES };
  const values = buildValues(caller, filter, { limit: 0, after: null });
  if (!isSearch(filter) && filter.by === null && filter.action === null) {
    return sum(await tx.query<RangeCountRow[]>(COUNT_RANGES.text, listParameters(COUNT_RANGES, values)), false);
  }
  const found = await findSet(tx, filter, values);
  if (found !== null) {
    const parameters = listParameters(COUNT_SET, { ...values, ids: found });
    return sum(await tx.query<StatusCountRow[]>(COUNT_SET.text, parameters), false);
  }
  const { count } = WALKS[chooseWalk(filter)];
  const rows = await tx.query<StatusCountRow[]>(count.text, listParameters(count, values));
  return sum(rows, (await findEnd(tx, filter, values)) !== null);
}

function sum(rows: readonly (StatusCountRow & { hasMore?: boolean })[], isCutShort: boolean): StatusCountDto[] {
  return SHOWN_STATUSES.map((status) => {
    const counted = rows.filter((row) => row.status === status);
    const documents = counted.reduce((total, row) => total + row.documents, 0);
    const hasMore = isCutShort || counted.some((row) => row.hasMore === true);
    return { status, documents: hasMore ? Math.min(documents, COUNTED_MAX) : documents, hasMore };
  });
}

/**
 * Returns the attempts of the first condition that matches few attempts, or null if none does. The ids are not checked
 * yet and may belong to other tenants.
 */
async function findSet(
  tx: EntityManager,
  filter: ListRequest,
  values: SearchValues,
): Promise<readonly string[] | null> {
  if (filter.ids !== null) return filter.ids;
  for (const name of listSets(filter)) {
    const statement = SETS[name];
    const [{ ids, isTooMuch }] = await tx.query<FoundSet[]>(statement.text, listParameters(statement, values));
    if (!isTooMuch) return ids;
  }
  return null;
}

/**
 * Lists the conditions that have an index, most selective first. Dates and amounts are only indexed for current
 * attempts, so lists of all attempts omit them.
 */
function listSets(filter: ListRequest): (keyof typeof SETS)[] {
  const { submissionBatchId, referenceId, term, dated, action, sort, includesReplaced } = filter;
  const asked = {
    batch: submissionBatchId !== null,
    reference: referenceId !== null,
    term: term !== null && !(includesReplaced && term.sen !== null),
    dated: (dated.from !== null || dated.to !== null) && POSITION_KINDS[sort] !== 'date' && !includesReplaced,
    failed: action === 'needed' && sort !== '-accepted',
  };
  return (Object.keys(asked) as (keyof typeof asked)[]).filter((name) => asked[name]);
}

function chooseWalk({ sort, action }: ListRequest): WalkName {
  return sort === '-accepted' && action !== null ? action : sort;
}

/** Returns the cursor after the last document that a walk checked, or null at the end of the list. */
async function findEnd(tx: EntityManager, filter: ListRequest, values: SearchValues): Promise<string | null> {
  const { end } = WALKS[chooseWalk(filter)];
  const [last] = await tx.query<WalkEndRow[]>(end.text, listParameters(end, values));
  if (last === undefined || (last.key === null && last.id < String(values.first))) return null;
  return encodeCursor(last.key === null ? last.id : `${last.key}:${last.id}`);
}

function toPosition({ transactionId, documentDate, totalPayableAmount }: TransactionRowDto, sort: ListSort): string {
  const keys = { uuid: null, date: documentDate, amount: toSen(totalPayableAmount) } as const;
  const key = keys[POSITION_KINDS[sort]];
  return key === null ? transactionId : `${key}:${transactionId}`;
}

function buildValues({ tenantId, environment }: Caller, filter: ListRequest, page: PageRequest): SearchValues {
  const { types, statuses, includesReplaced, referenceId, submissionBatchId, by, action, cause, error, dated } = filter;
  return {
    tenantId,
    environment,
    types,
    statuses,
    includesReplaced,
    referenceId,
    batchId: submissionBatchId,
    byKind: by?.kind ?? null,
    byId: by?.id ?? null,
    action,
    cause,
    error,
    datedFrom: dated.from ?? '-infinity',
    datedTo: dated.to ?? 'infinity',
    limit: page.limit + 1,
    ids: [],
    ...buildTermValues(filter.term),
    ...buildPositionValues(filter, page),
  };
}

const NO_TERM: SearchTerm = { prefix: null, words: [], sen: null, authorityUuids: [], id: null };

function buildTermValues(term: SearchTerm | null) {
  const { prefix, words, sen, authorityUuids, id } = term ?? NO_TERM;
  return {
    hasTerm: term !== null,
    prefix,
    prefixEnd: prefix === null ? null : prefix + GREATEST,
    patterns: words.length === 0 ? null : words.map(toPattern),
    words,
    senFrom: sen?.from ?? null,
    senTo: sen?.to ?? null,
    authorityUuids,
    id,
  };
}

/** Pages in descending order of acceptance use a range of ids. Other orders use a key and an id. */
function buildPositionValues(filter: ListRequest, { after }: PageRequest) {
  const { sort } = filter;
  const isByKey = POSITION_KINDS[sort] !== 'uuid';
  const start = [BEFORE_ALL[sort], sort.startsWith('-') ? LAST_ID : FIRST_ID] as const;
  const [afterKey, afterId] = isByKey && after !== null ? splitPosition(after) : start;
  return { ...computeIdRange(filter, isByKey ? null : after), afterKey, afterId };
}

// Words contain no wildcards, because they are split at every ASCII character that is not a letter or digit.
function toPattern(word: string): string {
  return `% ${word}%`;
}

function splitPosition(position: string): [string, string] {
  const colon = position.indexOf(':');
  return [position.slice(0, colon), position.slice(colon + 1)];
}
