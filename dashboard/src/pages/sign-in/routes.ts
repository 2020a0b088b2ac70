import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session';
import { rootRoute } from '../../routes';
import { PlainErrorPage } from '../../shell/error.page';
import { localPath } from '../../shell/local-path';

interface ReturnSearch {
  returnTo?: string;
}

// Sets the member even if it is undefined. Otherwise the router would keep the unchecked value of the URL.
function returnSearch(search: Record<string, unknown>): ReturnSearch {
  return { returnTo: localPath(search.returnTo) ?? undefined };
}

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  errorComponent: PlainErrorPage,
  validateSearch: returnSearch,
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session !== null) throw redirect({ href: search.returnTo ?? '/', replace: true });
  },
  component: lazyRouteComponent(() => import('./sign-in.page'), 'SignInPage'),
});

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-up',
  validateSearch: returnSearch,
  component: lazyRouteComponent(() => import('./sign-up.page'), 'SignUpPage'),
});
