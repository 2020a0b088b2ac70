import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDataSource } from '../../src/database/data-source.js';
import {
  buildFunctionFile,
  FUNCTION_FOLDER,
  type FunctionLock,
  FUNCTIONS,
  readFunctionFile,
} from '../../src/database/function-files.js';
import { migrateWith } from '../../src/processes/migrate.js';
import { startFileDatabase } from './file-database.js';
import { computeRevision, findIncompatible, readFunctionLock } from './function-lock.js';
import { git, listLandedCommits, readLanded } from './landed-commits.js';

// A landed build goes on calling the functions while this one takes over: what it calls must still be there.

const LOCK = 'src/database/functions/lock.json';
const HOW_TO_ADD = `${LOCK} does not have the functions as they are: run "npm run migrations:lock" and commit it`;
const SQL = '.sql';

const { database, owner } = await startFileDatabase();
const made = await makeLock();

/** Of all files of the folder, those included that the lock does not have yet. */
async function makeLock(): Promise<FunctionLock> {
  const files = readdirSync(FUNCTION_FOLDER)
    .filter((file) => file.endsWith(SQL))
    .toSorted()
    .map((file) => readFunctionFile(path.basename(file, SQL)));
  const dataSource = createDataSource({ url: database.ownerUrl, poolSize: 1, applicationName: 'test' });
  await migrateWith(dataSource, { revision: FUNCTIONS.revision + 1, files });
  return readFunctionLock(owner, { revision: FUNCTIONS.revision, files });
}

/** Null for a commit that landed before the functions were files. */
function readLandedLock(commit: string): FunctionLock | null {
  const text = readLanded(commit, LOCK);
  return text === null ? null : (JSON.parse(text) as FunctionLock);
}

/** In the code of a commit, outside of the functions' own texts. */
function isCalled(commit: string, name: string): boolean {
  const outside = [':!src/database/functions', ':!src/database/migrations'];
  return git('grep', '--quiet', '--word-regexp', name, commit, '--', 'src', ...outside) !== null;
}

describe('what a landed build calls', () => {
  it.each(listLandedCommits())('is still there for the build of %s', (commit) => {
    const landed = readLandedLock(commit);
    if (landed === null) return;
    const rule = 'give a changed function another name, and keep the landed one for one release';
    expect(
      findIncompatible(landed, made, (name) => isCalled(commit, name)),
      rule,
    ).toEqual([]);
  });
});

it('the lock has every function with its signature and hash, and a revision above that of any other landed text', async () => {
  const landed = listLandedCommits().map(readLandedLock);
  const known = landed.filter((lock) => lock !== null);
  const lock = { ...made, revision: computeRevision(made, known) };
  const file = path.resolve(import.meta.dirname, '../..', LOCK);
  await expect(`${JSON.stringify(lock, null, 2)}\n`, HOW_TO_ADD).toMatchFileSnapshot(file, HOW_TO_ADD);
});

it.each([
  ['nothing', ''],
  ['a role alone', 'GRANT EXECUTE ON FUNCTION open_to_all TO einvoice_app;'],
])('a function whose file grants %s and revokes nothing is refused: everybody may call it', async (_, rights) => {
  const file = buildFunctionFile(
    'open_to_all',
    `CREATE OR REPLACE FUNCTION open_to_all() RETURNS integer LANGUAGE sql AS 'SELECT 1'; ${rights}`,
  );
  await owner.query(file.text);
  const reading = readFunctionLock(owner, { revision: 1, files: [file] });
  await expect(reading).rejects.toThrow('must have REVOKE ALL ON FUNCTION open_to_all FROM PUBLIC');
  expect(made.functions.service_now.callers).toBe('PUBLIC');
});

describe('a function under its landed name', () => {
  const name = 'read_for_cancel';
  const { [name]: locked, ...others } = made.functions;
  const replaced = (change: Partial<typeof locked>): FunctionLock => ({
    ...made,
    functions: { ...others, [name]: { ...locked, ...change } },
  });
  const REFUSED: [string, FunctionLock, string][] = [
    ['with another argument', replaced({ arguments: '' }), `${name} has other arguments:  instead of p_tenant_id uuid`],
    ['with another result', replaced({ result: 'void' }), `${name} has other results: void instead of TABLE(now`],
    [
      'with the rights of the owner',
      replaced({ runsAs: 'owner' }),
      `${name} has other rights: owner instead of caller`,
    ],
    ['that a role can no longer call', replaced({ callers: '' }), `${name} can no longer be called by einvoice_app`],
    ['that is missing', { ...made, functions: others }, `${name} is missing, and the landed build calls it`],
  ];

  it.each(REFUSED)('%s is refused', (_, changed, sentence) => {
    expect(findIncompatible(made, changed, (each) => isCalled('HEAD', each))).toEqual([
      expect.stringContaining(sentence),
    ]);
  });

  it('may have another text, which raises the revision, and a further role', () => {
    const changed = replaced({ sha256: '0', callers: `${locked.callers}, einvoice_operator` });
    expect(findIncompatible(made, changed, () => true)).toEqual([]);
    expect(computeRevision(changed, [made])).toBe(made.revision + 1);
    const later = made.revision + 5;
    expect(computeRevision(changed, [made, { ...changed, revision: later }])).toBe(later);
  });

  it('may go once no landed code calls it', () => {
    const { is_tin_verified_elsewhere: _, ...rest } = made.functions;
    expect(isCalled('HEAD', 'is_tin_verified_elsewhere')).toBe(false);
    expect(findIncompatible(made, { ...made, functions: rest }, (each) => isCalled('HEAD', each))).toEqual([]);
  });
});
