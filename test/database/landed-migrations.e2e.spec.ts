import { createHash } from 'node:crypto';
import path from 'node:path';
import type { DataSource, QueryRunner } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { type MigrationLock, readSchema } from '../../src/database/landed-migrations.js';
import { createEmptyDatabase } from '../support/database.js';
import { startFileDatabase } from './file-database.js';
import { listLandedCommits, readLanded } from './landed-commits.js';

// Landed migrations have run in databases that nobody here sees: what they do is never changed again.

const LOCK = 'src/database/migrations/lock.json';
const HOW_TO_ADD = `${LOCK} does not have the migrations as they are: run "npm run migrations:lock" and commit it`;

const { owner } = await startFileDatabase(createEmptyDatabase);
const made = await runAll(owner);

/** Runs every migration in an empty database, in order, and writes down the statements that each of them runs. */
async function runAll(dataSource: DataSource): Promise<MigrationLock> {
  const migrations: Record<string, string> = {};
  let firstSchema: Record<string, string> | null = null;
  for (const migration of dataSource.migrations) {
    const up = migration.up.bind(migration);
    migration.up = async (runner) => {
      const statements = await recordStatements(runner, () => up(runner));
      migrations[migration.constructor.name] = createHash('sha256').update(JSON.stringify(statements)).digest('hex');
      firstSchema ??= await readSchema(runner);
    };
  }
  await dataSource.runMigrations();
  return { migrations, firstSchema: firstSchema ?? {} };
}

async function recordStatements(runner: QueryRunner, run: () => Promise<void>): Promise<unknown[]> {
  const statements: unknown[] = [];
  const query = runner.query.bind(runner) as (...parameters: unknown[]) => Promise<unknown>;
  runner.query = ((...parameters: unknown[]) => {
    statements.push(parameters);
    return query(...parameters);
  }) as typeof runner.query;
  await run();
  runner.query = query as typeof runner.query;
  return statements;
}

describe('a migration that has landed', () => {
  it.each(listLandedCommits())('is what it was: nothing of the lock of %s is changed or gone', (commit) => {
    const text = readLanded(commit, LOCK);
    // Landed before there was a lock.
    if (text === null) return;
    const landed = JSON.parse(text) as MigrationLock;
    const frozen = `of ${LOCK} on ${commit}: a landed migration is never edited; undo that, and write a new migration`;
    expect(made.migrations, frozen).toMatchObject(landed.migrations);
    expect(made.firstSchema, frozen).toEqual(landed.firstSchema);
    const after = Math.max(...Object.keys(landed.migrations).map((name) => Number(name.slice(-13))));
    const added = Object.keys(made.migrations).filter((name) => !(name in landed.migrations));
    for (const name of added) {
      expect(Number(name.slice(-13)), `${name} must run after what has landed on ${commit}`).toBeGreaterThan(after);
    }
  });
});

it('the lock has every migration with the hash of the statements that it runs', async () => {
  const lock = path.resolve(import.meta.dirname, '../..', LOCK);
  await expect(`${JSON.stringify(made, null, 2)}\n`, HOW_TO_ADD).toMatchFileSnapshot(lock, HOW_TO_ADD);
});
