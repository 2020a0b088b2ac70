import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readBy } from '../../parts/by';
import { type Paging, readPaging } from '../../parts/paging';
import { environmentRoute } from '../../routes';

interface BatchesSearch extends Paging {
  by?: string;
}

function readSearch(search: Record<string, unknown>): BatchesSearch {
  const by = readBy(search.by);
  return { ...(by === undefined ? {} : { by }), ...readPaging(search) };
}

export const batchesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'batches',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./batches.page'), 'BatchesPage'),
});
