import type { EntityManager } from 'typeorm';
import { type Actor, appendAudit } from '../audit/audit.js';
import { OperatorError } from '../errors/operator-error.js';
import type { Environment } from '../config/environment.js';
import { FIND_UUID_CONFLICTS, type UuidConflict } from '../database/migrations/uuid-conflicts.js';
import type { DocumentError } from '../documents/error-catalogue.js';

// All of this works on the first schema too: conflicts are settled before the migration that rules them out.

/** Every attempt that holds a uuid of the authority together with another. */
export function readUuidConflicts(manager: EntityManager): Promise<UuidConflict[]> {
  return manager.query<UuidConflict[]>(FIND_UUID_CONFLICTS);
}

const UUID_TAKEN_AWAY: DocumentError = {
  code: 'uuid_of_another_document',
  message: "An operator found that the tax authority's document shown for this one belongs to another document",
  pointer: null,
  hint: "Look for the document in the authority's portal; if it is missing, submit it again",
  authorityCode: null,
  authorityMessage: null,
};

const LOCK = /* sql */ `
  SELECT tenant_id AS "tenantId", id AS "transactionId", document_type AS "documentType", reference_id AS "referenceId"
    FROM document_transaction WHERE authority_uuid = $1 AND environment = $2 ORDER BY id FOR UPDATE`;

const TAKE_AWAY = /* sql */ `
  WITH before AS MATERIALIZED (
    SELECT tenant_id, id, lower(authority_status) AS state FROM document_transaction WHERE id = ANY ($1::uuid[])),
  changed AS (
    UPDATE document_transaction t
       SET submission_status = 'Submitted', authority_status = 'Invalid', authority_uuid = NULL, authority_long_id = NULL,
           validated_at = NULL, cancelled_at = NULL, rejection_requested_at = NULL, errors = $2::jsonb,
           version = t.version + 1, updated_at = service_now()
      FROM before b WHERE t.tenant_id = b.tenant_id AND t.id = b.id
    RETURNING t.tenant_id, t.id, t.version, t.updated_at, b.state),
  cancellations AS (
    UPDATE document_cancellation c SET status = 'Failed', errors = $2::jsonb, owner = NULL, updated_at = service_now()
      FROM before b
     WHERE c.tenant_id = b.tenant_id AND c.transaction_id = b.id AND c.status IN ('Queued', 'Processing'))
  INSERT INTO status_event (tenant_id, transaction_id, version, at, from_state, to_state, cause)
  SELECT tenant_id, id, version, updated_at, state, 'invalid', 'operator_uuid_conflict' FROM changed WHERE state <> 'invalid'`;

type UuidOwner = Pick<UuidConflict, 'tenantId' | 'transactionId' | 'documentType' | 'referenceId'>;

/** Whose a uuid is from now on, and who lost it. */
export interface SettledConflict {
  readonly authorityUuid: string;
  readonly kept: UuidOwner;
  readonly lost: readonly UuidOwner[];
}

/**
 * Leaves a uuid to one of the attempts that hold it; the others become `Invalid` with that reason, so that they can be
 * submitted again. Runs in the owner's role.
 * @throws OperatorError when the uuid is not held by several, or not by the attempt that is to keep it
 */
export async function settleUuidConflict(
  tx: EntityManager,
  { authorityUuid, environment, keep }: { authorityUuid: string; environment: Environment; keep: string },
  actor: Actor,
): Promise<SettledConflict> {
  const owners = await tx.query<UuidOwner[]>(LOCK, [authorityUuid, environment]);
  const kept = owners.find(({ transactionId }) => transactionId === keep);
  if (owners.length < 2) {
    throw new OperatorError(
      `${authorityUuid} is held by ${owners.length === 0 ? 'no attempt' : 'one attempt only'} of ${environment}`,
    );
  }
  if (kept === undefined) {
    const ids = owners.map(({ transactionId }) => transactionId).join(', ');
    throw new OperatorError(`--keep must be one of the transactions that hold ${authorityUuid}: ${ids}`);
  }
  const lost = owners.filter((owner) => owner !== kept);
  await tx.query(TAKE_AWAY, [lost.map(({ transactionId }) => transactionId), JSON.stringify([UUID_TAKEN_AWAY])]);
  for (const { tenantId, documentType, referenceId } of lost) {
    const details = { environment, documentType, referenceId, authorityUuid };
    await appendAudit(tx, actor, { tenantId, action: 'uuid.taken_away', subject: referenceId, details });
  }
  return { authorityUuid, kept, lost };
}
