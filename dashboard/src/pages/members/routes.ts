import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pagingOf } from '../../parts/paging';
import { organisationRoute } from '../../routes';

export const membersRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'members',
  validateSearch: pagingOf,
  component: lazyRouteComponent(() => import('./members.page'), 'MembersPage'),
});
