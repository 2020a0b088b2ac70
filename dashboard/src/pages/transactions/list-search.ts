import { byOf } from '../../parts/by';
import { DOCUMENT_TYPES } from '../../parts/format';
import { withoutEmpty } from '../../parts/address-query';
import { type Paging, pagingOf } from '../../parts/paging';

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
export function listSearchOf(search: Record<string, unknown>): ListSearch {
  const { type, status, from, to, reference, batch, by } = search;
  return withoutEmpty({
    type: DOCUMENT_TYPES.find((one) => one === type),
    status: STATUSES.find((one) => one === status),
    from: textOf(from, DAY),
    to: textOf(to, DAY),
    // A number in the address is read as one: INV-1 is a text, 2026 is not.
    reference: textOf(typeof reference === 'number' ? String(reference) : reference, /./),
    batch: textOf(batch, UUID),
    by: byOf(by),
    ...pagingOf(search),
  });
}

/** The filters alone, for the API. */
export function filtersOf({ type, status, from, to, reference, batch, by }: ListSearch): ListFilters {
  return withoutEmpty({ type, status, from, to, reference, batch, by });
}

function textOf(value: unknown, shape: RegExp): string | undefined {
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}
