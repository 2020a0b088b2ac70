import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pagingOf } from '../../parts/paging';
import { environmentRoute } from '../../routes';

export const batchesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'batches',
  validateSearch: pagingOf,
  component: lazyRouteComponent(() => import('./batches.page'), 'BatchesPage'),
});
