import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router';
import { type Environment, sessionQuery } from './api/session';
import { organisationQuery } from './parts/organisation/queries';
import { lastEnvironment, lastOrganisation, rememberEnvironment, rememberOrganisation } from './shell/remembered';
import { PlainErrorPage } from './shell/error.page';
import { NotFoundPage } from './shell/not-found.page';
import { RootLayout } from './shell/root-layout';

/** Root of all routes. */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: RootLayout,
  notFoundComponent: NotFoundPage,
});

/** Parent of all pages that need a session. Other visitors sign in first and are redirected back. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  errorComponent: PlainErrorPage,
  component: lazyRouteComponent(() => import('./shell/layout'), 'Layout'),
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: { returnTo: location.href }, replace: true });
    return { session };
  },
});

export const organisationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'o/$tenantId',
  beforeLoad: ({ context, params }) => {
    const organisation = context.session.organisations.find(({ tenantId }) => tenantId === params.tenantId);
    if (organisation === undefined) throw notFound();
    rememberOrganisation(organisation.tenantId);
    return { organisation };
  },
});

export const environmentRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: '$environment',
  beforeLoad: ({ context, params }): { environment: Environment } => {
    const environment = context.session.environments.find((one) => one === params.environment);
    if (environment === undefined) throw notFound();
    rememberEnvironment(environment);
    return { environment };
  },
});

/** Redirects a truncated URL. */
export const environmentIndexRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/o/$tenantId/$environment/overview', params, replace: true });
  },
});

export const operatorRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'operator',
  beforeLoad: ({ context }) => {
    if (!context.session.user.isOperator) throw notFound();
  },
});

export const operatorIndexRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/operator/organisations', replace: true });
  },
});

export const indexRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: ({ context: { session } }) => {
    const organisation = lastOrganisation(session);
    if (organisation !== undefined) {
      throw redirect({ to: '/o/$tenantId', params: { tenantId: organisation.tenantId }, replace: true });
    }
    if (session.user.isOperator) throw redirect({ to: '/operator/organisations', replace: true });
  },
  component: lazyRouteComponent(() => import('./pages/home/home.page'), 'NoOrganisationPage'),
});

export const homeRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { session, organisation } = context;
    const { missing } = await context.queryClient.ensureQueryData(organisationQuery(organisation.tenantId));
    if (missing.length > 0) {
      throw redirect({ to: '/o/$tenantId/onboarding', params: { tenantId: organisation.tenantId }, replace: true });
    }
    const { findHome } = await import('./shell/home');
    const to = findHome(organisation, lastEnvironment(session));
    if (to !== null) throw redirect({ ...to, replace: true });
  },
  component: lazyRouteComponent(() => import('./pages/home/home.page'), 'HomePage'),
});
