import type { Environment } from '../../api/session';
import { isComplete, SECTIONS } from '../../parts/organisation/profile-fields';
import type { OrganisationDetails } from '../../parts/organisation/queries';

export type StepName = 'identity' | 'contact' | 'business' | 'appointment' | 'key' | 'invoice';

export interface Step {
  name: StepName;
  label: string;
  isDone: (organisation: OrganisationDetails) => boolean;
}

/** Environment of the onboarding steps. */
export const TRIAL_ENVIRONMENT: Environment = 'sandbox';

/** Onboarding steps in their order. */
export const STEPS: readonly Step[] = [
  { name: 'identity', label: 'Organisation', isDone: ({ profile }) => isComplete(SECTIONS.identity, profile) },
  { name: 'contact', label: 'Address', isDone: ({ profile }) => isComplete(SECTIONS.contact, profile) },
  { name: 'business', label: 'Business', isDone: ({ profile }) => isComplete(SECTIONS.business, profile) },
  {
    name: 'appointment',
    label: 'Appointment',
    isDone: ({ onboarding }) =>
      // A valid document proves the appointment.
      onboarding.hasValidSandboxDocument ||
      onboarding.appointments.some(
        ({ environment, isAppointed }) => environment === TRIAL_ENVIRONMENT && isAppointed === true,
      ),
  },
  { name: 'key', label: 'API key', isDone: ({ onboarding }) => onboarding.hasSandboxKey },
  { name: 'invoice', label: 'First invoice', isDone: ({ onboarding }) => onboarding.hasValidSandboxDocument },
];

/** Returns the index of the first incomplete step, or the number of steps if all are complete. */
export function findFirstOpen(organisation: OrganisationDetails): number {
  const index = STEPS.findIndex(({ isDone }) => !isDone(organisation));
  return index === -1 ? STEPS.length : index;
}
