import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { environmentRoute } from '../../routes';
import { DAY_COUNTS } from './outcomes';

interface OverviewSearch {
  days?: (typeof DAY_COUNTS)[number];
}

export const overviewRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'overview',
  validateSearch: ({ days }: Record<string, unknown>): OverviewSearch => {
    const known = DAY_COUNTS.find((one) => one === String(days));
    return known === undefined ? {} : { days: known };
  },
  component: lazyRouteComponent(() => import('./overview.page'), 'OverviewPage'),
});
