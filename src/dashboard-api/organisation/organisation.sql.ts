import type { OnboardingDto } from './dto/organisation.dto.js';
import type { EntityManager } from 'typeorm';
import type { Supplier } from '../../documents/simplified-document.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { AppointmentCheck } from '../../entities/appointment-check.entity.js';

/** How far an organisation has come, other than its profile. */
export type Progress = Pick<OnboardingDto, 'hasSandboxKey' | 'hasSandboxDocument' | 'hasValidSandboxDocument'>;

// Each is answered by the first row that is found, through an index that begins with tenant and environment.
const READ_PROGRESS = /* sql */ `
  SELECT EXISTS (SELECT FROM api_key
                  WHERE tenant_id = $1 AND environment = 'sandbox' AND revoked_at IS NULL
                    AND (expires_at IS NULL OR expires_at > service_now())) AS "hasSandboxKey",
         EXISTS (SELECT FROM document WHERE tenant_id = $1 AND environment = 'sandbox') AS "hasSandboxDocument",
         EXISTS (SELECT FROM document_transaction
                  WHERE tenant_id = $1 AND environment = 'sandbox' AND document_type = ANY ($2)
                    AND coalesce(authority_status, submission_status) = 'Valid') AS "hasValidSandboxDocument"`;

export async function readProgress(tx: EntityManager, tenantId: string): Promise<Progress> {
  const [row] = await tx.query<[Progress]>(READ_PROGRESS, [tenantId, DOCUMENT_TYPES]);
  return row;
}

/** The authority's last verdict. */
export type StoredCheck = Pick<
  AppointmentCheck,
  'environment' | 'onBehalfOf' | 'isAppointed' | 'authorityMessage' | 'checkedAt'
>;

/** The last verdict of each environment, for this taxpayer. */
export function readChecks(tx: EntityManager, tenantId: string, onBehalfOf: string): Promise<StoredCheck[]> {
  return tx.findBy(AppointmentCheck, { tenantId, onBehalfOf });
}

/** A verdict, and the TIN and id that the authority has confirmed by it; null when it does not know them together. */
export type NewCheck = StoredCheck & { readonly confirmed: Pick<Supplier, 'tin' | 'idType' | 'idValue'> | null };

export async function storeCheck(
  tx: EntityManager,
  tenantId: string,
  { confirmed, ...verdict }: NewCheck,
): Promise<void> {
  const { tin = null, idType = null, idValue = null } = confirmed ?? {};
  const identity = { confirmedTin: tin, confirmedIdType: idType, confirmedIdValue: idValue };
  await tx.upsert(AppointmentCheck, { tenantId, ...verdict, ...identity }, ['tenantId', 'environment']);
}
