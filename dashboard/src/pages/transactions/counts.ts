import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import { formatCount } from '../../parts/format';
import { isMovingStatus } from '../../parts/live';
import type { Scope } from '../../parts/needs-action/causes';
import { type ListFilters, withoutStatus } from './list-search';

type StatusCount = components['schemas']['StatusCountDto'];

/** How many documents of the list stand where, whatever status it shows; its buttons and its selection ask once for both. */
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

/** A number of documents; `hasMore` when there are at least as many. */
export interface Total {
  documents: number;
  hasMore: boolean;
}

/** The sum of those statuses that the list shows and that are wanted; null when nothing is known yet. */
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

/** Whether there are some; a count that was cut short may have none and not know the others. */
export function hasSome(total: Total | null): boolean {
  return total !== null && (total.documents > 0 || total.hasMore);
}

/** `1,000+` */
export function formatTotal({ documents, hasMore }: Total): string {
  return `${formatCount(documents)}${hasMore ? '+' : ''}`;
}

/** How many documents are dated in a month. */
export function describeDated(month: string, all: Total): string {
  if (!hasSome(all)) return `No document is dated in ${month}`;
  if (all.documents === 0) return `Documents are dated in ${month}; there are too many to count`;
  return `${formatTotal(all)} ${all.documents === 1 ? 'document is' : 'documents are'} dated in ${month}`;
}
