import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organisationRoute } from '../../routes';

interface OnboardingSearch {
  /** The step that is open; the first that is not done when left out. */
  step?: number;
  /** The first invoice, once it is sent. */
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
