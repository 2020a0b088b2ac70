import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pagingOf } from '../../parts/paging';
import { organisationRoute } from '../../routes';

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export const auditRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'audit',
  validateSearch: (search: Record<string, unknown>) => ({
    ...pagingOf(search),
    action: textOf(search.action),
    actor: textOf(search.actor),
  }),
  component: lazyRouteComponent(() => import('./audit.page'), 'AuditPage'),
});
