import type { Environment } from '../../config/environment.js';
import { SupplierNotVerifiedError } from '../supplier-errors.js';

export const VERIFICATION_STATUSES = ['unverified', 'waiting', 'verified', 'refused'] as const;

export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

export interface Verification {
  readonly status: VerificationStatus;
  /** Reason of a refusal. */
  readonly reason: string | null;
}

export const UNVERIFIED: Verification = { status: 'unverified', reason: null };

interface Explanation {
  readonly message: string;
  readonly action: string;
}

const EXPLANATIONS: Readonly<
  Record<Exclude<VerificationStatus, 'verified'>, (environment: Environment, reason: string | null) => Explanation>
> = {
  unverified: (environment) => ({
    message: `The organisation is not verified for its TIN in the ${environment} environment`,
    action:
      'Complete the profile in the dashboard and check the appointment there, or ask the operator of this service ' +
      'to verify the organisation.',
  }),
  waiting: (environment) => ({
    message: `The organisation waits for the operator of this service to verify its TIN in the ${environment} environment`,
    action: 'Wait for the decision, or ask the operator of this service for it.',
  }),
  refused: (environment, reason) => ({
    message: `The operator of this service refused to verify the organisation in the ${environment} environment: ${reason}`,
    action: 'Correct the TIN or the id of the profile, or contact the operator of this service.',
  }),
};

/** Explains why an organisation is not verified, or returns null. */
export function explainVerification({ status, reason }: Verification, environment: Environment): Explanation | null {
  return status === 'verified' ? null : EXPLANATIONS[status](environment, reason);
}

/** Returns the error (400) for an unverified organisation, or null. */
export function refuseUnverified(
  verification: Verification,
  environment: Environment,
): SupplierNotVerifiedError | null {
  const explanation = explainVerification(verification, environment);
  if (explanation === null) return null;
  return new SupplierNotVerifiedError(`${explanation.message}. ${explanation.action}`, verification);
}

/** @throws SupplierNotVerifiedError (400) */
export function assertVerified(verification: Verification, environment: Environment): void {
  const refusal = refuseUnverified(verification, environment);
  if (refusal !== null) throw refusal;
}
