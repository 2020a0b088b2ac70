import type { QueryClient } from '@tanstack/react-query';
import type { Scope } from '../../api/session';

/** Reloads every query that shows or counts failed documents. */
export function refreshFailures(queryClient: QueryClient, { tenantId, environment }: Scope): Promise<unknown> {
  const areas = ['needs-action', 'overview', 'transactions'];
  return Promise.all(areas.map((area) => queryClient.invalidateQueries({ queryKey: [area, tenantId, environment] })));
}
