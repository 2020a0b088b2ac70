import type { EntityManager } from 'typeorm';
import type { Supplier } from '../../documents/simplified-document.js';
import type { Environment } from '../../config/environment.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';

/** How far an organisation has come, other than its profile. */
export interface Progress {
  readonly hasSandboxKey: boolean;
  readonly hasSandboxDocument: boolean;
  readonly hasValidSandboxDocument: boolean;
}

// Each is answered by the first row that is found, through an index that begins with tenant and environment.
const readProgressSql = /* sql */ `
  SELECT EXISTS (SELECT FROM api_key
                  WHERE tenant_id = $1 AND environment = 'sandbox' AND revoked_at IS NULL
                    AND (expires_at IS NULL OR expires_at > service_now())) AS "hasSandboxKey",
         EXISTS (SELECT FROM document WHERE tenant_id = $1 AND environment = 'sandbox') AS "hasSandboxDocument",
         EXISTS (SELECT FROM document_transaction
                  WHERE tenant_id = $1 AND environment = 'sandbox' AND document_type = ANY ($2)
                    AND coalesce(authority_status, submission_status) = 'Valid') AS "hasValidSandboxDocument"`;

export async function readProgress(tx: EntityManager, tenantId: string): Promise<Progress> {
  const [row] = await tx.query<[Progress]>(readProgressSql, [tenantId, DOCUMENT_TYPES]);
  return row;
}

/** What the authority said when it was asked for a verdict. */
export interface StoredCheck {
  readonly environment: Environment;
  readonly onBehalfOf: string;
  readonly isAppointed: boolean;
  readonly authorityMessage: string | null;
  readonly checkedAt: Date;
}

const readChecksSql = /* sql */ `
  SELECT environment, on_behalf_of AS "onBehalfOf", is_appointed AS "isAppointed",
         authority_message AS "authorityMessage", checked_at AS "checkedAt"
    FROM appointment_check WHERE tenant_id = $1 AND on_behalf_of = $2`;

/** The last verdict of each environment, for this taxpayer. */
export function readChecks(tx: EntityManager, tenantId: string, onBehalfOf: string): Promise<StoredCheck[]> {
  return tx.query<StoredCheck[]>(readChecksSql, [tenantId, onBehalfOf]);
}

const storeCheckSql = /* sql */ `
  INSERT INTO appointment_check (tenant_id, environment, on_behalf_of, is_appointed, authority_message, checked_at,
                                 confirmed_tin, confirmed_id_type, confirmed_id_value)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (tenant_id, environment) DO UPDATE
     SET on_behalf_of = excluded.on_behalf_of, is_appointed = excluded.is_appointed,
         authority_message = excluded.authority_message, checked_at = excluded.checked_at,
         confirmed_tin = excluded.confirmed_tin, confirmed_id_type = excluded.confirmed_id_type,
         confirmed_id_value = excluded.confirmed_id_value`;

/** A verdict, and the TIN and id that the authority has confirmed by it; null when it does not know them together. */
export type NewCheck = StoredCheck & { readonly confirmed: Pick<Supplier, 'tin' | 'idType' | 'idValue'> | null };

export async function storeCheck(tx: EntityManager, tenantId: string, check: NewCheck): Promise<void> {
  const { environment, onBehalfOf, isAppointed, authorityMessage, checkedAt, confirmed } = check;
  const { tin = null, idType = null, idValue = null } = confirmed ?? {};
  const verdict = [onBehalfOf, isAppointed, authorityMessage, checkedAt];
  await tx.query(storeCheckSql, [tenantId, environment, ...verdict, tin, idType, idValue]);
}
