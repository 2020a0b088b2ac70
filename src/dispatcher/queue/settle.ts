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
import { forgetAppointment } from '../../authority/token-store.js';
import type { DispatchTimes } from '../../config/configuration.js';
import { type DocumentError, explainFindings, type Finding } from '../../documents/error-catalogue.js';
import type { CallMember, ClaimedSubmission, LoginNeeded } from './claimed-submission.js';
import { type DocumentLocations, readDocumentLocations } from './document-locations.js';
import { isDuplicate } from './duplicates.js';
import { FIRST_POLL_SECONDS } from './poll-intervals.js';
import {
  makeTenantQueueWait,
  CLIENT_REFUSED,
  makeQueuesWithoutTokenWait,
  type QueueWait,
  postponeFormerTaxpayer,
  END_WAITING,
} from './tenant-queues.js';
import { computeResendPauseSeconds, RESEND_WINDOW_SECONDS } from './lookup-times.js';
import { changeStatuses, type StatusChange } from './status-changes.js';
import { freeBytes, type RefusedMember, splitOffRefused } from './authority-submissions.sql.js';

export class LeaseLostError extends Error {
  constructor(submissionId: string) {
    super(`The lease on submission ${submissionId} was lost; it is now reconciled, not repeated`);
  }
}

/** Number of refused single-document calls after which the document fails (docs/rules.md#refused-calls). */
const REFUSALS_MAX = 3;
const REFUSAL_PAUSE_MS = 60_000;

interface Settlement {
  readonly state: 'accepted' | 'settled' | 'failed' | 'unknown';
  readonly submissionUid: string | null;
  readonly nextLookupAt: Date | null;
  readonly failure: string | null;
  readonly resendAfter?: Date;
  readonly changes: readonly StatusChange[];
  /** Refused documents that may have arrived with an earlier send. Lookups decide whether the refusal counts. */
  readonly refused: readonly RefusedMember[];
}

export interface SettleRequest {
  readonly submission: ClaimedSubmission;
  readonly outcome: Traced<SubmitOutcome>;
  /** Whether the previous call failed. A response from the network edge then proves nothing about the documents. */
  readonly isTrial: boolean;
  readonly times: DispatchTimes;
}

// Only the lease owner may end the sending, so that a paused process cannot change anything.
const END_SENDING = /* sql */ `
  WITH ended AS (${END_WAITING})
  UPDATE authority_submission
     SET state = $4, submission_uid = coalesce($5, submission_uid), due_at = $6, polls = 0, lookups = 0, missing_since = NULL,
         failure = $7, correlation_id = coalesce($8, correlation_id), owner = NULL, lease_until = NULL, updated_at = $9,
         resend_after = coalesce($11, resend_after)
   WHERE tenant_id = $1 AND id = $2 AND state = 'sending' AND owner = $3
  RETURNING id`;

const READ = /* sql */ `
  SELECT service_now() AS now,
         ARRAY(SELECT authority_uuid FROM document_transaction
                WHERE environment = $1 AND authority_uuid = ANY ($2::text[])) AS owned`;

/**
 * Stores the outcome of a call. Lock order: transactions, submission.
 * @throws LeaseLostError if another process owns the submission. The transaction must then be rolled back.
 */
export async function settleSubmission(
  tx: EntityManager,
  { submission, outcome: ending, isTrial, times }: SettleRequest,
): Promise<void> {
  const { tenantId, submissionId, owner, members } = submission;
  const uuids = ending.kind === 'accepted' ? ending.accepted.map(({ authorityUuid }) => authorityUuid) : [];
  const [{ now, owned }] = await tx.query<{ now: Date; owned: string[] }[]>(READ, [submission.environment, uuids]);
  const outcome = isTrial ? ending : refuseEdgePage(ending);
  const locations = await readDocumentLocations(tx, tenantId, listFailed(members, outcome));
  const settlement = planSettlement(submission, outcome, { now, times, locations, owned });
  await changeStatuses(tx, { tenantId, now }, settlement.changes);
  // The documents have certainly not arrived, so they may be rebuilt (docs/rules.md#issue-time).
  if (settlement.state === 'failed') await freeBytes(tx, submission);
  const [ended] = await tx.query<[unknown[], number]>(END_SENDING, [
    tenantId,
    submissionId,
    owner,
    settlement.state,
    settlement.submissionUid,
    settlement.nextLookupAt,
    settlement.failure,
    outcome.correlationId,
    now,
    ending.kind === 'accepted' ? submission.environment : null,
    settlement.resendAfter ?? null,
  ]);
  if (ended.length === 0) throw new LeaseLostError(submissionId);
  if (settlement.refused.length > 0) {
    const nextLookupAt = computeFirstLookupAt({ now, times });
    await splitOffRefused(tx, submission, { refused: settlement.refused, now, nextLookupAt });
  }
  if (ending.kind === 'forbidden') await forgetAppointment(tx, submission.environment, submission.taxpayer);
  await makeAffectedQueuesWait(tx, submission, { wait: chooseWait(ending), now });
}

export async function settleLoginFailure(tx: EntityManager, needed: LoginNeeded, failure: LoginFailure): Promise<void> {
  const [{ now }] = await tx.query<{ now: Date }[]>('SELECT service_now() AS now');
  await makeAffectedQueuesWait(tx, needed, { wait: chooseWait(failure), now });
}

async function makeAffectedQueuesWait(
  tx: EntityManager,
  submission: LoginNeeded,
  { wait, now }: { wait: QueueWait | null; now: Date },
): Promise<void> {
  if (wait === null) return;
  // Documents of a former taxpayer are postponed, so that the tenant's other documents can be sent.
  const isTaxpayerRefused = wait === NOT_APPOINTED || wait === SUPPLIER_REFUSED;
  if (isTaxpayerRefused && (await postponeFormerTaxpayer(tx, submission.taxpayer, { ...submission, now }))) return;
  await makeTenantQueueWait(tx, submission, { wait, now });
  if (wait === CLIENT_REFUSED) await makeQueuesWithoutTokenWait(tx, submission.environment);
}

/**
 * Treats a page of the edge after a successful call as a refusal, because a firewall may reject the body. The call is
 * then sent again in halves. Maintenance fails no document, because that takes three refusals of a single document.
 */
function refuseEdgePage(outcome: Traced<SubmitOutcome>): Traced<SubmitOutcome> {
  if (outcome.kind !== 'unavailable' || outcome.cause !== 'edge') return outcome;
  const { correlationId, reason } = outcome;
  const message = `${reason} and a page in place of a response, whenever the call carries this document`;
  return { kind: 'refused', status: 403, errors: [{ code: null, message, path: null }], correlationId };
}

interface SettleContext {
  readonly now: Date;
  readonly times: DispatchTimes;
  readonly locations: DocumentLocations;
  /** Uuids from the response that already belong to another attempt. */
  readonly owned: readonly string[];
}

function listFailed(members: readonly CallMember[], outcome: SubmitOutcome): string[] {
  if (outcome.kind === 'refused' && members.length === 1) return members.map(({ transactionId }) => transactionId);
  if (outcome.kind !== 'accepted' || outcome.rejected.length === 0) return [];
  const rejected = new Set(outcome.rejected.map(({ referenceId }) => referenceId));
  return members.filter(({ referenceId }) => rejected.has(referenceId)).map(({ transactionId }) => transactionId);
}

function explainForDocument(
  findings: readonly Finding[],
  transactionId: string,
  locations: DocumentLocations,
): DocumentError[] {
  return explainFindings(findings, locations.get(transactionId) ?? null);
}

function planSettlement(
  submission: ClaimedSubmission,
  outcome: Traced<SubmitOutcome>,
  context: SettleContext,
): Settlement {
  if (outcome.kind === 'accepted') return buildAcceptedSettlement(submission.members, outcome, context);
  if (outcome.kind === 'unknown') return buildUnknownSettlement(outcome.reason, context);
  // A refused resend proves nothing about the earlier send, so the documents stay in doubt. Queuing them again would
  // restart the two hours after which the authority accepts the same document twice.
  if (submission.earlierSends > 0 && outcome.kind !== 'duplicate')
    return buildResendSettlement(submission.earlierSends, outcome, context);
  if (outcome.kind === 'refused') return buildRefusedSettlement(submission.members, outcome, context);
  // The authority responds with 422 if it has already received an identical call.
  if (outcome.kind === 'duplicate') return buildDuplicateSettlement(outcome, context);
  return buildNotTakenSettlement(submission.members, outcome);
}

function buildAcceptedSettlement(
  members: readonly CallMember[],
  outcome: Traced<SubmitAccepted>,
  { now, locations, owned }: SettleContext,
): Settlement {
  const uuids = new Map(outcome.accepted.map(({ referenceId, authorityUuid }) => [referenceId, authorityUuid]));
  const refusals = new Map(outcome.rejected.map(({ referenceId, errors }) => [referenceId, errors]));
  const { correlationId } = outcome;
  const changes: StatusChange[] = [];
  const refused: RefusedMember[] = [];
  for (const { transactionId, referenceId, isResponseLost } of members) {
    const authorityUuid = uuids.get(referenceId);
    if (authorityUuid !== undefined) {
      // Polls confirm or correct the uuid. If there is none, they find the document by its identity.
      const claimed = owned.includes(authorityUuid) ? {} : { authorityUuid };
      const facts = { ...claimed, submittedAt: now, errors: [] };
      changes.push({ transactionId, to: 'submitted', cause: 'submit_accepted', correlationId, facts });
      continue;
    }
    const findings = refusals.get(referenceId) ?? [];
    const errors = explainForDocument(findings, transactionId, locations);
    // The network may have delivered the call twice. The document would then be its own duplicate.
    if (isResponseLost || isDuplicate(findings)) refused.push({ transactionId, errors });
    else
      changes.push({ transactionId, to: 'submitFailed', cause: 'submit_rejected', correlationId, facts: { errors } });
  }
  const isAnyTaken = outcome.accepted.length > 0;
  return {
    state: isAnyTaken ? 'accepted' : 'settled',
    submissionUid: outcome.submissionUid,
    nextLookupAt: isAnyTaken ? new Date(now.getTime() + FIRST_POLL_SECONDS * 1_000) : null,
    failure: null,
    changes,
    refused,
  };
}

/** Halves the call until it contains only the refused document. */
function buildRefusedSettlement(
  members: readonly CallMember[],
  outcome: RefusedCall,
  { now, locations }: SettleContext,
): Settlement {
  const cause = 'submit_refused';
  const failure = `refused: ${outcome.errors[0]?.message ?? outcome.status}`;
  const [first] = members;
  const isRefusedAsDuplicate = members.length === 1 && isDuplicate(outcome.errors);
  const isLastRefusal = members.length === 1 && first.refusals + 1 >= REFUSALS_MAX;
  if (isLastRefusal || isRefusedAsDuplicate) {
    const { transactionId } = first;
    const errors = explainForDocument(outcome.errors, transactionId, locations);
    if (first.isResponseLost || isRefusedAsDuplicate) {
      return { ...NO_POLL, state: 'settled', failure, changes: [], refused: [{ transactionId, errors }] };
    }
    const change: StatusChange = { transactionId, to: 'submitFailed', cause, facts: { errors } };
    return { ...NO_POLL, state: 'failed', failure, changes: [change], refused: [] };
  }
  const changes = members.map(({ transactionId, refusals }): StatusChange => {
    if (members.length > 1) {
      const facts = { authoritySubmissionId: null, callSizeMax: Math.ceil(members.length / 2) };
      return { transactionId, to: 'queued', cause, facts };
    }
    const dueAt = new Date(now.getTime() + REFUSAL_PAUSE_MS);
    return {
      transactionId,
      to: 'queued',
      cause,
      facts: { authoritySubmissionId: null, refusals: refusals + 1, dueAt },
    };
  });
  return { ...NO_POLL, state: 'failed', failure, changes, refused: [] };
}

const NOT_APPOINTED: QueueWait = { code: 'not_appointed', seconds: 30, secondsMax: 3_600 };
const SUPPLIER_REFUSED: QueueWait = { code: 'supplier_refused', seconds: 30, secondsMax: 3_600 };

// Delays a tenant queue after a failure, because the call budget ignores the cost of the tenant's login.
const WAIT_BY_KIND: Readonly<Record<NotTaken['kind'], QueueWait>> = {
  forbidden: NOT_APPOINTED,
  'not-appointed': NOT_APPOINTED,
  unauthorized: NOT_APPOINTED,
  'supplier-refused': SUPPLIER_REFUSED,
  'client-refused': CLIENT_REFUSED,
  unavailable: { code: 'authority_unavailable', seconds: 0.5, secondsMax: 10 },
  throttled: { code: 'call_budget', seconds: 1, secondsMax: 60 },
};

function chooseWait(outcome: SubmitOutcome): QueueWait | null {
  if (!isNotTaken(outcome)) return null;
  const wait = WAIT_BY_KIND[outcome.kind];
  if (outcome.kind !== 'throttled') return wait;
  return { ...wait, seconds: outcome.retryAfterSeconds, secondsMax: outcome.retryAfterSeconds };
}

function isNotTaken(outcome: SubmitOutcome): outcome is NotTaken {
  return outcome.kind in WAIT_BY_KIND;
}

type RefusedCall = Extract<SubmitOutcome, { kind: 'refused' }>;
type NotTaken = LoginFailure | Forbidden | SupplierRefused | Unauthorized | Throttled | Unavailable;

function buildNotTakenSettlement(members: readonly CallMember[], outcome: NotTaken): Settlement {
  const changes = members.map(({ transactionId }): StatusChange => ({
    transactionId,
    to: 'queued',
    cause: `submit_${outcome.kind.replace('-', '_')}`,
    facts: { authoritySubmissionId: null },
  }));
  const reason = 'errors' in outcome ? `: ${outcome.errors[0]?.message ?? ''}` : '';
  return { ...NO_POLL, state: 'failed', failure: outcome.kind + reason, changes, refused: [] };
}

function buildUnknownSettlement(failure: string, context: SettleContext): Settlement {
  const nextLookupAt = computeFirstLookupAt(context);
  return { state: 'unknown', submissionUid: null, nextLookupAt, failure, changes: [], refused: [] };
}

function computeFirstLookupAt({ now, times }: Pick<SettleContext, 'now' | 'times'>): Date {
  return new Date(now.getTime() + times.reconcileGraceSeconds * 1_000);
}

/** Doubles the delay after each refusal, because the authority would probably refuse an unchanged call again. */
function buildResendSettlement(
  earlierSends: number,
  outcome: RefusedCall | NotTaken,
  context: SettleContext,
): Settlement {
  const unknown = buildUnknownSettlement(`resend: ${outcome.kind}`, context);
  if (!REFUSALS_OF_RESEND.has(outcome.kind)) return unknown;
  const pauseMs = computeResendPauseSeconds(earlierSends) * 1_000;
  return { ...unknown, resendAfter: new Date(context.now.getTime() + pauseMs) };
}

const REFUSALS_OF_RESEND: ReadonlySet<SubmitOutcome['kind']> = new Set([
  'refused',
  'forbidden',
  'unauthorized',
  'not-appointed',
  'supplier-refused',
]);

/** Continues lookups during the Retry-After period, because they may already find the documents. */
function buildDuplicateSettlement(
  { retryAfterSeconds }: Extract<SubmitOutcome, { kind: 'duplicate' }>,
  context: SettleContext,
): Settlement {
  const unknown = buildUnknownSettlement('the authority has had this very call before', context);
  const pauseSeconds = Math.min(retryAfterSeconds, RESEND_WINDOW_SECONDS);
  return { ...unknown, resendAfter: new Date(context.now.getTime() + pauseSeconds * 1_000) };
}

const NO_POLL = { submissionUid: null, nextLookupAt: null };
