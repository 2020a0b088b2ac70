import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readPaging } from '../../parts/paging';
import { organisationRoute } from '../../routes';

export const membersRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'members',
  validateSearch: readPaging,
  component: lazyRouteComponent(() => import('./members.page'), 'MembersPage'),
});
