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

export const FAILURE_ACTIONS = ['needed', 'dismissed'] as const;

/** The filters of the list, as they stand in the address; left out: any. */
export interface ListFilters {
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
}

export type ListSearch = ListFilters & Paging;

const DAY = /^\d{4}-\d\d-\d\d$/;
const UUID = /^[0-9a-f-]{36}$/i;

/** For the route's `validateSearch`; what cannot be read is left out. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { type, status, attempts, from, to, reference, batch, by, action, cause } = search;
  return withoutEmpty({
    type: DOCUMENT_TYPES.find((one) => one === type),
    status: STATUSES.find((one) => one === status),
    attempts: attempts === 'all' ? attempts : undefined,
    from: readText(from, DAY),
    to: readText(to, DAY),
    // A number in the address is read as one: INV-1 is a text, 2026 is not.
    reference: readText(typeof reference === 'number' ? String(reference) : reference, /./),
    batch: readText(batch, UUID),
    by: readBy(by),
    action: FAILURE_ACTIONS.find((one) => one === action),
    cause: readText(cause, /./),
    ...readPaging(search),
  });
}

/** The filters alone, for the API. */
export function toFilters({
  type,
  status,
  attempts,
  from,
  to,
  reference,
  batch,
  by,
  action,
  cause,
}: ListSearch): ListFilters {
  return withoutEmpty({ type, status, attempts, from, to, reference, batch, by, action, cause });
}

function readText(value: unknown, shape: RegExp): string | undefined {
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}
