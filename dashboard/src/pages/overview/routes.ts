import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { environmentRoute } from '../../routes';

export const DAY_COUNTS = ['7', '30', '90'] as const;

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
