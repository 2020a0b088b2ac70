import { type QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { accountRoute } from './pages/account/routes';
import { auditRoute } from './pages/audit/routes';
import { invitationRoute } from './pages/invitation/routes';
import { keysRoute } from './pages/keys/routes';
import { membersRoute } from './pages/members/routes';
import { creditsRoute } from './pages/credits/routes';
import {
  authorityRoute,
  inDoubtRoute,
  operatorAuditRoute,
  ordersRoute,
  organisationsRoute,
  queueRoute,
  verificationsRoute,
} from './pages/operator/routes';
import { bulkJobRoute, bulkJobsRoute } from './pages/bulk/routes';
import { batchesRoute } from './pages/batches/routes';
import { needsActionRoute } from './pages/needs-action/routes';
import { overviewRoute } from './pages/overview/routes';
import { onboardingRoute } from './pages/onboarding/routes';
import { passwordRoute } from './pages/password/routes';
import { profileRoute } from './pages/profile/routes';
import { sendRoute } from './pages/send/routes';
import { signInRoute, signUpRoute } from './pages/sign-in/routes';
import { resubmitRoute, transactionRoute } from './pages/transaction/routes';
import { transactionsRoute } from './pages/transactions/routes';
import {
  environmentIndexRoute,
  environmentRoute,
  homeRoute,
  indexRoute,
  operatorIndexRoute,
  operatorRoute,
  organisationRoute,
  rootRoute,
  signedInRoute,
} from './routes';
import { ErrorPage } from './shell/error.page';
import { PendingPage } from './shell/pending.page';

const routeTree = rootRoute.addChildren([
  signInRoute,
  signUpRoute,
  invitationRoute,
  passwordRoute,
  signedInRoute.addChildren([
    indexRoute,
    accountRoute,
    organisationRoute.addChildren([
      homeRoute,
      onboardingRoute,
      profileRoute,
      keysRoute,
      creditsRoute,
      membersRoute,
      auditRoute,
      environmentRoute.addChildren([
        environmentIndexRoute,
        overviewRoute,
        needsActionRoute,
        transactionsRoute,
        transactionRoute,
        resubmitRoute,
        batchesRoute,
        bulkJobsRoute,
        bulkJobRoute,
        sendRoute,
      ]),
    ]),
    operatorRoute.addChildren([
      operatorIndexRoute,
      organisationsRoute,
      verificationsRoute,
      ordersRoute,
      queueRoute,
      inDoubtRoute,
      authorityRoute,
      operatorAuditRoute,
    ]),
  ]),
]);

export function createDashboardRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/dashboard',
    context: { queryClient },
    defaultPreload: 'intent',
    // The query cache decides when data is stale.
    defaultPreloadStaleTime: 0,
    // Remounts a page for other parameters, so that it never shows data of the previous organisation or document.
    defaultRemountDeps: ({ params }) => params,
    scrollRestoration: true,
    defaultErrorComponent: ErrorPage,
    defaultPendingComponent: PendingPage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>;
  }
}
