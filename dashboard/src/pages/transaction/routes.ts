import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { environmentRoute } from '../../routes';

export const transactionRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'transactions/$transactionId',
  component: lazyRouteComponent(() => import('./transaction.page'), 'TransactionPage'),
});

export const resubmitRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'transactions/$transactionId/resubmit',
  component: lazyRouteComponent(() => import('./resubmit.page'), 'ResubmitPage'),
});
