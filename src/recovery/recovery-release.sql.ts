import type { EntityManager } from 'typeorm';

// Makes all work due that was scheduled before the restore: polls, lookups, cancellations and waiting queues.
const MAKE_CALLS_DUE = /* sql */ `
  UPDATE authority_submission
     SET due_at = service_now(), polls = 0
   WHERE tenant_id = $1 AND (state = 'accepted' OR state = 'unknown' AND due_at IS NOT NULL)`;

const MAKE_CANCELLATIONS_DUE = /* sql */ `
  UPDATE document_cancellation SET due_at = service_now() WHERE tenant_id = $1 AND status IN ('Queued', 'Processing')`;

const MAKE_DOCUMENTS_DUE = /* sql */ `
  UPDATE document_transaction SET due_at = created_at
   WHERE tenant_id = $1 AND submission_status = 'Queued' AND due_at > created_at`;

const END_WAITS = /* sql */ `
  UPDATE tenant_queue
     SET failures = 0, waiting_until = NULL, waiting_since = NULL, waiting_code = NULL, floor_due_at = '-infinity'
   WHERE tenant_id = $1`;

const RELEASE = /* sql */ `
  INSERT INTO recovery_tenant (recovery_id, tenant_id, released_at) VALUES ($1, $2, service_now())
  ON CONFLICT (recovery_id, tenant_id) DO UPDATE SET released_at = excluded.released_at`;

const END_RECOVERY = /* sql */ `
  UPDATE recovery r SET ended_at = service_now()
   WHERE r.id = $1 AND r.ended_at IS NULL
     AND NOT EXISTS (SELECT FROM tenant o WHERE waits_for_recovery_since(o.tenant_id) IS NOT NULL)`;

// Serialises releases, so that the last one ends the recovery.
const LOCK_RECOVERY = /* sql */ `SELECT FROM recovery WHERE id = $1 FOR UPDATE`;

/** Releases a tenant so that dispatchers serve it again. The last release ends the recovery. */
export async function releaseTenant(tx: EntityManager, recoveryId: string, tenantId: string): Promise<void> {
  await tx.query(LOCK_RECOVERY, [recoveryId]);
  await tx.query(MAKE_CALLS_DUE, [tenantId]);
  await tx.query(MAKE_CANCELLATIONS_DUE, [tenantId]);
  await tx.query(MAKE_DOCUMENTS_DUE, [tenantId]);
  await tx.query(END_WAITS, [tenantId]);
  await tx.query(RELEASE, [recoveryId, tenantId]);
  await tx.query(END_RECOVERY, [recoveryId]);
}
