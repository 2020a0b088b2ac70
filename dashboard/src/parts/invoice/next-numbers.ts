import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { components } from '../../api/schema';
import type { Environment } from '../../api/session';

export type NextNumbers = readonly components['schemas']['NextNumberDto'][];

/** An unused number for the next document of each type. Read again for each form, because a sent document takes one. */
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

/** The suggested number for a document type; empty when there is none. */
export function findNextNumber(numbers: NextNumbers, documentType: string): string {
  return numbers.find((next) => next.documentType === documentType)?.referenceId ?? '';
}
