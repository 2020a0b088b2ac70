import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session';
import { rootRoute } from '../../routes';
import { localPath } from '../../shell/local-path';

interface ReturnSearch {
  returnTo?: string;
}

// Named also when it is none: what a route leaves out of its search stays as it came in the address.
function returnSearch(search: Record<string, unknown>): ReturnSearch {
  return { returnTo: localPath(search.returnTo) ?? undefined };
}

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: returnSearch,
  beforeLoad: async ({ context }) => {
    if ((await context.queryClient.ensureQueryData(sessionQuery)) !== null) throw redirect({ to: '/', replace: true });
  },
  component: lazyRouteComponent(() => import('./sign-in.page'), 'SignInPage'),
});

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-up',
  validateSearch: returnSearch,
  component: lazyRouteComponent(() => import('./sign-up.page'), 'SignUpPage'),
});
