import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { environmentRoute } from '../../routes';
import { readListSearch } from './list-search';

export const transactionsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'transactions',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./transactions.page'), 'TransactionsPage'),
});
