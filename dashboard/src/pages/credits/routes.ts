import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readPaging } from '../../parts/paging';
import { organisationRoute } from '../../routes';

export const creditsRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'credits',
  validateSearch: readPaging,
  component: lazyRouteComponent(() => import('./credits.page'), 'CreditsPage'),
});
