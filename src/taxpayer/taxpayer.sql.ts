import type { EntityManager } from 'typeorm';
import type { Caller } from '../database/in-tenant.js';
import type { IdType } from '../documents/identity.js';
import type { TaxpayerId } from './tin-question.js';

export interface Verdict {
  readonly valid: boolean;
  readonly checkedAt: Date;
}

// Ids are UUIDv7, so the greatest id is the latest. Consolidated documents have no recipient.
const LATEST_BUYER_ID = /* sql */ `
  SELECT payload->'recipient'->>'idType' AS "idType", payload->'recipient'->>'idValue' AS "idValue"
    FROM document_transaction
   WHERE tenant_id = $1 AND environment = $2 AND buyer_tin = $3 AND payload->'recipient'->>'idValue' IS NOT NULL
   ORDER BY id DESC LIMIT 1`;

// If the clock was set back, a verdict from the future would be kept too long.
const STORED_VERDICT = /* sql */ `
  SELECT valid, checked_at AS "checkedAt" FROM taxpayer_check
   WHERE tenant_id = $1 AND environment = $2 AND tin = $3 AND id_type = $4 AND id_value = $5
     AND expires_at > service_now() AND checked_at <= service_now()`;

// A missing pair may be registered at any time, so its verdict expires sooner (docs/rules.md#tin-check).
const SAVE_VERDICT = /* sql */ `
  WITH clock AS MATERIALIZED (SELECT date_trunc('milliseconds', service_now()) AS now)
  INSERT INTO taxpayer_check (tenant_id, environment, tin, id_type, id_value, valid, checked_at, expires_at)
  SELECT $1, $2, $3, $4, $5, $6, now, now + CASE WHEN $6 THEN interval '24 hours' ELSE interval '5 minutes' END
    FROM clock
  ON CONFLICT (tenant_id, environment, tin, id_type, id_value) DO UPDATE
     SET valid = excluded.valid, checked_at = excluded.checked_at, expires_at = excluded.expires_at
  RETURNING valid, checked_at AS "checkedAt"`;

export async function findBuyerId(tx: EntityManager, caller: Caller, tin: string): Promise<TaxpayerId | null> {
  const parameters = [caller.tenantId, caller.environment, tin];
  const [row] = await tx.query<{ idType: IdType; idValue: string }[]>(LATEST_BUYER_ID, parameters);
  return row ?? null;
}

export async function findVerdict(
  tx: EntityManager,
  caller: Caller,
  { tin, idType, idValue }: TaxpayerId & { readonly tin: string },
): Promise<Verdict | null> {
  const parameters = [caller.tenantId, caller.environment, tin, idType, idValue];
  const [row] = await tx.query<Verdict[]>(STORED_VERDICT, parameters);
  return row ?? null;
}

export async function storeVerdict(
  tx: EntityManager,
  caller: Caller,
  { tin, idType, idValue, valid }: TaxpayerId & { readonly tin: string; readonly valid: boolean },
): Promise<Verdict> {
  const parameters = [caller.tenantId, caller.environment, tin, idType, idValue, valid];
  const [row] = await tx.query<[Verdict]>(SAVE_VERDICT, parameters);
  return row;
}
