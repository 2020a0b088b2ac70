import { readFileSync } from 'node:fs';
import type { QueryRunner } from 'typeorm';
import { parseJsonText } from '../common/parse-json-text.js';

/** The landed migrations, which never change: see "A migration" in CONTRIBUTING.md. */
export interface MigrationLock {
  /** SHA-256 of the statements of each migration, in their order. */
  readonly migrations: Readonly<Record<string, string>>;
  /** The tables and functions that the first of them makes, each with a hash of what it is. */
  readonly firstSchema: Readonly<Record<string, string>>;
}

export const MIGRATION_LOCK = parseJsonText(
  readFileSync(new URL('migrations/lock.json', import.meta.url), 'utf8'),
) as MigrationLock;

// Columns by name, since a column that is added later stands last; what a trigger or index is, the tables' users do not
// see.
const SCHEMA = /* sql */ `
  SELECT 'table ' || c.relname AS name,
         string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull), ', '
           ORDER BY a.attname COLLATE "C") AS content
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
     AND c.relname NOT IN ('schema_migration', 'schema_migration_hash')
   GROUP BY c.relname
  UNION ALL
  SELECT 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
         concat_ws(' ', pg_get_function_result(p.oid), p.prosecdef, p.prosrc)
    FROM pg_proc p
   WHERE p.pronamespace = 'public'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
   ORDER BY 1`;

const FINGERPRINT = /* sql */ `
  SELECT name, left(encode(sha256(convert_to(content, 'UTF8')), 'hex'), 16) AS hash FROM (${SCHEMA}) AS schema
   ORDER BY name COLLATE "C"`;

/** What is in the database: each table and function with a hash of what it is, the same on every server. */
export async function readSchema(runner: QueryRunner): Promise<Record<string, string>> {
  const rows = (await runner.query(FINGERPRINT)) as { name: string; hash: string }[];
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
}

/** The migrations that the database has run, in their order, with the hashes of those that were recorded. */
export async function listRanMigrations(runner: QueryRunner): Promise<ReadonlyMap<string, string | null>> {
  const ran = await readRows(
    runner,
    'schema_migration',
    'SELECT name, NULL AS sha256 FROM schema_migration ORDER BY id',
  );
  const recorded = await readRows(runner, 'schema_migration_hash', 'SELECT name, sha256 FROM schema_migration_hash');
  const hashes = new Map(recorded.map(({ name, sha256 }) => [name, sha256]));
  return new Map(ran.map(({ name }) => [name, hashes.get(name) ?? null]));
}

interface MigrationRow {
  readonly name: string;
  readonly sha256: string | null;
}

async function readRows(runner: QueryRunner, table: string, text: string): Promise<MigrationRow[]> {
  return (await hasTable(runner, table)) ? ((await runner.query(text)) as MigrationRow[]) : [];
}

export async function hasTable(runner: QueryRunner, table: string): Promise<boolean> {
  const [{ exists }] = (await runner.query('SELECT to_regclass($1) IS NOT NULL AS exists', [table])) as [
    { exists: boolean },
  ];
  return exists;
}

const HOW_TO_FIX =
  'Nothing was changed. Start with an empty database (of the embedded one: move the folder of its data, DATA_DIR, away), ' +
  'or go on with the version that made this one.';

/**
 * That what the database has run is what this version knows under the same names. What a later version ran besides is
 * not our concern. A database of the first landed schema has no hashes yet: it is known by its tables and functions.
 * @throws Error that says what differs and what to do
 */
export async function assertLanded(runner: QueryRunner, lock = MIGRATION_LOCK): Promise<void> {
  const ran = [...(await listRanMigrations(runner))].filter(([name]) => name in lock.migrations);
  const changed = ran.filter(([name, hash]) => hash !== null && hash !== lock.migrations[name]);
  if (changed.length > 0) {
    const names = changed.map(([name]) => name).join(', ');
    throw new Error(`This database ran another text of ${names} than the one of this version. ${HOW_TO_FIX}`);
  }
  const unrecorded = ran.filter(([, hash]) => hash === null).map(([name]) => name);
  if (unrecorded.length === 0) return;
  const [first] = Object.keys(lock.migrations);
  if (ran.length > 1 || unrecorded[0] !== first) {
    const names = unrecorded.join(', ');
    throw new Error(`This database ran ${names} in development, before its text was final. ${HOW_TO_FIX}`);
  }
  const schema = await readSchema(runner);
  const different = Object.entries(lock.firstSchema).filter(([name, hash]) => schema[name] !== hash);
  if (different.length === 0) return;
  throw new Error(
    `This database was made in development, before the first schema was final: ${formatList(different.map(([name]) => name))}. ` +
      HOW_TO_FIX,
  );
}

const NAMED_MAX = 5;

function formatList(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX;
  return `${names.slice(0, NAMED_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''} ${
    names.length === 1 ? 'is' : 'are'
  } missing or different`;
}

/** Records what was run and is not recorded yet. */
export async function recordHashes(runner: QueryRunner, lock = MIGRATION_LOCK): Promise<void> {
  // The first migration runs before there is a table of hashes, and is recorded with the second.
  if (!(await hasTable(runner, 'schema_migration_hash'))) return;
  for (const [name, hash] of await listRanMigrations(runner)) {
    const landed = lock.migrations[name];
    if (hash === null && landed !== undefined) {
      await runner.query('INSERT INTO schema_migration_hash (name, sha256) VALUES ($1, $2)', [name, landed]);
    }
  }
}
