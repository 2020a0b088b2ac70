import type { QueryClient } from '@tanstack/react-query';
import type { Place } from './causes';

/** After documents were dismissed or put back: all that shows or counts them is asked for again. */
export function refreshFailures(queryClient: QueryClient, { tenantId, environment }: Place): Promise<unknown> {
  const areas = ['needs-action', 'overview', 'transactions'];
  return Promise.all(areas.map((area) => queryClient.invalidateQueries({ queryKey: [area, tenantId, environment] })));
}
