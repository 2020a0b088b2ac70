import type { TimelineStepDto } from './dto/transaction.dto.js';
import type { AttemptState, CancellationStatus } from '../../documents/statuses.js';
import { type ActorDto, OPERATOR } from '../shown-actor.js';
import { toShownStatus } from './shown-status.js';

export interface StatusMove {
  readonly at: Date;
  readonly toState: AttemptState;
  readonly cause: string;
  readonly correlationId: string | null;
}

export interface CancellationStep {
  readonly status: CancellationStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly by: ActorDto | null;
}

export interface History {
  readonly createdAt: Date;
  readonly isHeld: boolean;
  readonly submittedBy: ActorDto | null;
  readonly rejectionRequestedAt: Date | null;
  readonly moves: readonly StatusMove[];
  readonly cancelRequests: readonly CancellationStep[];
}

const BACK_IN_THE_QUEUE = 'Not accepted; back at its place in the queue';

/** Texts per cause of a status change, or per cause and new state. */
export const CAUSES: Readonly<Record<string, string | Partial<Record<AttemptState, string>>>> = {
  claimed: 'Being sent to the tax authority',
  submit_accepted: 'Accepted by the tax authority for validation',
  submit_rejected: 'Refused by the tax authority at submission',
  submit_refused: {
    queued: 'The tax authority refused the whole call; sent again with fewer documents',
    submitFailed: 'The tax authority refused the whole call three times',
  },
  submit_unavailable: `The tax authority did not respond. ${BACK_IN_THE_QUEUE}`,
  submit_throttled: `The tax authority’s call limit was reached. ${BACK_IN_THE_QUEUE}`,
  submit_unauthorized: `The sign-in at the tax authority had ended. ${BACK_IN_THE_QUEUE}`,
  submit_forbidden: `The tax authority did not let this service act for the organisation. ${BACK_IN_THE_QUEUE}`,
  submit_not_appointed: `This service is not appointed as the organisation’s intermediary. ${BACK_IN_THE_QUEUE}`,
  submit_client_refused: `The tax authority refused this service’s sign-in. ${BACK_IN_THE_QUEUE}`,
  adopted: 'The response was lost; the document was found at the tax authority',
  adopted_original: 'The tax authority had already received the document in an earlier send, which counts',
  uuid_confirmed: 'The tax authority has confirmed the id of the document',
  poll: {
    valid: 'Found valid by the tax authority',
    invalid: 'Found invalid by the tax authority',
    cancelled: 'Cancelled at the tax authority, not through this service',
  },
  cancelled: 'Cancelled at the tax authority, as requested',
  parent_ended: 'The parent invoice did not become Valid',
  hold_expired: 'The parent invoice did not become Valid within seven days',
  operator_resend: 'In doubt; an operator decided to send it again',
  restored: 'Found at the tax authority after a restore of our database',
  operator_adopt: 'In doubt; an operator found it at the tax authority',
  not_buildable: 'The document for the tax authority could not be built and was not sent',
  operator_outcome: 'An operator entered the outcome that the portal of the tax authority shows',
  operator_fail: 'In doubt; an operator decided that it failed',
  operator_uuid_conflict:
    'An operator found that the displayed document at the tax authority belongs to another document',
};

/** Prefix of the causes of operator decisions. */
const BY_OPERATOR = 'operator_';

const CANCELLATION_ENDS: Partial<Record<CancellationStatus, string>> = {
  Completed: 'The tax authority confirmed the cancellation',
  Failed: 'The tax authority refused the cancellation; the credit is not refunded',
};

/** Returns the steps of an attempt in chronological order. */
export function buildTimeline(history: History): TimelineStepDto[] {
  const { createdAt, isHeld, submittedBy, rejectionRequestedAt, moves, cancelRequests } = history;
  const accepted = isHeld ? 'Accepted; held until its parent invoice is Valid' : 'Accepted and queued';
  const steps = [
    step(createdAt, accepted, { status: 'Queued', by: submittedBy }),
    ...moves.map(moveStep),
    ...cancelRequests.flatMap(cancelSteps),
    ...(rejectionRequestedAt === null
      ? []
      : [step(rejectionRequestedAt, 'The buyer asked the tax authority to reject it')]),
  ];
  // The sort is stable, so simultaneous steps keep the order above.
  return steps.sort((one, other) => one.at.getTime() - other.at.getTime());
}

function moveStep({ at, toState, cause, correlationId }: StatusMove): TimelineStepDto {
  const status = toShownStatus(toState);
  const words = CAUSES[cause];
  const text = typeof words === 'object' ? words[toState] : words;
  const by = cause.startsWith(BY_OPERATOR) ? OPERATOR : null;
  return { at, text: text ?? `Now ${status}`, status, correlationId, by };
}

function cancelSteps({ status, createdAt, updatedAt, by }: CancellationStep): TimelineStepDto[] {
  const requested = step(createdAt, 'Cancellation requested', { by });
  const end = CANCELLATION_ENDS[status];
  return end === undefined ? [requested] : [requested, step(updatedAt, end)];
}

function step(
  at: Date,
  text: string,
  { status = null, by = null }: Partial<Pick<TimelineStepDto, 'status' | 'by'>> = {},
): TimelineStepDto {
  return { at, text, status, correlationId: null, by };
}
