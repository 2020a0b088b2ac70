import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Scope } from '../../api/session';

const REFRESH_MS = 30_000;

/** The menu and the page share this query. */
export function needsActionQuery({ tenantId, environment }: Scope) {
  return queryOptions({
    queryKey: ['needs-action', tenantId, environment],
    queryFn: () =>
      unwrap(
        client.GET('/api/dashboard/organisations/{tenantId}/{environment}/needs-action', {
          params: { path: { tenantId, environment } },
        }),
      ),
    refetchInterval: REFRESH_MS,
  });
}
