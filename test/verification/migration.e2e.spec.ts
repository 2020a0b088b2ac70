import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { TaxpayerVerification1796000000200 } from '../../src/database/migrations/1796000000200-taxpayer-verification.js';
import { insertTenant } from '../support/tenants.js';
import { startFileDatabase } from '../database/file-database.js';

// What an update makes of the organisations that are there.

const { owner } = await startFileDatabase();
await undo();

/** Back to the schema before the migration, as far as it has changed that. */
async function undo(): Promise<void> {
  for (const statement of [
    'DROP TRIGGER tenant_end_verification ON tenant',
    'DROP FUNCTION end_verification, request_verification, decide_verification, is_tin_verified_elsewhere',
    'DROP POLICY operator ON appointment_check',
    `ALTER TABLE appointment_check DROP COLUMN confirmed_tin, DROP COLUMN confirmed_id_type,
       DROP COLUMN confirmed_id_value`,
    'DROP INDEX ix_tenant_tin',
    'DROP TABLE taxpayer_verification',
  ]) {
    await owner.query(statement);
  }
}

let hour = 0;

/** An organisation of before the update, with what has happened to it, in order. */
async function earlier(tin: string, ...happened: ('signed up' | 'changed its TIN' | 'sandbox' | 'production')[]) {
  const { tenantId } = await insertTenant(owner, { isVerified: false, credits: 0, profile: { tin } });
  for (const what of happened) {
    hour += 1;
    const at = new Date(Date.UTC(2026, 0, 1, hour));
    if (what === 'signed up') await audit(tenantId, 'organisation.created', {}, at);
    else if (what === 'changed its TIN') {
      await audit(tenantId, 'organisation.profile_changed', { changes: { tin: { from: null, to: tin } } }, at);
    } else await validDocument(tenantId, what, at);
  }
  return tenantId;
}

function audit(tenantId: string, action: string, details: object, at: Date): Promise<unknown> {
  return owner.query(
    `INSERT INTO audit_entry (tenant_id, id, at, actor, action, subject, details)
     VALUES ($1, $2, $3, 'a@kedai.example', $4, 'Kedai', $5)`,
    [tenantId, randomUUID(), at, action, JSON.stringify(details)],
  );
}

async function validDocument(tenantId: string, environment: string, at: Date): Promise<void> {
  const [batchId, documentId, transactionId] = [randomUUID(), randomUUID(), randomUUID()];
  await owner.query(
    `INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, created_at)
     VALUES ($1, $2, $3, 'consolidated', 1, $4)`,
    [tenantId, batchId, environment, at],
  );
  await owner.query(
    `INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
     VALUES ($1, $2, $3, 'invoice', $2::uuid::text, $4, 1, $5)`,
    [tenantId, documentId, environment, transactionId, at],
  );
  await owner.query(
    `INSERT INTO document_transaction
       (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
        payload, totals, buyer_tin, on_behalf_of, submission_status, authority_status, wire_bytes_max, due_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, 0, 1, 'invoice', $4::uuid::text, '{}', '{}', 'EI00000000010', 'C1', 'Submitted', 'Valid',
             1, $6, $6, $6)`,
    [tenantId, transactionId, environment, documentId, batchId, at],
  );
}

/** ENVIRONMENT STATUS, and whether the TIN is shared. */
async function listVerifications(tenantId: string): Promise<string[]> {
  const rows = await owner.query<{ standing: string }[]>(
    `SELECT environment || ' ' || status || CASE WHEN is_shared THEN ' shared' ELSE '' END AS standing
       FROM taxpayer_verification WHERE tenant_id = $1 ORDER BY environment`,
    [tenantId],
  );
  return rows.map(({ standing }) => standing);
}

describe('the migration', () => {
  let byCommand: string;
  let proven: string;
  let unproven: string;
  let renamed: string;
  let twins: string[];
  let bare: string;

  beforeAll(async () => {
    byCommand = await earlier('C11111111110');
    proven = await earlier('C22222222220', 'signed up', 'changed its TIN', 'sandbox');
    unproven = await earlier('C33333333330', 'signed up', 'changed its TIN');
    renamed = await earlier('C44444444440', 'signed up', 'changed its TIN', 'production', 'changed its TIN');
    twins = [
      await earlier('C55555555550', 'signed up', 'changed its TIN', 'production'),
      await earlier('C55555555550', 'signed up', 'changed its TIN', 'production'),
    ];
    ({ tenantId: bare } = await insertTenant(owner, { isVerified: false, profile: { tin: null } }));
    const runner = owner.createQueryRunner();
    await runner.startTransaction();
    await new TaxpayerVerification1796000000200().up(runner);
    await runner.commitTransaction();
    await runner.release();
  });

  it('verifies those that a command made, in both environments, when they have a TIN', async () => {
    expect(await listVerifications(byCommand)).toEqual(['production verified', 'sandbox verified']);
    expect(await listVerifications(bare)).toEqual([]);
  });

  it('verifies those that signed up where they have a Valid document, and leaves others unverified', async () => {
    expect(await listVerifications(proven)).toEqual(['sandbox verified']);
    expect(await listVerifications(unproven)).toEqual([]);
  });

  it('does not take a Valid document of an earlier TIN for a proof of the present one', async () => {
    expect(await listVerifications(renamed)).toEqual([]);
  });

  it('marks several with one TIN as shared, and writes every decision into the audit log', async () => {
    for (const twin of twins) expect(await listVerifications(twin)).toEqual(['production verified shared']);
    const entries = await owner.query<{ tenant_id: string; details: object }[]>(
      `SELECT tenant_id, details FROM audit_entry
        WHERE action = 'verification.verified' AND actor = 'migration' AND subject = 'C55555555550' ORDER BY tenant_id`,
    );
    expect(entries).toEqual(
      twins.toSorted().map((tenant_id) => ({
        tenant_id,
        details: { environment: 'production', idType: 'BRN', idValue: '201901234567', isShared: true },
      })),
    );
  });
});
