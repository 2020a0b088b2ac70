import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pagingOf } from '../../parts/paging';
import { organisationRoute } from '../../routes';

export const keysRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'keys',
  validateSearch: pagingOf,
  component: lazyRouteComponent(() => import('./keys.page'), 'KeysPage'),
});
