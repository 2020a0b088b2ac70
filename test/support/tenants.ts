import { v7 as uuidv7 } from 'uuid';
import { createApiKeyText, digestApiKey, describeApiKeyText } from '../../src/accounts/api-keys/api-key-text.js';
import type { Environment } from '../../src/config/environment.js';

export interface TestTenant {
  readonly tenantId: string;
  readonly apiKey: string;
}

export interface NewTenant {
  readonly credits?: number;
  readonly environment?: Environment;
  readonly profile?: Record<string, string | null>;
  /** Verifies the TIN in both environments. The default is true. */
  readonly isVerified?: boolean;
}

/** Connection of the owner of the tables: a DataSource of TypeORM or a client of pg. */
interface OwnerConnection {
  query(statement: string, parameters: unknown[]): Promise<unknown>;
}

let counter = 0;

/** Returns a valid TIN that no other tenant of the test has. */
function nextTin(): string {
  counter += 1;
  return `C${1_000_000 + (process.pid % 1000) * 1000 + counter}0`;
}

/** Inserts a tenant with a complete supplier profile, credits and a sandbox key. */
export async function insertTenant(owner: OwnerConnection, options: NewTenant = {}): Promise<TestTenant> {
  const tenantId = uuidv7();
  const profile: Record<string, unknown> = {
    tenant_id: tenantId,
    name: 'Kedai Contoh Sdn Bhd',
    tin: nextTin(),
    id_type: 'BRN',
    id_value: '201901234567',
    msic: '46510',
    activity: 'Wholesale of computer hardware, software and peripherals',
    address_line1: 'Lot 66',
    city: 'Kuala Lumpur',
    postcode: '50480',
    state_code: '14',
    country: 'MYS',
    phone: '+60312345678',
    email: 'akaun@kedai.example',
    created_at: new Date(),
    ...options.profile,
  };
  const names = Object.keys(profile);
  await owner.query(
    `INSERT INTO tenant (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(profile),
  );
  if (options.isVerified ?? true) await verify(owner, tenantId);
  await grant(owner, tenantId, options.credits ?? 1_000);
  return { tenantId, apiKey: await insertKey(owner, tenantId, options.environment) };
}

/** Verifies the TIN of a tenant's profile. The TIN is shared if another tenant already has it. */
export async function verify(owner: OwnerConnection, tenantId: string): Promise<void> {
  await owner.query(
    `INSERT INTO taxpayer_verification
       (tenant_id, environment, tin, id_type, id_value, status, is_shared, decided_by, updated_at)
     SELECT t.tenant_id, e.environment, t.tin, t.id_type, t.id_value, 'verified',
            EXISTS (SELECT FROM taxpayer_verification v
                     WHERE v.environment = e.environment AND v.tin = t.tin AND v.tenant_id <> t.tenant_id),
            'test', service_now()
       FROM tenant t CROSS JOIN unnest(ARRAY['sandbox', 'production']) AS e (environment)
      WHERE t.tenant_id = $1 AND t.tin IS NOT NULL AND t.id_type IS NOT NULL AND t.id_value IS NOT NULL
     ON CONFLICT DO NOTHING`,
    [tenantId],
  );
}

export async function insertKey(
  owner: OwnerConnection,
  tenantId: string,
  environment: Environment = 'sandbox',
): Promise<string> {
  const apiKey = createApiKeyText(environment);
  const { prefix, lastFour } = describeApiKeyText(apiKey);
  await owner.query(
    `INSERT INTO api_key (tenant_id, id, environment, name, prefix, last_four, digest, created_at)
     VALUES ($1, $2, $3, 'test', $4, $5, $6, service_now())`,
    [tenantId, uuidv7(), environment, prefix, lastFour, digestApiKey(apiKey)],
  );
  return apiKey;
}

async function grant(owner: OwnerConnection, tenantId: string, credits: number): Promise<void> {
  await owner.query('INSERT INTO credit_account (tenant_id, balance, entry_sequence) VALUES ($1, $2, $3)', [
    tenantId,
    credits,
    credits > 0 ? 1 : 0,
  ]);
  if (credits === 0) return;
  const lot = uuidv7();
  await owner.query(
    `INSERT INTO credit_lot (tenant_id, id, granted, remaining, expires_at, created_at)
     VALUES ($1, $2, $3, $3, service_now() + interval '1 year', service_now())`,
    [tenantId, lot, credits],
  );
  await owner.query(
    `INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, cause_id, created_at)
     VALUES ($1, 1, 'grant', $2, $2, $3, service_now())`,
    [tenantId, credits, lot],
  );
}
