import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routes';

/** Open to everybody: the link's secret, in its fragment, is what counts. */
export const passwordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'password',
  beforeLoad: ({ location }) => ({ secret: location.hash }),
  component: lazyRouteComponent(() => import('./password.page'), 'PasswordPage'),
});
