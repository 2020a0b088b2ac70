import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readPaging } from '../../parts/paging';
import { organisationRoute } from '../../routes';

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export const auditRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'audit',
  validateSearch: (search: Record<string, unknown>) => ({
    ...readPaging(search),
    action: readText(search.action),
    actor: readText(search.actor),
  }),
  component: lazyRouteComponent(() => import('./audit.page'), 'AuditPage'),
});
