import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organisationRoute } from '../../routes';

export const profileRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'profile',
  component: lazyRouteComponent(() => import('./profile.page'), 'ProfilePage'),
});
