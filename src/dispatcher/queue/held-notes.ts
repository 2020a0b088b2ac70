import type { EntityManager } from 'typeorm';
import type { DocumentError } from '../../documents/error-catalogue.js';
import {
  type AttemptState,
  getAttemptState,
  type AuthorityStatus,
  type SubmissionStatus,
} from '../../documents/statuses.js';
import { changeStatuses, type StatusChange } from './status-changes.js';

interface DecidedNote {
  readonly tenantId: string;
  readonly transactionId: string;
  readonly position: number;
  readonly referenceId: string;
  readonly submissionStatus: SubmissionStatus;
  readonly authorityStatus: AuthorityStatus | null;
  readonly authorityUuid: string | null;
}

const NOTES_AT_ONCE = 500;

// Excludes notes whose valid parent has a doubtful uuid, which may belong to another organisation. $1 is a tenant, or
// null for all tenants. Locks rows in id order, like all changes of transactions, to avoid deadlocks.
const FIND_DECIDED = /* sql */ `
  SELECT n.tenant_id AS "tenantId", n.id AS "transactionId", n.position, n.parent_reference_id AS "referenceId",
         p.submission_status AS "submissionStatus", p.authority_status AS "authorityStatus",
         p.authority_uuid AS "authorityUuid"
    FROM document_transaction n
    JOIN document d ON d.tenant_id = n.tenant_id AND d.environment = n.environment
     AND d.document_type = n.parent_type AND d.reference_id = n.parent_reference_id
    JOIN document_transaction p ON p.tenant_id = d.tenant_id AND p.id = d.transaction_id
   WHERE n.submission_status = 'Queued' AND n.held_until IS NOT NULL
     AND ($1::uuid IS NULL OR n.tenant_id = $1)
     AND (p.authority_status IN ('Valid', 'Invalid', 'Cancelled') OR p.submission_status = 'SubmitFailed'
          OR n.held_until <= $2)
     AND (p.authority_status IS DISTINCT FROM 'Valid' OR p.uuid_confirmed)
   ORDER BY n.tenant_id, n.id LIMIT ${NOTES_AT_ONCE} FOR UPDATE OF n SKIP LOCKED`;

const RELEASE = /* sql */ `
  UPDATE document_transaction t
     SET parent_authority_uuid = r.authority_uuid, held_until = NULL, due_at = $1, version = t.version + 1,
         updated_at = $1
    FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS r (tenant_id, id, authority_uuid)
   WHERE t.tenant_id = r.tenant_id AND t.id = r.id AND t.submission_status = 'Queued' AND t.held_until IS NOT NULL`;

/**
 * Queues held credit notes whose parent is valid. Fails them if the parent has another outcome or seven days pass
 * (docs/rules.md#credit-notes). Returns the number of decided notes.
 */
export async function decideHeldNotes(
  tx: EntityManager,
  { tenantId, now }: { tenantId: string | null; now: Date },
): Promise<number> {
  const notes = await tx.query<DecidedNote[]>(FIND_DECIDED, [tenantId, now]);
  const released = notes.filter((note) => getAttemptState(note) === 'valid');
  if (released.length > 0) {
    await tx.query(RELEASE, [
      now,
      released.map((note) => note.tenantId),
      released.map(({ transactionId }) => transactionId),
      released.map(({ authorityUuid }) => authorityUuid),
    ]);
  }
  const failed = notes.filter((note) => getAttemptState(note) !== 'valid');
  for (const owner of new Set(failed.map((note) => note.tenantId))) {
    const ofTenant = failed.filter((note) => note.tenantId === owner);
    await changeStatuses(tx, { tenantId: owner, now }, ofTenant.map(buildFailure));
  }
  return notes.length;
}

function buildFailure(note: DecidedNote): StatusChange {
  const state = getAttemptState(note);
  return {
    transactionId: note.transactionId,
    to: 'submitFailed',
    cause: ENDED[state] === undefined ? 'hold_expired' : 'parent_ended',
    facts: { errors: [buildError(note, ENDED[state])] },
  };
}

const ENDED: Partial<Record<AttemptState, string>> = {
  invalid: 'Invalid',
  cancelled: 'Cancelled',
  submitFailed: 'SubmitFailed',
};

function buildError({ position, referenceId }: DecidedNote, ended: string | undefined): DocumentError {
  const message =
    ended === undefined
      ? `Invoice ${referenceId}, which this credit note refers to, did not become Valid within seven days`
      : `Invoice ${referenceId}, which this credit note refers to, ended ${ended}`;
  return {
    code: ended === undefined ? 'parent_hold_expired' : 'parent_not_valid',
    message,
    pointer: `/documents/${position}/relatedInvoice/referenceId`,
    hint: 'Submit the invoice again. When it is Valid, submit this credit note again',
    authorityCode: null,
    authorityMessage: null,
  };
}
