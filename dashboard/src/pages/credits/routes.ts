import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pagingOf } from '../../parts/paging';
import { organisationRoute } from '../../routes';

export const creditsRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'credits',
  validateSearch: pagingOf,
  component: lazyRouteComponent(() => import('./credits.page'), 'CreditsPage'),
});
