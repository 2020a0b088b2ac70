import type { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { createApiKeyText, digestApiKey, describeApiKeyText } from '../../src/accounts/api-keys/api-key-text.js';

/** Several tenants, because concurrent requests of one tenant wait for its credit account. */
const TENANTS = 8;

/** More credits than a run can spend, but within the limit of a balance. */
const CREDITS = 1_000_000_000;

export interface BenchTenant {
  readonly tenantId: string;
  readonly apiKey: string;
}

/** Creates tenants with a complete profile, credits and a sandbox key. */
export async function createTenants(superuser: Client): Promise<BenchTenant[]> {
  const tenants: BenchTenant[] = [];
  for (let number = 1; number <= TENANTS; number += 1) tenants.push(await createTenant(superuser, number));
  return tenants;
}

async function createTenant(superuser: Client, number: number): Promise<BenchTenant> {
  const tenantId = uuidv7();
  const apiKey = createApiKeyText('sandbox');
  const { prefix, lastFour } = describeApiKeyText(apiKey);
  const lotId = uuidv7();
  await superuser.query(
    `INSERT INTO tenant (tenant_id, name, tin, id_type, id_value, msic, activity, address_line1, city, postcode,
                         state_code, country, phone, email, created_at)
     VALUES ($1, $2, $3, 'BRN', '201901234567', '46510', 'Wholesale of computer hardware, software and peripherals',
             'Lot 66', 'Kuala Lumpur', '50480', '14', 'MYS', '+60312345678', 'akaun@kedai.example', now())`,
    [tenantId, `Kedai Contoh ${number} Sdn Bhd`, `C${100_000_000 + number}0`],
  );
  await superuser.query(
    `INSERT INTO taxpayer_verification
       (tenant_id, environment, tin, id_type, id_value, status, decided_by, updated_at)
     SELECT tenant_id, 'sandbox', tin, id_type, id_value, 'verified', 'bench', now() FROM tenant WHERE tenant_id = $1`,
    [tenantId],
  );
  await superuser.query(
    `INSERT INTO api_key (tenant_id, id, environment, name, prefix, last_four, digest, created_at)
     VALUES ($1, $2, 'sandbox', 'bench', $3, $4, $5, now())`,
    [tenantId, uuidv7(), prefix, lastFour, digestApiKey(apiKey)],
  );
  await superuser.query(`INSERT INTO credit_account VALUES ($1, $2, 1)`, [tenantId, CREDITS]);
  await superuser.query(
    `INSERT INTO credit_lot (tenant_id, id, granted, remaining, expires_at, created_at)
     VALUES ($1, $2, $3, $3, now() + interval '1 year', now())`,
    [tenantId, lotId, CREDITS],
  );
  await superuser.query(
    `INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, cause_id, created_at)
     VALUES ($1, 1, 'grant', $2, $2, $3, now())`,
    [tenantId, CREDITS, lotId],
  );
  await superuser.query(
    `INSERT INTO tenant_queue (tenant_id, environment, operation, served_at) VALUES ($1, 'sandbox', 'submit', now())`,
    [tenantId],
  );
  return { tenantId, apiKey };
}
