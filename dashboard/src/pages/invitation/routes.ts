import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session';
import { rootRoute } from '../../routes';
import { takeSecret } from './secret';

/** Open to everybody: the link's secret, in its fragment, is what counts. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'invitation',
  beforeLoad: async ({ context, location }) => ({
    secret: takeSecret(location.hash),
    session: await context.queryClient.ensureQueryData(sessionQuery),
  }),
  component: lazyRouteComponent(() => import('./invitation.page'), 'InvitationPage'),
});
