import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import { formatCount } from '../../parts/format';
import { isMovingStatus } from '../../parts/live';
import type { Scope } from '../../api/session';
import { type ListFilters, withoutStatus } from './list-search';

type StatusCount = components['schemas']['StatusCountDto'];

/**
 * Counts the documents by status, ignoring the status filter. The status buttons and the selection share this query.
 */
export function countsQuery({ tenantId, environment }: Scope, filters: ListFilters) {
  const others = withoutStatus(filters);
  return queryOptions({
    queryKey: ['transactions', tenantId, environment, 'counts', others],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/transaction-counts', {
          params: { path: { tenantId, environment }, query: others },
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

export interface Total {
  documents: number;
  hasMore: boolean;
}

/** Adds up the counts of the shown and wanted statuses. Returns null before the counts are loaded. */
export function sumCounts(
  counts: readonly StatusCount[] | undefined,
  shown: ListFilters['status'],
  isWanted: (status: string) => boolean = () => true,
): Total | null {
  if (counts === undefined) return null;
  const isShown = (status: string) =>
    shown === undefined || shown === status || (shown === 'Waiting' && isMovingStatus(status));
  const summed = counts.filter(({ status }) => isShown(status) && isWanted(status));
  return {
    documents: summed.reduce((sum, { documents }) => sum + documents, 0),
    hasMore: summed.some(({ hasMore }) => hasMore),
  };
}

/** Whether there are documents. A truncated count may be 0 although documents exist. */
export function hasSome(total: Total | null): boolean {
  return total !== null && (total.documents > 0 || total.hasMore);
}

/** Formats a total such as `1,000+`. */
export function formatTotal({ documents, hasMore }: Total): string {
  return `${formatCount(documents)}${hasMore ? '+' : ''}`;
}

export function describeDated(month: string, all: Total): string {
  if (!hasSome(all)) return `No document is dated in ${month}`;
  if (all.documents === 0) return `Documents are dated in ${month}; there are too many to count`;
  return `${formatTotal(all)} ${all.documents === 1 ? 'document is' : 'documents are'} dated in ${month}`;
}
