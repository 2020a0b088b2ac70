import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { environmentRoute } from '../../routes';

export const sendRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'send',
  // The submission that was sent last: its outcome is shown again after a reload.
  validateSearch: ({ batch }: Record<string, unknown>): { batch?: string } =>
    typeof batch === 'string' ? { batch } : {},
  component: lazyRouteComponent(() => import('./send.page'), 'SendPage'),
});
