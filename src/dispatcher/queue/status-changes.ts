import type { EntityManager } from 'typeorm';
import {
  type AttemptState,
  type AuthorityStatus,
  getAttemptStatus,
  listStatesBefore,
  type SubmissionStatus,
} from '../../documents/statuses.js';
import { resetFloor } from './tenant-queues.js';
import { buildWithoutReasonSql } from './without-reason.js';

/** A status change of an attempt. Absent facts keep their values. */
export interface StatusChange {
  readonly transactionId: string;
  readonly to: AttemptState;
  /** The cause in the history, such as `submit_accepted` or `poll`. */
  readonly cause: string;
  readonly correlationId?: string | null;
  readonly facts?: AttemptFacts;
}

export interface AttemptFacts {
  readonly authoritySubmissionId?: string | null;
  readonly authorityUuid?: string;
  readonly uuidConfirmed?: boolean;
  readonly authorityLongId?: string | null;
  readonly errors?: readonly object[];
  readonly callSizeMax?: number;
  readonly refusals?: number;
  readonly dueAt?: Date;
  readonly issuedAt?: Date;
  readonly submittedAt?: Date;
  readonly validatedAt?: Date | null;
  readonly cancelledAt?: Date | null;
  readonly rejectionRequestedAt?: Date | null;
}

interface Move {
  readonly to_state: AttemptState;
  readonly from_states: readonly AttemptState[];
  readonly submission_status: SubmissionStatus;
  readonly authority_status: AuthorityStatus | null;
}

function buildMove(state: AttemptState): Move {
  const { submissionStatus, authorityStatus } = getAttemptStatus(state);
  return {
    to_state: state,
    from_states: listStatesBefore(state),
    submission_status: submissionStatus,
    authority_status: authorityStatus,
  };
}

// Finds rows by a list of ids, because a join could read all rows of the tenant. Locks them in id order. The WHERE
// clause checks the state under the lock and skips attempts in any other state. If the state stays the same, the
// statement only writes values that differ.
const CHANGE = /* sql */ `
  WITH change AS MATERIALIZED (
    SELECT transaction_id, from_states, to_state, submission_status, authority_status, cause, correlation_id, facts
      FROM jsonb_to_recordset($3::jsonb) AS c (
      transaction_id uuid, from_states text[], to_state text, submission_status text, authority_status text,
      cause text, correlation_id text, facts jsonb)),
  before AS MATERIALIZED (
    SELECT t.id, t.version,
           coalesce(lower(t.authority_status), lower(left(t.submission_status, 1)) || substr(t.submission_status, 2))
             AS state
      FROM document_transaction t
     WHERE t.tenant_id = $1 AND t.id = ANY ($4::uuid[]) ORDER BY t.id FOR UPDATE),
  changed AS (
    UPDATE document_transaction t
       SET submission_status = c.submission_status,
           authority_status = c.authority_status,
           authority_submission_id = CASE WHEN c.facts ? 'authoritySubmissionId'
             THEN (c.facts->>'authoritySubmissionId')::uuid ELSE t.authority_submission_id END,
           authority_uuid = coalesce(c.facts->>'authorityUuid', t.authority_uuid),
           uuid_confirmed = coalesce((c.facts->>'uuidConfirmed')::boolean, t.uuid_confirmed),
           authority_long_id = coalesce(c.facts->>'authorityLongId', t.authority_long_id),
           errors = coalesce(c.facts->'errors', t.errors),
           call_size_max = coalesce((c.facts->>'callSizeMax')::integer, t.call_size_max),
           refusals = coalesce((c.facts->>'refusals')::integer, t.refusals),
           due_at = coalesce((c.facts->>'dueAt')::timestamptz, t.due_at),
           issued_at = coalesce((c.facts->>'issuedAt')::timestamptz, t.issued_at),
           submitted_at = coalesce((c.facts->>'submittedAt')::timestamptz, t.submitted_at),
           validated_at = coalesce((c.facts->>'validatedAt')::timestamptz, t.validated_at),
           cancelled_at = coalesce((c.facts->>'cancelledAt')::timestamptz, t.cancelled_at),
           rejection_requested_at = coalesce((c.facts->>'rejectionRequestedAt')::timestamptz, t.rejection_requested_at),
           version = b.version + 1,
           updated_at = $2
      FROM change c JOIN before b ON b.id = c.transaction_id
     WHERE t.tenant_id = $1 AND t.id = ANY ($4::uuid[]) AND t.id = b.id
       AND (b.state = ANY (c.from_states)
            OR (b.state = c.to_state AND (
                 ((c.facts->>'rejectionRequestedAt')::timestamptz <> coalesce(t.rejection_requested_at, 'infinity'))
                 OR ((c.facts->>'authorityLongId') IS NOT NULL AND t.authority_long_id IS NULL)
                 OR ((c.facts->>'validatedAt')::timestamptz <> coalesce(t.validated_at, 'infinity'))
                 OR ((c.facts->>'cancelledAt')::timestamptz <> coalesce(t.cancelled_at, 'infinity'))
                 OR ((c.facts->'errors') IS NOT NULL AND t.errors <> c.facts->'errors' AND ${buildWithoutReasonSql('t.errors')})
                 OR (c.facts ? 'uuidConfirmed' AND NOT t.uuid_confirmed)
                 OR ((c.facts->>'authorityUuid') IS NOT NULL
                     AND t.authority_uuid IS DISTINCT FROM c.facts->>'authorityUuid'))))
    RETURNING t.id, t.version, b.state AS from_state, c.to_state, c.cause, c.correlation_id),
  event AS (
    INSERT INTO status_event (tenant_id, transaction_id, version, at, from_state, to_state, cause, correlation_id)
    SELECT $1, id, version, $2, from_state, to_state, cause, correlation_id FROM changed WHERE from_state <> to_state)
  SELECT id FROM changed`;

/** Changes the status of attempts according to docs/rules.md#statuses. Returns the ids of the changed attempts. */
export async function changeStatuses(
  tx: EntityManager,
  { tenantId, now }: { tenantId: string; now: Date },
  changes: readonly StatusChange[],
): Promise<Set<string>> {
  if (changes.length === 0) return new Set();
  const rows = changes.map(({ transactionId, to, cause, correlationId = null, facts = {} }) => ({
    transaction_id: transactionId,
    ...buildMove(to),
    cause,
    correlation_id: correlationId,
    facts,
  }));
  const changed = await tx.query<{ id: string }[]>(CHANGE, [
    tenantId,
    now,
    JSON.stringify(rows),
    rows.map((row) => row.transaction_id),
  ]);
  if (changes.some(({ to }) => to === 'queued')) await resetFloor(tx, tenantId);
  return new Set(changed.map(({ id }) => id));
}
