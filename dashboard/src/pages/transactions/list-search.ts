import { readBy } from '../../parts/by';
import { DOCUMENT_TYPES } from '../../parts/format';
import { withoutEmpty } from '../../parts/address-query';
import { type Paging, readPaging } from '../../parts/paging';

export const STATUSES = [
  'Waiting',
  'Queued',
  'Processing',
  'Submitted',
  'Valid',
  'Invalid',
  'SubmitFailed',
  'Cancelled',
] as const;

export const SORTS = ['-date', 'date', '-amount', 'amount'] as const;

export const FAILURE_ACTIONS = ['needed', 'dismissed'] as const;

/** Filters in the URL. A missing filter matches everything. */
export interface ListFilters {
  q?: string;
  type?: (typeof DOCUMENT_TYPES)[number];
  status?: (typeof STATUSES)[number];
  /** Includes attempts that a later attempt has replaced. */
  attempts?: 'all';
  from?: string;
  to?: string;
  reference?: string;
  batch?: string;
  by?: string;
  /** Restricts the list to failed documents that need action or were dismissed. */
  action?: (typeof FAILURE_ACTIONS)[number];
  /** Restricts the list to documents that failed for this cause. */
  cause?: string;
  /** Restricts the list to documents whose first error has this code. */
  error?: string;
  dated_from?: string;
  dated_to?: string;
  /** Default: the newest first, or by document date if a document date is filtered. */
  sort?: (typeof SORTS)[number];
}

export type ListSearch = ListFilters & Paging;

const DAY = /^\d{4}-\d\d-\d\d$/;
const UUID = /^[0-9a-f-]{36}$/i;
const CODE = /^\w+$/;

/** Returns the sort order of the list; undefined means the newest first. */
export function findSort({ sort, attempts, dated_from, dated_to }: ListFilters): ListFilters['sort'] {
  // Replaced attempts can only be sorted by acceptance.
  if (attempts === 'all') return undefined;
  return sort ?? ((dated_from ?? dated_to) === undefined ? undefined : '-date');
}

/** Returns the changed filters for a sort order. Replaced attempts cannot be sorted. */
export function sortBy(sort: string | null): ListFilters {
  return { sort: SORTS.find((one) => one === sort), attempts: undefined };
}

const NAMES = [
  'q',
  'type',
  'status',
  'attempts',
  'from',
  'to',
  'reference',
  'batch',
  'by',
  'action',
  'cause',
  'error',
  'dated_from',
  'dated_to',
  'sort',
] as const satisfies readonly (keyof ListFilters)[];

/** Validates the search of the URL and omits invalid members. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { type, status, attempts, from, to, batch, by, action, cause, error, sort } = search;
  return withoutEmpty({
    type: DOCUMENT_TYPES.find((one) => one === type),
    status: STATUSES.find((one) => one === status),
    attempts: attempts === 'all' ? attempts : undefined,
    from: readText(from, DAY),
    to: readText(to, DAY),
    q: readTyped(search.q),
    reference: readTyped(search.reference),
    batch: readText(batch, UUID),
    by: readBy(by),
    action: FAILURE_ACTIONS.find((one) => one === action),
    cause: readText(cause, /./),
    error: readText(error, CODE),
    dated_from: readText(search.dated_from, DAY),
    dated_to: readText(search.dated_to, DAY),
    sort: attempts === 'all' ? undefined : SORTS.find((one) => one === sort),
    ...readPaging(search),
  });
}

export function toFilters(search: ListSearch): ListFilters {
  return withoutEmpty(Object.fromEntries(NAMES.map((name) => [name, search[name]])) as ListFilters);
}

/** Filters of the counts by status. */
export function withoutStatus(filters: ListFilters): ListFilters {
  return withoutEmpty({ ...filters, status: undefined, sort: undefined });
}

/** The router parses a search of digits as a number. */
function readTyped(value: unknown): string | undefined {
  return readText(typeof value === 'number' ? String(value) : value, /\S/);
}

function readText(value: unknown, shape: RegExp): string | undefined {
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}
