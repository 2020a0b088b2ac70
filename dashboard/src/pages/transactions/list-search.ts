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

/** The filters of the list, as they stand in the address; left out: any. */
export interface ListFilters {
  /** What was typed in the search box. */
  q?: string;
  type?: (typeof DOCUMENT_TYPES)[number];
  status?: (typeof STATUSES)[number];
  /** Also attempts that a later one has replaced. */
  attempts?: 'all';
  from?: string;
  to?: string;
  reference?: string;
  batch?: string;
  /** `key:` or `user:` and an id: who submitted them. */
  by?: string;
  /** Only failed documents: those that need action, or those that somebody dismissed. */
  action?: (typeof FAILURE_ACTIONS)[number];
  /** Only those that failed by this cause. */
  cause?: string;
  /** Only those whose first error has this code. */
  error?: string;
  /** Days of the documents themselves. */
  dated_from?: string;
  dated_to?: string;
  /** Left out: the newest first, or by these days. */
  sort?: (typeof SORTS)[number];
}

export type ListSearch = ListFilters & Paging;

const DAY = /^\d{4}-\d\d-\d\d$/;
const UUID = /^[0-9a-f-]{36}$/i;
const CODE = /^\w+$/;

/** What the list is sorted by; left out: the newest first. */
export function findSort({ sort, attempts, dated_from, dated_to }: ListFilters): ListFilters['sort'] {
  // Replaced attempts are in no order but that of their acceptance.
  if (attempts === 'all') return undefined;
  return sort ?? ((dated_from ?? dated_to) === undefined ? undefined : '-date');
}

/** What changes for another order: the replaced attempts have none. */
export function sortBy(sort: string | null): ListFilters {
  return { sort: SORTS.find((one) => one === sort), attempts: undefined };
}

/** The names of the filters, in the order of an address. */
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

/** For the route's `validateSearch`; what cannot be read is left out. */
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

/** The filters alone, for the API. */
export function toFilters(search: ListSearch): ListFilters {
  return withoutEmpty(Object.fromEntries(NAMES.map((name) => [name, search[name]])) as ListFilters);
}

/** The filters that a count by status is of. */
export function withoutStatus(filters: ListFilters): ListFilters {
  return withoutEmpty({ ...filters, status: undefined, sort: undefined });
}

/** A number in the address is read as one: INV-1 is a text, 2026 is not. */
function readTyped(value: unknown): string | undefined {
  return readText(typeof value === 'number' ? String(value) : value, /\S/);
}

function readText(value: unknown, shape: RegExp): string | undefined {
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}
