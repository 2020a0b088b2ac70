import type { EntityManager } from 'typeorm';
import type {
  Forbidden,
  LoginFailure,
  SubmitAccepted,
  SubmitOutcome,
  SupplierRefused,
  Throttled,
  Traced,
  Unauthorized,
  Unavailable,
} from '../../authority/outcomes.js';
import type { AcceptedDocument } from '../../authority/wire.js';
import type { DispatchTimes } from '../../config/configuration.js';
import { type DocumentError, explainFindings, type Finding } from '../../documents/error-catalogue.js';
import type { CallMember } from './call-member.js';
import type { ClaimedSubmission } from './claim.js';
import { type DocumentPlaces, readPlaces } from '../document-places.js';
import { blockLane, CLIENT_REFUSED, closeLanes, type LaneBlock, postponeFormer, UNBLOCK } from '../lanes.js';
import { splitOff } from '../reconcile/reconcile.sql.js';
import { freeBytes } from '../reconcile/release.sql.js';
import { changeStatuses, type StatusChange } from '../status-changes.js';

/** Another process took the submission over: what this one would write is not its to write any more. */
export class LeaseLostError extends Error {
  constructor(submissionId: string) {
    super(`The lease on submission ${submissionId} was lost; it is now reconciled, not repeated`);
  }
}

/** D8: refused as a whole this often, each time alone in its call, a document has failed. */
const REFUSALS_MAX = 3;
const REFUSAL_PAUSE_MS = 60_000;
const FIRST_LOOK_MS = 3_000;

/** What an outcome means for the call and its documents. */
interface Settlement {
  readonly state: 'accepted' | 'settled' | 'failed' | 'unknown';
  readonly submissionUid: string | null;
  readonly nextLookAt: Date | null;
  readonly failure: string | null;
  readonly changes: readonly StatusChange[];
}

export interface SettleRequest {
  readonly submission: ClaimedSubmission;
  readonly outcome: Traced<SubmitOutcome>;
  /** The last call before this one had failed: that this one met a page of the edge says nothing of its documents. */
  readonly isTrial: boolean;
  readonly times: DispatchTimes;
}

// Fenced: only the owner of the lease may end the sending, so that a process that was away too long changes nothing.
const END_SENDING = /* sql */ `
  WITH unblocked AS (${UNBLOCK})
  UPDATE authority_submission
     SET state = $4, submission_uid = coalesce($5, submission_uid), next_look_at = $6, looks = 0, missing_since = NULL,
         failure = $7, correlation_id = coalesce($8, correlation_id), owner = NULL, lease_until = NULL, updated_at = $9
   WHERE tenant_id = $1 AND id = $2 AND state = 'sending' AND owner = $3
  RETURNING id`;

const READ = /* sql */ `
  SELECT service_now() AS now,
         ARRAY(SELECT authority_uuid FROM document_transaction
                WHERE environment = $1 AND authority_uuid = ANY ($2::text[])) AS held`;

/**
 * Writes what became of a call, in the order of the locks: transactions, then the submission.
 * @throws LeaseLostError when the submission is not this owner's any more; the transaction must then roll back
 */
export async function settleSubmission(
  tx: EntityManager,
  { submission, outcome: ending, isTrial, times }: SettleRequest,
): Promise<void> {
  const { tenantId, submissionId, owner, members } = submission;
  const uuids = ending.kind === 'accepted' ? ending.accepted.map(({ authorityUuid }) => authorityUuid) : [];
  const [{ now, held }] = await tx.query<{ now: Date; held: string[] }[]>(READ, [submission.environment, uuids]);
  const { outcome, contested } = believed(isTrial ? ending : asRefusal(ending), { submission, held });
  const places = await readPlaces(tx, tenantId, failedIn(members, outcome));
  const settled = { ...submission, members: members.filter((member) => !contested.includes(member)) };
  const settlement = settlementOf(settled, outcome, { now, times, places });
  await changeStatuses(tx, { tenantId, now }, settlement.changes);
  // Certainly not taken: they may be made anew when they have become too old (D7).
  if (settlement.state === 'failed') await freeBytes(tx, submission);
  const [ended] = await tx.query<[unknown[], number]>(END_SENDING, [
    tenantId,
    submissionId,
    owner,
    settlement.state,
    settlement.submissionUid,
    settlement.nextLookAt,
    settlement.failure,
    outcome.correlationId,
    now,
    ending.kind === 'accepted' ? submission.environment : null,
  ]);
  if (ended.length === 0) throw new LeaseLostError(submissionId);
  if (contested.length > 0) {
    const { nextLookAt } = unknownSettlement('', { now, times, places });
    await splitOff(tx, submission, { members: contested, why: 'contested', now, nextLookAt });
  }
  await pause(tx, submission, { block: blockAfter(ending), now });
}

/** Pauses whoever would meet the same again: this tenant, or everybody who has to log in. */
async function pause(
  tx: EntityManager,
  submission: ClaimedSubmission,
  { block, now }: { block: LaneBlock | null; now: Date },
): Promise<void> {
  if (block === null) return;
  // A taxpayer whom the profile no longer names holds up nobody else: the tenant's other documents are sent meanwhile.
  const isOfTaxpayer = block === NOT_APPOINTED || block === SUPPLIER_REFUSED;
  if (isOfTaxpayer && (await postponeFormer(tx, submission.taxpayer, { ...submission, now }))) return;
  await blockLane(tx, submission, { block, now });
  // The others' logins would be refused alike.
  if (block === CLIENT_REFUSED) await closeLanes(tx, submission.environment);
}

/**
 * A page of the edge in place of an answer: maintenance, or a firewall that dislikes this very body. When the call before
 * had gone through, the body is suspected, and the call is halved like one that the API itself refused. Maintenance
 * costs its first call a halving by that, and no document is failed by it: three times would have to meet one alone.
 */
function asRefusal(outcome: Traced<SubmitOutcome>): Traced<SubmitOutcome> {
  if (outcome.kind !== 'unavailable' || outcome.cause !== 'edge') return outcome;
  const { correlationId, reason } = outcome;
  const message = `${reason} and a page in place of an answer, whenever the call carries this document`;
  return { kind: 'refused', status: 403, errors: [{ code: null, message, path: null }], correlationId };
}

/**
 * A uuid that another attempt has, of whatever tenant, cannot be this document's: its answer is as good as lost. The
 * other documents of the call have theirs.
 */
function believed(
  outcome: Traced<SubmitOutcome>,
  { submission: { members }, held }: { submission: ClaimedSubmission; held: readonly string[] },
): { outcome: Traced<SubmitOutcome>; contested: readonly CallMember[] } {
  if (outcome.kind !== 'accepted' || held.length === 0) return { outcome, contested: [] };
  const isHeld = ({ authorityUuid }: AcceptedDocument): boolean => held.includes(authorityUuid);
  const numbers = outcome.accepted.filter(isHeld).map(({ referenceId }) => referenceId);
  const contested = members.filter(({ referenceId }) => numbers.includes(referenceId));
  if (contested.length < members.length) {
    return { outcome: { ...outcome, accepted: outcome.accepted.filter((each) => !isHeld(each)) }, contested };
  }
  const reason = `the answer names ${held.join(', ')}, of other documents`;
  return { outcome: { kind: 'unknown', reason, correlationId: outcome.correlationId }, contested: [] };
}

interface Circumstances {
  readonly now: Date;
  readonly times: DispatchTimes;
  /** Of the documents that the outcome fails. */
  readonly places: DocumentPlaces;
}

/** The attempts that this outcome may fail. */
function failedIn(members: readonly CallMember[], outcome: SubmitOutcome): string[] {
  if (outcome.kind === 'refused' && members.length === 1) return members.map(({ transactionId }) => transactionId);
  if (outcome.kind !== 'accepted' || outcome.rejected.length === 0) return [];
  const rejected = new Set(outcome.rejected.map(({ referenceId }) => referenceId));
  return members.filter(({ referenceId }) => rejected.has(referenceId)).map(({ transactionId }) => transactionId);
}

function explained(findings: readonly Finding[], transactionId: string, places: DocumentPlaces): DocumentError[] {
  return explainFindings(findings, places.get(transactionId) ?? null);
}

function settlementOf(
  submission: ClaimedSubmission,
  outcome: Traced<SubmitOutcome>,
  circumstances: Circumstances,
): Settlement {
  if (outcome.kind === 'accepted') return acceptedSettlement(submission.members, outcome, circumstances);
  if (outcome.kind === 'unknown') return unknownSettlement(outcome.reason, circumstances);
  // That this send was not taken says nothing of the earlier one. Queued again, the documents would count as new ones,
  // and the time after which the authority takes them twice would begin anew: so they stay in doubt.
  if (submission.isResend && outcome.kind !== 'duplicate')
    return unknownSettlement(`resend: ${outcome.kind}`, circumstances);
  if (outcome.kind === 'refused') return refusedSettlement(submission.members, outcome, circumstances);
  // 422 says that this very call arrived before: it is looked for, like one whose answer was lost.
  if (outcome.kind === 'duplicate')
    return unknownSettlement('the authority has had this very call before', circumstances);
  return notTakenSettlement(submission.members, outcome);
}

function acceptedSettlement(
  members: readonly CallMember[],
  outcome: Traced<SubmitAccepted>,
  { now, places }: Circumstances,
): Settlement {
  const uuids = new Map(outcome.accepted.map(({ referenceId, authorityUuid }) => [referenceId, authorityUuid]));
  const refusals = new Map(outcome.rejected.map(({ referenceId, errors }) => [referenceId, errors]));
  const { correlationId } = outcome;
  const changes = members.map(({ transactionId, referenceId }): StatusChange => {
    const authorityUuid = uuids.get(referenceId);
    if (authorityUuid !== undefined) {
      const facts = { authorityUuid, submittedAt: now, errors: [] };
      return { transactionId, to: 'submitted', cause: 'submit_accepted', correlationId, facts };
    }
    const errors = explained(refusals.get(referenceId) ?? [], transactionId, places);
    return { transactionId, to: 'submitFailed', cause: 'submit_rejected', correlationId, facts: { errors } };
  });
  const isAnyTaken = outcome.accepted.length > 0;
  return {
    state: isAnyTaken ? 'accepted' : 'settled',
    submissionUid: outcome.submissionUid,
    nextLookAt: isAnyTaken ? new Date(now.getTime() + FIRST_LOOK_MS) : null,
    failure: null,
    changes,
  };
}

/** The call as a whole was refused: halved, until the document that is the reason stands alone. */
function refusedSettlement(
  members: readonly CallMember[],
  outcome: Extract<SubmitOutcome, { kind: 'refused' }>,
  { now, places }: Circumstances,
): Settlement {
  const cause = 'submit_refused';
  const changes = members.map(({ transactionId, refusals }): StatusChange => {
    if (members.length > 1) {
      const facts = { authoritySubmissionId: null, callSizeMax: Math.ceil(members.length / 2) };
      return { transactionId, to: 'queued', cause, facts };
    }
    if (refusals + 1 >= REFUSALS_MAX) {
      const errors = explained(outcome.errors, transactionId, places);
      return { transactionId, to: 'submitFailed', cause, facts: { errors } };
    }
    const dueAt = new Date(now.getTime() + REFUSAL_PAUSE_MS);
    return {
      transactionId,
      to: 'queued',
      cause,
      facts: { authoritySubmissionId: null, refusals: refusals + 1, dueAt },
    };
  });
  return { ...NO_LOOK, state: 'failed', failure: `refused: ${outcome.errors[0]?.message ?? outcome.status}`, changes };
}

const NOT_APPOINTED: LaneBlock = { reason: 'not_appointed', seconds: 30, secondsMax: 3_600 };
const SUPPLIER_REFUSED: LaneBlock = { reason: 'supplier_refused', seconds: 30, secondsMax: 3_600 };

// A call that was not taken is not repeated at once: the budget spaces the calls of all tenants, and knows nothing of
// what one tenant's login costs.
const BLOCK_BY_KIND: Readonly<Record<NotTaken['kind'], LaneBlock>> = {
  forbidden: NOT_APPOINTED,
  'not-appointed': NOT_APPOINTED,
  unauthorized: NOT_APPOINTED,
  'supplier-refused': SUPPLIER_REFUSED,
  'client-refused': CLIENT_REFUSED,
  unavailable: { reason: 'authority_unavailable', seconds: 0.5, secondsMax: 10 },
  throttled: { reason: 'call_budget', seconds: 1, secondsMax: 60 },
};

function blockAfter(outcome: SubmitOutcome): LaneBlock | null {
  if (!isNotTaken(outcome)) return null;
  const block = BLOCK_BY_KIND[outcome.kind];
  if (outcome.kind !== 'throttled') return block;
  return { ...block, seconds: outcome.retryAfterSeconds, secondsMax: outcome.retryAfterSeconds };
}

function isNotTaken(outcome: SubmitOutcome): outcome is NotTaken {
  return outcome.kind in BLOCK_BY_KIND;
}

type NotTaken = LoginFailure | Forbidden | SupplierRefused | Unauthorized | Throttled | Unavailable;

/** Certainly not taken: the documents are queued again, at their old place. */
function notTakenSettlement(members: readonly CallMember[], outcome: NotTaken): Settlement {
  const changes = members.map(({ transactionId }): StatusChange => ({
    transactionId,
    to: 'queued',
    cause: `submit_${outcome.kind.replace('-', '_')}`,
    facts: { authoritySubmissionId: null },
  }));
  const reason = 'errors' in outcome ? `: ${outcome.errors[0]?.message ?? ''}` : '';
  return { ...NO_LOOK, state: 'failed', failure: outcome.kind + reason, changes };
}

/** It may have arrived: nothing moves until it has been looked for. */
function unknownSettlement(failure: string, { now, times }: Circumstances): Settlement {
  const nextLookAt = new Date(now.getTime() + times.reconcileGraceSeconds * 1_000);
  return { state: 'unknown', submissionUid: null, nextLookAt, failure, changes: [] };
}

const NO_LOOK = { submissionUid: null, nextLookAt: null };
