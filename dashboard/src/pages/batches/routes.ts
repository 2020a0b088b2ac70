import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { byOf } from '../../parts/by';
import { type Paging, pagingOf } from '../../parts/paging';
import { environmentRoute } from '../../routes';

/** Which batches the address shows. */
interface BatchesSearch extends Paging {
  by?: string;
}

function searchOf(search: Record<string, unknown>): BatchesSearch {
  const by = byOf(search.by);
  return { ...(by === undefined ? {} : { by }), ...pagingOf(search) };
}

export const batchesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'batches',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./batches.page'), 'BatchesPage'),
});
