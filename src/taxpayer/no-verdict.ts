import type { Throttled, TinOutcome } from '../authority/outcomes.js';
import { UnavailableError } from '../errors/api-error.js';

// When nobody says how long: long enough for the authority's back-off, short enough for a person at a screen.
const RETRY_AFTER_SECONDS = 10;
// People have to correct an appointment or a permission.
const RETRY_AFTER_APPOINTMENT_SECONDS = 60;

/** The 503 for what is no verdict: a client must never read an outage as a wrong TIN (docs/rules.md#tin-check). */
export function buildNoVerdictError(
  outcome: Exclude<TinOutcome, { kind: 'valid' } | { kind: 'invalid' }>,
): UnavailableError {
  switch (outcome.kind) {
    case 'throttled':
      return buildBudgetUsedUpError(outcome);
    case 'not-appointed':
    case 'forbidden':
      return new UnavailableError(
        'not_appointed',
        'The authority does not let this service act for your organisation: appoint the intermediary in MyInvois, then repeat',
        RETRY_AFTER_APPOINTMENT_SECONDS,
      );
    case 'unavailable':
      return buildAuthorityUnavailableError(outcome.retryAfterSeconds ?? RETRY_AFTER_SECONDS);
    case 'unauthorized':
    case 'client-refused':
      return buildAuthorityUnavailableError(RETRY_AFTER_SECONDS);
  }
}

/** @param throttled null when no slot of the call budget came in time */
export function buildBudgetUsedUpError(throttled: Throttled | null): UnavailableError {
  const reason = throttled?.isShareUsedUp
    ? 'Your organisation has used up its share of the calls to the authority'
    : 'The authority limits the number of TIN checks';
  return new UnavailableError(
    'call_budget',
    `${reason}, and there is no verdict yet; repeat after Retry-After`,
    throttled?.retryAfterSeconds ?? RETRY_AFTER_SECONDS,
  );
}

function buildAuthorityUnavailableError(retryAfterSeconds: number): UnavailableError {
  const message = 'The authority gave no verdict on this TIN; repeat after Retry-After';
  return new UnavailableError('authority_unavailable', message, retryAfterSeconds);
}
