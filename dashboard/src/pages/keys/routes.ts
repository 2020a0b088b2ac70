import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readPaging } from '../../parts/paging';
import { organisationRoute } from '../../routes';

export const keysRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'keys',
  validateSearch: readPaging,
  component: lazyRouteComponent(() => import('./keys.page'), 'KeysPage'),
});
