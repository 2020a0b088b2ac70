import type { EntityManager } from 'typeorm';
import { type Actor, appendAudit } from '../../accounts/audit.js';
import type { Environment } from '../../config/environment.js';
import type { Tenant } from '../../entities/tenant.entity.js';
import { listMissing } from '../supplier.js';
import { requestVerification, type StoredVerification } from './verification.sql.js';

const AUTOMATIC_ACTOR: Actor = { userId: null, email: 'automatic verification', ip: null };

/** Requests the verification of a complete profile in the given environments. */
export async function requestVerifications(
  tx: EntityManager,
  tenant: Tenant,
  environments: readonly Environment[],
): Promise<void> {
  if (listMissing(tenant).length > 0) return;
  const { tenantId, tin, idType, idValue } = tenant;
  for (const environment of environments) {
    const status = await requestVerification(tx, environment);
    if (status === null) continue;
    const details = { environment, idType, idValue, isShared: false };
    await appendAudit(tx, AUTOMATIC_ACTOR, {
      tenantId,
      action: `verification.${status}`,
      subject: String(tin),
      details,
    });
  }
}

/** Records which verifications a new TIN or id has ended. */
export async function recordEnded(
  tx: EntityManager,
  {
    tenant: { tenantId, tin },
    verifications,
    actor,
  }: { tenant: Tenant; verifications: readonly StoredVerification[]; actor: Actor },
): Promise<void> {
  for (const { environment, status } of verifications) {
    if (status !== 'verified' && status !== 'waiting') continue;
    const details = { environment, status };
    await appendAudit(tx, actor, { tenantId, action: 'verification.ended', subject: String(tin), details });
  }
}
