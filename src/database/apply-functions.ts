import { QueryFailedError, type QueryRunner } from 'typeorm';
import {
  APPLIED_FUNCTIONS,
  type AppliedFunction,
  findOutdated,
  type FunctionFile,
  type FunctionSet,
  isLater,
} from './function-files.js';
import { hasTable } from './landed-migrations.js';

const RECORD = /* sql */ `
INSERT INTO database_function AS f (name, sha256, revision)
SELECT name, sha256, $3 FROM unnest($1::text[], $2::text[]) AS n (name, sha256)
    ON CONFLICT (name) DO UPDATE
   SET sha256 = excluded.sha256, revision = excluded.revision,
       applied_at = CASE WHEN f.sha256 = excluded.sha256 THEN f.applied_at ELSE clock_timestamp() END`;

const FORGET = 'DELETE FROM database_function WHERE name <> ALL ($1)';

const INVALID_FUNCTION_DEFINITION = '42P13';
const AMBIGUOUS_FUNCTION = '42725';

/** What the database has recorded; nothing before the migration that makes the table. */
export async function readApplied(runner: QueryRunner): Promise<AppliedFunction[]> {
  if (!(await hasTable(runner, 'database_function'))) return [];
  return (await runner.query(APPLIED_FUNCTIONS)) as AppliedFunction[];
}

/**
 * Makes the functions of the database those of the files, in one transaction; the caller has the migrations' lock.
 * @returns the names of those whose text was not recorded
 */
export async function applyFunctions(runner: QueryRunner, functions: FunctionSet): Promise<string[]> {
  const applied = await readApplied(runner);
  if (isLater(applied, functions) || isRecorded(applied, functions)) return [];
  const outdated = findOutdated(applied, functions);
  await runner.startTransaction();
  try {
    // One may call another that comes after it.
    await runner.query('SET LOCAL check_function_bodies = off');
    for (const file of outdated) await apply(runner, file);
    if (functions.afterwards !== undefined) await runner.query(functions.afterwards);
    const names = functions.files.map(({ name }) => name);
    const hashes = functions.files.map(({ sha256 }) => sha256);
    await runner.query(RECORD, [names, hashes, functions.revision]);
    await runner.query(FORGET, [names]);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
  return outdated.map(({ name }) => name);
}

/** Nothing to execute, and nothing to write down. */
function isRecorded(applied: readonly AppliedFunction[], functions: FunctionSet): boolean {
  return (
    applied.length === functions.files.length &&
    applied.every(({ revision }) => revision === functions.revision) &&
    findOutdated(applied, functions).length === 0
  );
}

async function apply(runner: QueryRunner, { name, text }: FunctionFile): Promise<void> {
  try {
    await runner.query(text);
  } catch (error) {
    if (!(error instanceof QueryFailedError)) throw error;
    const { code } = error.driverError as { code?: string };
    const problem =
      code === INVALID_FUNCTION_DEFINITION || code === AMBIGUOUS_FUNCTION
        ? describeChange(name)
        : `fails: ${error.message}`;
    throw new Error(`src/database/functions/${name}.sql ${problem}. No function was changed.`, { cause: error });
  }
}

function describeChange(name: string): string {
  return (
    `changes the arguments or the result of ${name}, which the previous build calls: give the changed function another ` +
    `name, and keep ${name} for one release`
  );
}
