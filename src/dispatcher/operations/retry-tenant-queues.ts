import type { EntityManager } from 'typeorm';
import { type Actor, appendAudit } from '../../accounts/audit.js';
import type { Environment } from '../../config/environment.js';

export interface RetriedTenantQueue {
  readonly environment: Environment;
  readonly reason: string;
}

const END_WAITING = /* sql */ `
  UPDATE tenant_queue q SET failures = 0, waiting_until = NULL, waiting_since = NULL, waiting_code = NULL
    FROM (SELECT tenant_id, environment, operation, waiting_code FROM tenant_queue
           WHERE tenant_id = $1 AND waiting_code IS NOT NULL FOR UPDATE) was
   WHERE (q.tenant_id, q.environment, q.operation) = (was.tenant_id, was.environment, was.operation)
  RETURNING q.environment, was.waiting_code AS reason`;

// Removes the pause after a refused login, which is stored as a lease without an owner.
const CLEAR_REFUSAL = /* sql */ `
  UPDATE authority_token SET login_until = NULL WHERE tenant_id = $1 AND login_owner IS NULL`;

const REQUEUE = /* sql */ `
  UPDATE document_transaction SET due_at = created_at
   WHERE tenant_id = $1 AND submission_status = 'Queued' AND refusals = 0 AND due_at > service_now()`;

/** Ends the waits of a tenant's queues, for example after it has appointed the intermediary again. */
export async function retryTenantQueues(
  tx: EntityManager,
  tenant: { tenantId: string; name: string },
  actor: Actor,
): Promise<RetriedTenantQueue[]> {
  const { tenantId, name } = tenant;
  await tx.query(CLEAR_REFUSAL, [tenantId]);
  await tx.query(REQUEUE, [tenantId]);
  const [retried] = await tx.query<[RetriedTenantQueue[], number]>(END_WAITING, [tenantId]);
  if (retried.length > 0) {
    await appendAudit(tx, actor, { tenantId, action: 'tenant_queues.retried', subject: name, details: { retried } });
  }
  return retried;
}
