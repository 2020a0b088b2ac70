import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { Actors1796000000700 } from '../../src/database/migrations/1796000000700-actors.js';
import { acceptDirectly } from '../credits/direct-calls.js';
import { insertKey, insertTenant } from '../support/tenants.js';
import { startFileDatabase } from './file-database.js';

// What an update makes of the keys and batches that are there, and of those that the build before goes on making.

const { database, owner } = await startFileDatabase();
await undo();

/** Back to the tables of before the migration; its functions are replaced by what they were. */
async function undo(): Promise<void> {
  for (const statement of [
    'DROP TRIGGER audit_entry_key_creator ON audit_entry',
    'DROP FUNCTION fill_key_creator',
    'ALTER TABLE submission_batch DROP COLUMN api_key_id, DROP COLUMN user_id',
    'ALTER TABLE document_cancellation DROP COLUMN api_key_id, DROP COLUMN user_id',
    'ALTER TABLE api_key DROP COLUMN created_by',
  ]) {
    await owner.query(statement);
  }
}

async function migrate(): Promise<void> {
  const runner = owner.createQueryRunner();
  await new Actors1796000000700().up(runner);
  await runner.release();
}

async function newUser(): Promise<string> {
  const id = uuidv7();
  await owner.query(
    `INSERT INTO user_account (id, email, name, password_hash, created_at) VALUES ($1, $2, 'A', '', service_now())`,
    [id, `${id}@kedai.example`],
  );
  return id;
}

/** A key as a build that does not know `created_by` makes it, with its entry in the audit log. */
async function keyBy(tenantId: string, userId: string | null, action: 'key.created' | 'key.rotated'): Promise<string> {
  const apiKey = await insertKey(owner, tenantId);
  const [{ id }] = await owner.query<{ id: string }[]>(
    `SELECT id FROM api_key WHERE digest = sha256(convert_to($1, 'UTF8'))`,
    [apiKey],
  );
  const details = action === 'key.created' ? { keyId: id } : { keyId: randomUUID(), newKeyId: id };
  await owner.query(
    `INSERT INTO audit_entry (tenant_id, id, at, user_id, actor, action, subject, details)
     VALUES ($1, $2, service_now(), $3, 'a@kedai.example', $4, 'ERP', $5)`,
    [tenantId, uuidv7(), userId, action, JSON.stringify(details)],
  );
  return id;
}

async function findCreator(keyId: string): Promise<string | null> {
  const [{ by }] = await owner.query<{ by: string | null }[]>('SELECT created_by AS by FROM api_key WHERE id = $1', [
    keyId,
  ]);
  return by;
}

describe('the migration', () => {
  it('learns from the audit log who made the keys, and runs again after it was interrupted', async () => {
    const { tenantId } = await insertTenant(owner);
    const userId = await newUser();
    const [created, rotated] = [
      await keyBy(tenantId, userId, 'key.created'),
      await keyBy(tenantId, userId, 'key.rotated'),
    ];
    const byCommand = await keyBy(tenantId, null, 'key.created');
    await migrate();
    await migrate();
    expect([await findCreator(created), await findCreator(rotated)]).toEqual([userId, userId]);
    expect(await findCreator(byCommand)).toBeNull();
  });

  it('keeps the build before at work: its keys get who made them, its batches are of nobody known', async () => {
    const { tenantId } = await insertTenant(owner);
    const userId = await newUser();
    expect(await findCreator(await keyBy(tenantId, userId, 'key.created'))).toBe(userId);
    expect(await findCreator(await keyBy(tenantId, userId, 'key.rotated'))).toBe(userId);
    const client = new pg.Client({ connectionString: database.appUrl });
    await client.connect();
    try {
      expect(await acceptDirectly(client, { tenantId, documents: 1, now: new Date() })).toEqual({ left: 999 });
    } finally {
      await client.end();
    }
    const batches = await owner.query('SELECT api_key_id, user_id FROM submission_batch WHERE tenant_id = $1', [
      tenantId,
    ]);
    expect(batches).toEqual([{ api_key_id: null, user_id: null }]);
  });

  it('lets no row come from a key and a user together', async () => {
    const { tenantId } = await insertTenant(owner);
    const both = owner.query(
      `INSERT INTO submission_batch
         (tenant_id, id, environment, submission_type, document_count, api_key_id, user_id, created_at)
       VALUES ($1, $2, 'sandbox', 'consolidated', 1, $2, $2, service_now())`,
      [tenantId, uuidv7()],
    );
    await expect(both).rejects.toThrow('ck_submission_batch_actor');
  });
});
