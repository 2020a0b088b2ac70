import type { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { createApiKeyText, digestOf, displayOf } from '../../../src/auth/api-key-text.js';

export interface ChaosTenant {
  readonly tenantId: string;
  readonly apiKey: string;
  readonly tin: string;
}

/** A tenant with a complete profile, a sandbox key and so many credits. */
export async function createTenant(owner: Client, number: number, credits: number): Promise<ChaosTenant> {
  const tenantId = uuidv7();
  const tin = `C${200_000_000 + number}0`;
  const apiKey = createApiKeyText('sandbox');
  const { prefix, lastFour } = displayOf(apiKey);
  await owner.query(
    `INSERT INTO tenant (tenant_id, name, tin, id_type, id_value, msic, activity, address_line1, city, postcode,
                         state_code, country, phone, email, created_at)
     VALUES ($1, $2, $3, 'BRN', '201901234567', '46510', 'Wholesale of computer hardware', 'Lot 66', 'Kuala Lumpur',
             '50480', '14', 'MYS', '+60312345678', 'akaun@kedai.example', now())`,
    [tenantId, `Kedai Contoh ${number} Sdn Bhd`, tin],
  );
  await owner.query(
    `INSERT INTO api_key (tenant_id, id, environment, name, prefix, last_four, digest, created_at)
     VALUES ($1, $2, 'sandbox', 'chaos', $3, $4, $5, now())`,
    [tenantId, uuidv7(), prefix, lastFour, digestOf(apiKey)],
  );
  const lotId = uuidv7();
  await owner.query(`INSERT INTO credit_account (tenant_id, balance, entry_sequence) VALUES ($1, $2, 1)`, [
    tenantId,
    credits,
  ]);
  await owner.query(
    `INSERT INTO credit_lot (tenant_id, id, granted, remaining, expires_at, created_at)
     VALUES ($1, $2, $3, $3, now() + interval '1 year', now())`,
    [tenantId, lotId, credits],
  );
  await owner.query(
    `INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, cause_id, created_at)
     VALUES ($1, 1, 'grant', $2, $2, $3, now())`,
    [tenantId, credits, lotId],
  );
  return { tenantId, apiKey, tin };
}
