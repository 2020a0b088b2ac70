import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readPaging } from '../../parts/paging';
import { environmentRoute } from '../../routes';

export const bulkJobsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'bulk',
  validateSearch: readPaging,
  component: lazyRouteComponent(() => import('./jobs.page'), 'BulkJobsPage'),
});

export const bulkJobRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'bulk/$jobId',
  validateSearch: readPaging,
  component: lazyRouteComponent(() => import('./job.page'), 'BulkJobPage'),
});
