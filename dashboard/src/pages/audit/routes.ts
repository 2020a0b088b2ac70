import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readAuditFilters } from '../../parts/audit/search';
import { readPaging } from '../../parts/paging';
import { organisationRoute } from '../../routes';

export const auditRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'audit',
  validateSearch: (search: Record<string, unknown>) => ({ ...readPaging(search), ...readAuditFilters(search) }),
  component: lazyRouteComponent(() => import('./audit.page'), 'AuditPage'),
});
