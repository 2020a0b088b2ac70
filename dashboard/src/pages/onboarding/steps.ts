import type { Environment } from '../../api/session';
import { isComplete, SECTIONS } from '../../parts/organisation/profile-fields';
import type { OrganisationDetails } from '../../parts/organisation/queries';

export type StepName = 'identity' | 'contact' | 'business' | 'appointment' | 'key' | 'invoice';

export interface Step {
  name: StepName;
  label: string;
  isDone: (organisation: OrganisationDetails) => boolean;
}

/** Where everything is tried first. */
export const TRIAL_ENVIRONMENT: Environment = 'sandbox';

/** In the order in which they are done; how far an organisation is, only the service knows. */
export const STEPS: readonly Step[] = [
  { name: 'identity', label: 'Organisation', isDone: ({ profile }) => isComplete(SECTIONS.identity, profile) },
  { name: 'contact', label: 'Address', isDone: ({ profile }) => isComplete(SECTIONS.contact, profile) },
  { name: 'business', label: 'Business', isDone: ({ profile }) => isComplete(SECTIONS.business, profile) },
  {
    name: 'appointment',
    label: 'Appointment',
    isDone: ({ onboarding }) =>
      // A valid document is proof enough; nobody has to press the button for it.
      onboarding.hasValidSandboxDocument ||
      onboarding.appointments.some(
        ({ environment, isAppointed }) => environment === TRIAL_ENVIRONMENT && isAppointed === true,
      ),
  },
  { name: 'key', label: 'API key', isDone: ({ onboarding }) => onboarding.hasSandboxKey },
  { name: 'invoice', label: 'First invoice', isDone: ({ onboarding }) => onboarding.hasValidSandboxDocument },
];

/** The position of the first step that is not done; the number of steps when all are. */
export function firstOpen(organisation: OrganisationDetails): number {
  const index = STEPS.findIndex(({ isDone }) => !isDone(organisation));
  return index === -1 ? STEPS.length : index;
}
