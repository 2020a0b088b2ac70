import { appendFile, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patched } from '../mutants/patch.js';
import { REPOSITORY, startProgram } from '../support/program.js';

// Adds the example extensions and a document type to a copy of the sources, and counts the changed core files. Both
// changes are made together, so that each tool runs only twice.

const NOT_COPIED = ['node_modules', 'dist', '.git', '.data'];
const EXTENSIONS = ['accounting-export', 'nightly-report'];

const TYPES = 'src/documents/simplified-document.ts';
const DEBIT_NOTES = 'test/submission/debit-note.e2e.spec.ts';
const CATALOGUE = ['test/tenancy/grants', 'test/tenancy/row-level-security'];
const specs = EXTENSIONS.map((name) => `src/extensions/${name}/${name}.e2e.spec.ts`);

let copy: string;
/** Output of tools and tests at each step. */
let withNewType: Run;
let withoutLines: Run;
let complete: { lint: Run; tests: Run };

beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), 'einvoice-extended-'));
  for (const name of (await readdir(REPOSITORY)).filter((entry) => !NOT_COPIED.includes(entry))) {
    await cp(path.join(REPOSITORY, name), path.join(copy, name), { recursive: true });
  }
  await symlink(path.join(REPOSITORY, 'node_modules'), path.join(copy, 'node_modules'));
  for (const name of EXTENSIONS) await copyExtension(name);
  await addDebitNote();
  withNewType = await lint();
  await finishTypes();
  withoutLines = await test(...specs);
  for (const name of EXTENSIONS) await registerExtension(name);
  await writeFile(path.join(copy, DEBIT_NOTES), DEBIT_NOTE);
  const linted = lint();
  const tests = await test(...specs, 'docs/examples/extensions', DEBIT_NOTES, ...CATALOGUE);
  complete = { lint: await linted, tests };
}, 600_000);
afterAll(() => rm(copy, { recursive: true, force: true }));

interface Run {
  readonly isGreen: boolean;
  readonly output: string;
}

/** Runs a tool of node_modules in the copy. */
async function run(tool: string, ...options: string[]): Promise<Run> {
  const program = startProgram([path.join(copy, 'node_modules', tool), ...options], { NO_COLOR: '1' }, { cwd: copy });
  const { exitCode } = await program.ended;
  return { isGreen: exitCode === 0, output: program.output };
}

// The linter's compiler is five times as fast as tsc.
const LINT = ['--type-aware', '--type-check', '--deny-warnings', '--format=unix', 'src', 'dashboard', 'docs/examples'];

function lint(): Promise<Run> {
  return run('oxlint/bin/oxlint', ...LINT);
}

// One worker loads the service only once.
function test(...specFiles: string[]): Promise<Run> {
  return run('vitest/vitest.mjs', 'run', '--no-file-parallelism', ...specFiles);
}

async function change(file: string, find: string, replace: string): Promise<void> {
  const name = path.join(copy, file);
  await writeFile(name, patched(await readFile(name, 'utf8'), { file, find, replace }));
}

/** Follows docs/extending.md, except for src/extensions/extensions.ts. */
async function copyExtension(name: string): Promise<void> {
  const folder = `src/extensions/${name}`;
  await cp(path.join(copy, 'docs/examples/extensions', name), path.join(copy, folder), { recursive: true });
  for (const file of await readdir(path.join(copy, folder))) {
    const text = await readFile(path.join(copy, folder, file), 'utf8');
    const moved = text.replaceAll('../../../../src/', '../../').replaceAll('../../../../test/', '../../../test/');
    await writeFile(path.join(copy, folder, file), file.endsWith('.spec.ts') ? withoutModule(moved) : moved);
  }
}

/** Returns a spec whose service has only the registered extensions. */
function withoutModule(spec: string): string {
  return spec
    .replace(/^import \{ \w+Module \} from '\.\/.*\n/m, '')
    .replace(/\{ extensions: \[\w+\] \}/, '')
    .replace(/, \[\w+Module\]\)/, ')');
}

function registerExtension(name: string): Promise<void> {
  const words = name.split('-').map((word) => `${word[0].toUpperCase()}${word.slice(1)}`);
  const line = `export { ${words.join('')}Module } from './${name}/${name}.module.js';\n`;
  return appendFile(path.join(copy, 'src/extensions/extensions.ts'), line);
}

async function addDebitNote(): Promise<void> {
  await change(TYPES, "'invoice' | 'credit_note'", "'invoice' | 'credit_note' | 'debit_note'");
  // Equals the output of `npm run openapi`.
  const schema = path.join(copy, 'dashboard/src/api/schema.ts');
  const types = '"invoice" | "credit_note"';
  await writeFile(schema, (await readFile(schema, 'utf8')).replaceAll(types, `${types} | "debit_note"`));
}

async function finishTypes(): Promise<void> {
  await change(
    'src/documents/document-types.ts',
    "parentType: 'invoice' },",
    "parentType: 'invoice' }, debit_note: { code: '03', authorityNames: ['Debit Note'], parentType: 'invoice' },",
  );
  await change(
    'dashboard/src/parts/format.ts',
    "credit_note: 'Credit note',",
    "credit_note: 'Credit note', debit_note: 'Debit note',",
  );
}

describe('an example extension', () => {
  it.each(EXTENSIONS)('%s works once it is exported from src/extensions/extensions.ts', (name) => {
    expect(withoutLines.output).toMatch(new RegExp(`FAIL .*src/extensions/.*/${name}\\.e2e\\.spec\\.ts`));
    expect(complete.tests.isGreen, complete.tests.output).toBe(true);
  });

  it('passes all static checks without other changes', async () => {
    const imports = run(
      'dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      'scripts/.dependency-cruiser.cjs',
      'src',
    );
    for (const { isGreen, output } of [complete.lint, await run('knip/bin/knip.js'), await imports]) {
      expect(isGreen, output).toBe(true);
    }
  }, 300_000);
});

describe('a third document type', () => {
  it('requires changes only where the compiler reports errors', () => {
    const named = [...withNewType.output.matchAll(/^(\S+?):\d+:\d+: /gm)].map(([, file]) => file);
    expect(named.toSorted()).toEqual(['dashboard/src/parts/format.ts', 'src/documents/document-types.ts']);
    for (const { isGreen, output } of [complete.lint, complete.tests]) expect(isGreen, output).toBe(true);
  });
});

const DEBIT_NOTE = `
import { expect, it } from 'vitest';
import { createTenant, issue } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

it('a debit note becomes valid as type 03', async () => {
  const tenant = await createTenant(service);
  const referenceId = reference();
  await issue(service, tenant, invoice({ referenceId }));
  const { documents } = await issue(service, tenant, creditNote({ referenceId }, { documentType: 'debit_note' }));
  expect(documents[0]).toMatchObject({ documentType: 'debit_note', authorityStatus: 'Valid' });
  expect((await service.wireLog()).at(-1)).toMatchObject({ type: '03' });
});
`;
