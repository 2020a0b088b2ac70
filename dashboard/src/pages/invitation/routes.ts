import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session';
import { rootRoute } from '../../routes';
import { takeSecret } from './secret';

/** Public page: the secret in the fragment of the link authorises the user. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'invitation',
  beforeLoad: async ({ context, location }) => ({
    secret: takeSecret(location.hash),
    session: await context.queryClient.ensureQueryData(sessionQuery),
  }),
  component: lazyRouteComponent(() => import('./invitation.page'), 'InvitationPage'),
});
