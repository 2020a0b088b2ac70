import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { runCli } from '../../src/processes/cli.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { Initial1795000000000 } from '../../src/database/migrations/1795000000000-initial.js';
import { MigrationHashes1796000000050 } from '../../src/database/migrations/1796000000050-migration-hashes.js';
import { migrate, migrateWith } from '../../src/processes/migrate.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

// Databases of the build before hold attempts without the identity that every attempt has now.

let database: TestDatabase;
let owner: DataSource;
beforeEach(async () => {
  database = await createEmptyDatabase();
  owner = await new DataSource({
    type: 'postgres',
    url: database.ownerUrl,
    migrations: [Initial1795000000000],
    migrationsTableName: 'schema_migration',
  }).initialize();
  await owner.runMigrations();
});
afterEach(async () => {
  await owner.destroy();
  await database.drop();
});

interface Earlier {
  readonly tin: string;
  /** As it was built; none: still queued. */
  readonly builtFor?: { readonly tin: string; readonly brn?: string };
  readonly authorityUuid?: string;
}

/** An organisation with one attempt, as the build before stored it. */
async function earlierAttempt({ tin, builtFor, authorityUuid }: Earlier): Promise<string> {
  const [tenant, batch, document, transaction] = Array.from({ length: 4 }, () => randomUUID());
  await owner.query(
    `INSERT INTO tenant (tenant_id, name, tin, id_type, id_value, address_line1, created_at)
     VALUES ($1, 'Kedai', $2, 'BRN', '201901234567', 'Lot 1', now())`,
    [tenant, tin],
  );
  await owner.query(
    `INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, created_at)
     VALUES ($1, $2, 'sandbox', 'non-consolidated', 1, now())`,
    [tenant, batch],
  );
  await owner.query(
    `INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
     VALUES ($1, $2, 'sandbox', 'invoice', 'INV-1', $3, 1, now())`,
    [tenant, document, transaction],
  );
  await owner.query(
    `INSERT INTO document_transaction
       (tenant_id, id, environment, document_id, submission_batch_id, position, attempt, document_type, reference_id, payload,
        totals, buyer_tin, wire_bytes_max, submission_status, authority_status, authority_uuid, due_at, created_at, updated_at)
     VALUES ($1, $2, 'sandbox', $3, $4, 0, 1, 'invoice', 'INV-1', '{}', '{}', 'C1', 1, $5, $6, $7, now(), now(), now())`,
    [
      tenant,
      transaction,
      document,
      batch,
      authorityUuid === undefined ? 'Queued' : 'Submitted',
      authorityUuid === undefined ? null : 'Valid',
      authorityUuid ?? null,
    ],
  );
  if (builtFor !== undefined) {
    const ids = [{ ID: [{ _: builtFor.tin, schemeID: 'TIN' }] }];
    if (builtFor.brn !== undefined) ids.push({ ID: [{ _: builtFor.brn, schemeID: 'BRN' }] });
    const built = { Invoice: [{ AccountingSupplierParty: [{ Party: [{ PartyIdentification: ids }] }] }] };
    await owner.query(
      `INSERT INTO authority_document (tenant_id, transaction_id, bytes, sha256, issued_at, version, created_at)
       VALUES ($1, $2, $3, '', '2026-11-01T00:00:00Z', '1.0', now())`,
      [tenant, transaction, Buffer.from(JSON.stringify(built))],
    );
  }
  return transaction;
}

async function command(...words: string[]): Promise<{ exitCode: number; text: string }> {
  let text = '';
  const configuration = readConfiguration('operator', { DATABASE_OWNER_URL: database.ownerUrl });
  const exitCode = await runCli(configuration, words, {
    out: (line) => (text += line),
    error: (line) => (text += line),
  });
  return { exitCode, text };
}

describe('the migration of attempts that are there', () => {
  it('stores whom each represents: what its bytes say, or the profile where nothing is built', async () => {
    const attempts = [
      await earlierAttempt({ tin: 'C20', builtFor: { tin: 'C10', brn: '1' } }),
      await earlierAttempt({ tin: 'C20', builtFor: { tin: 'IG30', brn: '2' } }),
      await earlierAttempt({ tin: 'C20', builtFor: { tin: 'IG40' } }),
      await earlierAttempt({ tin: 'C20' }),
      await earlierAttempt({ tin: 'IG50' }),
    ];
    await migrate(database.ownerUrl);
    const rows = await owner.query<{ id: string; name: string; tin: string | null }[]>(
      `SELECT t.id, t.on_behalf_of AS name, a.supplier_tin AS tin FROM document_transaction t
         LEFT JOIN authority_document a ON a.transaction_id = t.id`,
    );
    const byId = new Map(rows.map(({ id, name, tin }) => [id, [name, tin]]));
    expect(attempts.map((id) => byId.get(id))).toEqual([
      ['C10', 'C10'],
      ['IG30:2', 'IG30'],
      ['IG40', 'IG40'],
      ['C20', null],
      ['IG50:201901234567', null],
    ]);
  });

  it('gives what is still queued the supplier that the profile says', async () => {
    const id = await earlierAttempt({ tin: 'C20' });
    await migrate(database.ownerUrl);
    const [{ supplier }] = await owner.query<{ supplier: object }[]>(
      `SELECT b.supplier FROM submission_batch b JOIN document_transaction t ON t.submission_batch_id = b.id WHERE t.id = $1`,
      [id],
    );
    expect(supplier).toMatchObject({ name: 'Kedai', tin: 'C20', idType: 'BRN', addressLines: ['Lot 1'], email: null });
  });

  it('leaves earlier attempts their shared instants, and allows no later one to share any', async () => {
    const [first] = [
      await earlierAttempt({ tin: 'C10', builtFor: { tin: 'C10' } }),
      await earlierAttempt({ tin: 'C10', builtFor: { tin: 'C10' } }),
    ];
    await migrate(database.ownerUrl);
    const late = await owner.query<{ exemption: string; transaction_id: string }[]>(
      'SELECT exemption, transaction_id FROM authority_document',
    );
    expect(late.map(({ exemption }) => exemption)).toEqual(late.map(({ transaction_id: id }) => id));
    const rule = 'UPDATE authority_document SET exemption = DEFAULT';
    await owner.query(`${rule} WHERE transaction_id = $1`, [first]);
    await expect(owner.query(rule)).rejects.toThrow('uq_authority_document_identity');
  });

  it('may be ended in the middle and run again', async () => {
    await earlierAttempt({ tin: 'C10', builtFor: { tin: 'C10' } });
    const before = new DataSource({
      type: 'postgres',
      url: database.ownerUrl,
      migrations: [Initial1795000000000, MigrationHashes1796000000050],
      migrationsTableName: 'schema_migration',
    });
    await migrateWith(before, { revision: 0, files: [] });
    await owner.query('ALTER TABLE document_transaction ADD COLUMN on_behalf_of text');
    await owner.query(
      'CREATE UNIQUE INDEX uq_document_transaction_authority_uuid ON document_transaction (authority_uuid, environment) WHERE authority_uuid IS NOT NULL',
    );
    await migrate(database.ownerUrl);
    expect((await migrate(database.ownerUrl)).migrations).toEqual([]);
  });
});

describe('a uuid that several attempts hold', () => {
  const UUID = '4GP7CCS5FE74GBZ5QFD7EXWJ10';

  it('stops the migration, which names each and the command, and changes nothing', async () => {
    const holders = [
      await earlierAttempt({ tin: 'C10', builtFor: { tin: 'C10' }, authorityUuid: UUID }),
      await earlierAttempt({ tin: 'C10', builtFor: { tin: 'C10' }, authorityUuid: UUID }),
    ];
    await expect(migrate(database.ownerUrl)).rejects.toThrow(
      new RegExp(`${UUID} \\(sandbox\\): transaction (${holders.join('|')})[^]*queue conflict`),
    );
    const columns = await owner.query<unknown[]>(
      `SELECT FROM information_schema.columns WHERE table_name = 'document_transaction' AND column_name = 'on_behalf_of'`,
    );
    expect(columns).toEqual([]);
  });

  it('is left to one by the command, before the migration; the others are Invalid with the reason, and audited', async () => {
    const kept = await earlierAttempt({ tin: 'C10', builtFor: { tin: 'C10' }, authorityUuid: UUID });
    const lost = await earlierAttempt({ tin: 'C10', builtFor: { tin: 'C10' }, authorityUuid: UUID });
    const listed = await command('queue', 'conflict', '--json');
    expect(JSON.parse(listed.text)).toMatchObject({ conflicts: [{ authorityUuid: UUID }, { authorityUuid: UUID }] });
    const settle = (keep: string) =>
      command('queue', 'conflict', UUID, '--environment', 'sandbox', '--keep', keep, '--json');
    expect((await settle(randomUUID())).text).toContain('--keep must be one of');
    expect(await settle(kept)).toMatchObject({ exitCode: 0 });
    expect((await settle(kept)).text).toContain('is held by one attempt only');
    expect(JSON.parse((await command('queue', 'conflict', '--json')).text)).toEqual({ conflicts: [] });
    await migrate(database.ownerUrl);
    const rows = await owner.query<object[]>(
      `SELECT id, authority_status, authority_uuid, errors FROM document_transaction ORDER BY id = $1 DESC`,
      [kept],
    );
    expect(rows).toMatchObject([
      { id: kept, authority_status: 'Valid', authority_uuid: UUID },
      {
        id: lost,
        authority_status: 'Invalid',
        authority_uuid: null,
        errors: [{ code: 'uuid_of_another_document' }],
      },
    ]);
    const entries = await owner.query<object[]>(`SELECT action, subject FROM audit_entry WHERE action LIKE 'uuid.%'`);
    expect(entries).toEqual([{ action: 'uuid.taken_away', subject: 'INV-1' }]);
  });
});
