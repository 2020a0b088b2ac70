import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { environmentRoute } from '../../routes';

export const needsActionRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'needs-action',
  component: lazyRouteComponent(() => import('./needs-action.page'), 'NeedsActionPage'),
});
