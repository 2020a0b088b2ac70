import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import type { Environment } from '../../api/session';

export type NextNumbers = readonly components['schemas']['NextNumberDto'][];

/** Queries an unused number for each document type. It is not cached because a sent document uses its number. */
export function nextNumbersQuery(tenantId: string, environment: Environment) {
  return queryOptions({
    queryKey: ['next-numbers', tenantId, environment],
    queryFn: (): Promise<NextNumbers> =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/next-numbers', {
          params: { path: { tenantId, environment } },
        }),
      ),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** Returns the suggested number, or an empty text. */
export function findNextNumber(numbers: NextNumbers, documentType: string): string {
  return numbers.find((next) => next.documentType === documentType)?.referenceId ?? '';
}
