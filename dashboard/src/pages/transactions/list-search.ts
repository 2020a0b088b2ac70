import { readBy } from '../../parts/by';
import { DOCUMENT_TYPES } from '../../parts/format';
import { withoutEmpty } from '../../parts/address-query';
import { type Paging, readPaging } from '../../parts/paging';

export const STATUSES = ['Queued', 'Processing', 'Submitted', 'Valid', 'Invalid', 'SubmitFailed', 'Cancelled'] as const;

/** The filters of the list, as they stand in the address; left out: any. */
export interface ListFilters {
  type?: (typeof DOCUMENT_TYPES)[number];
  status?: (typeof STATUSES)[number];
  from?: string;
  to?: string;
  reference?: string;
  batch?: string;
  /** `key:` or `user:` and an id: who submitted them. */
  by?: string;
}

export type ListSearch = ListFilters & Paging;

const DAY = /^\d{4}-\d\d-\d\d$/;
const UUID = /^[0-9a-f-]{36}$/i;

/** For the route's `validateSearch`; what cannot be read is left out. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { type, status, from, to, reference, batch, by } = search;
  return withoutEmpty({
    type: DOCUMENT_TYPES.find((one) => one === type),
    status: STATUSES.find((one) => one === status),
    from: readText(from, DAY),
    to: readText(to, DAY),
    // A number in the address is read as one: INV-1 is a text, 2026 is not.
    reference: readText(typeof reference === 'number' ? String(reference) : reference, /./),
    batch: readText(batch, UUID),
    by: readBy(by),
    ...readPaging(search),
  });
}

/** The filters alone, for the API. */
export function toFilters({ type, status, from, to, reference, batch, by }: ListSearch): ListFilters {
  return withoutEmpty({ type, status, from, to, reference, batch, by });
}

function readText(value: unknown, shape: RegExp): string | undefined {
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}
