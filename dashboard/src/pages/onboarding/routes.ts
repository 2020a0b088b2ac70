import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organisationRoute } from '../../routes';

interface OnboardingSearch {
  /** Position of the open step, starting at 1. Default: the first incomplete step. */
  step?: number;
  batch?: string;
}

export const onboardingRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'onboarding',
  validateSearch: ({ step, batch }: Record<string, unknown>): OnboardingSearch => ({
    ...(typeof step === 'number' ? { step } : {}),
    ...(typeof batch === 'string' ? { batch } : {}),
  }),
  component: lazyRouteComponent(() => import('./onboarding.page'), 'OnboardingPage'),
});
