import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routes';

/** Public page: the secret in the fragment of the link authorises the user. */
export const passwordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'password',
  beforeLoad: ({ location }) => ({ secret: location.hash }),
  component: lazyRouteComponent(() => import('./password.page'), 'PasswordPage'),
});
