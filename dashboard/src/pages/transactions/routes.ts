import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { environmentRoute } from '../../routes';
import { listSearchOf } from './list-search';

export const transactionsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'transactions',
  validateSearch: listSearchOf,
  component: lazyRouteComponent(() => import('./transactions.page'), 'TransactionsPage'),
});
