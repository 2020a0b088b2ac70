import type { QueryClient } from '@tanstack/react-query';
import type { Scope } from './causes';

/** After documents were dismissed or put back: all that shows or counts them is asked for again. */
export function refreshFailures(queryClient: QueryClient, { tenantId, environment }: Scope): Promise<unknown> {
  const areas = ['needs-action', 'overview', 'transactions'];
  return Promise.all(areas.map((area) => queryClient.invalidateQueries({ queryKey: [area, tenantId, environment] })));
}
