import type { DetailsOutcome, Traced } from '../../authority/outcomes.js';
import type { DocumentError } from '../../documents/error-catalogue.js';

/** Code of an invalid document if the authority gives no reason (docs/rules.md#statuses). */
const WITHOUT_REASON_CODE = 'invalid_without_reason';
export const POLLS_WITHOUT_REASON_MAX = 3;
/** The authority has about ten validation steps. The limits bound the cost of a malformed response. */
const [STEPS_MAX, STEP_CHARACTERS_MAX] = [20, 200];

/** Builds the condition that an errors column contains no reason from the authority. */
export function buildWithoutReasonSql(errors: string): string {
  return `${errors} @> '[{"code": "${WITHOUT_REASON_CODE}"}]'`;
}

export function isWithoutReason(errors: readonly DocumentError[]): boolean {
  return errors.some(({ code }) => code === WITHOUT_REASON_CODE);
}

/** Returns null if there was no response. */
export function describeMissingReason(details: Traced<DetailsOutcome> | null): string | null {
  if (details === null) return null;
  if (details.kind === 'not-found') return 'The details are not found (404)';
  if (details.kind === 'refused' || details.kind === 'forbidden') {
    return details.errors.map(({ message }) => message).join('; ');
  }
  if (details.kind !== 'found') return null;
  return details.failedSteps.length > 0
    ? `Steps that failed without an error: ${listSteps(details.failedSteps)}`
    : 'The details contain no validation results';
}

function listSteps(names: readonly string[]): string {
  const listed = names.slice(0, STEPS_MAX).map((name) => name.slice(0, STEP_CHARACTERS_MAX));
  const rest = names.length - listed.length;
  return listed.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

export function buildErrorsWithoutReason(authorityMessage: string, correlationId: string | null): DocumentError[] {
  const trace = correlationId === null ? 'its authorityUuid' : `correlation id ${correlationId}`;
  return [
    {
      code: WITHOUT_REASON_CODE,
      message: 'The tax authority found the document invalid without giving a reason',
      pointer: null,
      hint:
        'This service polls for the reason and shows it here when it is available. Until then, open the document in the ' +
        `authority's portal, or ask the authority's support and quote ${trace}`,
      authorityCode: null,
      authorityMessage,
    },
  ];
}
