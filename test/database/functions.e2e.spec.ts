import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDataSource } from '../../src/database/data-source.js';
import { buildFunctionFile, FUNCTIONS, type FunctionSet } from '../../src/database/function-files.js';
import { WITH_MOVABLE_CLOCK } from '../../src/database/movable-clock.js';
import { type Applied, listPending, migrate, migrateWith } from '../../src/processes/migrate.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { startFileDatabase } from './file-database.js';

// The SQL functions are the files of src/database/functions/, whatever the migrations made on their way.

const NAMES = FUNCTIONS.files.map(({ name }) => name);
const NAME = 'parent_type_of';

/** Migrated here, as a service's is. */
const own = await startFileDatabase(createEmptyDatabase);
const first = await migrate(own.database.ownerUrl);

let database: TestDatabase;
let owner: DataSource;
const open = (): DataSource => createDataSource({ url: database.ownerUrl, poolSize: 2, applicationName: 'test' });

const apply = (functions: FunctionSet): Promise<Applied> => migrateWith(open(), functions);

/** This build's functions with another text of one of them. */
function edited(edit: (text: string) => string, revision = FUNCTIONS.revision): FunctionSet {
  const files = FUNCTIONS.files.map((file) => (file.name === NAME ? buildFunctionFile(NAME, edit(file.text)) : file));
  return { revision, files };
}

const withDebitNotes = (text: string): string => text.replace(`WHEN 'credit_note'`, `WHEN 'debit_note'`);

async function readParentType(type: string): Promise<string | null> {
  const [{ parent }] = await owner.query<{ parent: string | null }[]>('SELECT parent_type_of($1) AS parent', [type]);
  return parent;
}

/** Those that wait for a function, and those that wait for them. */
const ARRIVED = `
  SELECT count(*)::int AS ours, coalesce(bool_or(wait_event_type = 'Lock'), false) AS waits FROM pg_stat_activity
   WHERE datname = current_database() AND pid <> pg_backend_pid()
     AND (wait_event_type = 'Lock' OR query LIKE '%pg_try_advisory_lock%')`;

async function readAhead(dataSource: DataSource): Promise<number> {
  const [{ seconds }] = await dataSource.query<{ seconds: number }[]>(
    'SELECT extract(epoch FROM service_now() - clock_timestamp())::float8 AS seconds',
  );
  return seconds;
}

interface Recorded {
  readonly sha256: string;
  readonly revision: number;
  readonly applied_at: Date;
}

async function readRecorded(name: string): Promise<Recorded | undefined> {
  const rows = await owner.query<Recorded[]>(
    'SELECT sha256, revision, applied_at FROM database_function WHERE name = $1',
    [name],
  );
  return rows[0];
}

describe('a migrated database', () => {
  it.each(FUNCTIONS.files)(
    'has $name as its file says, which has its rights and nothing else',
    async ({ name, text }) => {
      const [{ body }] = await own.owner.query<{ body: string }[]>(
        `SELECT prosrc AS body FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = $1`,
        [name],
      );
      const [head, inFile, rights] = text.split('$$');
      expect(body).toBe(inFile);
      expect(head).toMatch(new RegExp(String.raw`^(-- .*\n)+CREATE OR REPLACE FUNCTION ${name}\(`));
      const grant = String.raw`GRANT EXECUTE ON FUNCTION ${name} TO [\w, ]+;\n`;
      expect(rights).toMatch(new RegExp(String.raw`^;\n\nREVOKE ALL ON FUNCTION ${name} FROM PUBLIC;\n(${grant})?$`));
    },
  );

  it('has no other functions than those of the files and those that only triggers and migrations call', async () => {
    const rows = await own.owner.query<{ name: string }[]>(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name).filter((name) => !NAMES.includes(name))).toEqual([
      'built_supplier_id',
      'deliver_acceptance',
      'deliver_cancellation',
      'deliver_status_change',
      'end_verification',
      'fill_document_identity',
      'fill_key_creator',
      'forget_failure',
      'note_changed_day',
      'record_failure',
      'refuse_change',
    ]);
  });

  it('has the clock of its machine, whatever the offset says', async () => {
    await own.owner.query('UPDATE service_clock SET offset_seconds = 3600');
    expect(await readAhead(own.owner)).toBeLessThan(60);
  });

  it('takes every file again with its body checked, which calls only what is there', async () => {
    for (const { text } of FUNCTIONS.files) await own.owner.query(text);
  });
});

describe('migrating', () => {
  beforeEach(async () => {
    database = await createTestDatabase();
    owner = await open().initialize();
  });
  afterEach(async () => {
    await owner.destroy();
    await database.drop();
  });

  it('applies all functions to a new database, and none a second time', async () => {
    expect(first.functions).toEqual(NAMES);
    expect(await migrate(own.database.ownerUrl)).toEqual({ migrations: [], functions: [] });
    expect((await listPending(own.database.ownerUrl)).functions).toEqual([]);
  });

  it('applies a changed file, alone, and records it', async () => {
    const changed = edited(withDebitNotes);
    const [before, other] = [await readRecorded(NAME), await readRecorded('accept_call')];
    expect((await apply(changed)).functions).toEqual([NAME]);
    expect(await readParentType('debit_note')).toBe('invoice');
    const after = await readRecorded(NAME);
    expect(after?.sha256).toBe(changed.files.find(({ name }) => name === NAME)?.sha256);
    expect(after?.applied_at.getTime()).toBeGreaterThan(before?.applied_at.getTime() ?? Infinity);
    expect(await readRecorded('accept_call')).toEqual(other);
    expect((await apply(changed)).functions).toEqual([]);
    expect((await listPending(database.ownerUrl)).functions).toEqual([NAME]);
  });

  it('keeps a movable clock movable when its file changes', async () => {
    const files = WITH_MOVABLE_CLOCK.files.map(({ name, text }) => buildFunctionFile(name, `-- Changed.\n${text}`));
    expect((await apply({ ...WITH_MOVABLE_CLOCK, files })).functions).toContain('service_now');
    await owner.query('UPDATE service_clock SET offset_seconds = 3600');
    expect(await readAhead(owner)).toBeGreaterThan(3_540);
  });

  it('applies a change once when two run at the same time', async () => {
    const changed = edited(withDebitNotes);
    const holder = owner.createQueryRunner();
    await holder.startTransaction();
    // Keeps anyone else from replacing the function.
    await holder.query(`ALTER FUNCTION ${NAME} COST 100`);
    const running = Promise.all([apply(changed), apply(changed)]);
    await expect.poll(() => owner.query(ARRIVED), { interval: 20 }).toEqual([{ ours: 2, waits: true }]);
    await holder.rollbackTransaction();
    await holder.release();
    expect((await running).flatMap(({ functions }) => functions)).toEqual([NAME]);
    expect(await readParentType('debit_note')).toBe('invoice');
  });

  it('leaves the functions of a later build as they are, also one that it no longer has', async () => {
    const { files, revision } = edited(withDebitNotes, FUNCTIONS.revision + 1);
    await apply({ revision, files: files.filter(({ name }) => name !== 'on_behalf_of') });
    expect(await readRecorded('on_behalf_of')).toBeUndefined();
    expect(await migrate(database.ownerUrl)).toEqual({ migrations: [], functions: [] });
    expect(await readParentType('debit_note')).toBe('invoice');
    expect((await listPending(database.ownerUrl)).functions).toEqual([]);
  });

  it.each([
    ['argument', (text: string) => text.replace('p_document_type text', 'p_document_type text, p_environment text')],
    ['result', (text: string) => text.replace('RETURNS text', 'RETURNS varchar')],
  ])('refuses another %s under the same name, and changes nothing', async (_, edit) => {
    await expect(apply(edited(edit))).rejects.toThrow(
      `src/database/functions/${NAME}.sql changes the arguments or the result of ${NAME}, which the previous build ` +
        `calls: give the changed function another name, and keep ${NAME} for one release. No function was changed.`,
    );
    const overloads = await owner.query(`SELECT FROM pg_proc WHERE proname = $1`, [NAME]);
    expect(overloads).toHaveLength(1);
    expect((await listPending(database.ownerUrl)).functions).toEqual([]);
  });

  it('keeps every function as it was when one of the files fails', async () => {
    const { files } = edited(withDebitNotes);
    const broken = buildFunctionFile('service_now', 'CREATE OR REPLACE FUNCTION');
    const functions = [...files.filter(({ name }) => name !== broken.name), broken];
    await expect(apply({ ...FUNCTIONS, files: functions })).rejects.toThrow('service_now.sql');
    expect(await readParentType('debit_note')).toBeNull();
    expect((await listPending(database.ownerUrl)).functions).toEqual([]);
  });
});
