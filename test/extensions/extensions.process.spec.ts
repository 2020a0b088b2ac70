import { appendFile, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patched } from '../chaos/mutants/copy.js';
import { REPOSITORY, startProgram } from '../support/program.js';

// What backend teams add, done to a copy of the sources: how many files of the core change, and what names each.

const SOURCES = ['src', 'simulator', 'standalone', 'bench', 'test', 'examples', 'dashboard'];
const SETTINGS = ['package.json', 'tsconfig.json', 'ormconfig.ts', 'vitest.config.ts'];

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), 'einvoice-extended-'));
  for (const name of [...SOURCES, ...SETTINGS]) {
    await cp(path.join(REPOSITORY, name), path.join(copy, name), { recursive: true });
  }
  await symlink(path.join(REPOSITORY, 'node_modules'), path.join(copy, 'node_modules'));
  const product = { extends: './tsconfig.json', include: ['src'], exclude: ['**/*.spec.ts'] };
  await writeFile(path.join(copy, PRODUCT), JSON.stringify(product));
});
afterAll(() => rm(copy, { recursive: true, force: true }));

/** A tool of node_modules, run in the copy. */
async function run(...command: string[]): Promise<{ isGreen: boolean; output: string }> {
  const [tool = '', ...options] = command;
  const program = startProgram([path.join(copy, 'node_modules', tool), ...options], { NO_COLOR: '1' }, { cwd: copy });
  const { exitCode } = await program.ended;
  return { isGreen: exitCode === 0, output: program.output };
}

const PRODUCT = 'tsconfig.product.json';

/** The files that the compiler names; what it found out before is kept for the next time. */
async function compile(project: string): Promise<string[]> {
  const { output } = await run('typescript/bin/tsc', '--noEmit', '-p', project);
  const named = [...output.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file]) => file);
  return [...new Set(named)];
}

async function change(file: string, find: string, replace: string): Promise<void> {
  const name = path.join(copy, file);
  await writeFile(name, patched(await readFile(name, 'utf8'), { file, find, replace }));
}

const TEST = 'vitest/vitest.mjs';

describe('an extension of examples/extensions/', { timeout: 600_000 }, () => {
  it('is part of the product by its folder and one line of src/extensions/extensions.ts', async () => {
    const folder = 'src/extensions/accounting-export';
    const spec = `${folder}/accounting-export.e2e.spec.ts`;
    await cp(path.join(copy, 'examples/extensions/accounting-export'), path.join(copy, folder), { recursive: true });
    for (const file of await readdir(path.join(copy, folder))) {
      const name = path.join(copy, folder, file);
      const text = await readFile(name, 'utf8');
      await writeFile(name, text.replaceAll('../../../src/', '../../'));
    }
    await change(spec, 'startFileService({ extensions: [AccountingExportModule] })', 'startFileService()');
    await change(spec, "import { AccountingExportModule } from './accounting-export.module.js';", '');
    expect((await run(TEST, 'run', spec)).isGreen).toBe(false);
    await appendFile(
      path.join(copy, 'src/extensions/extensions.ts'),
      "export { AccountingExportModule } from './accounting-export/accounting-export.module.js';\n",
    );
    const { isGreen, output } = await run(TEST, 'run', spec);
    expect(isGreen, output).toBe(true);
  });
});

describe('a third document type', { timeout: 600_000 }, () => {
  it('takes four files of the core, three of which the compiler or a test names to whoever adds it to the first', async () => {
    await change(
      'src/documents/simplified-document.ts',
      "'invoice' | 'credit_note'",
      "'invoice' | 'credit_note' | 'debit_note'",
    );
    expect(await compile(PRODUCT)).toEqual(['src/documents/document-types.ts']);
    await change(
      'src/documents/document-types.ts',
      "parentType: 'invoice' },",
      "parentType: 'invoice' }, debit_note: { code: '03', authorityNames: ['Debit Note'], parentType: 'invoice' },",
    );
    expect(await compile(PRODUCT)).toEqual([]);

    // As `npm run openapi` writes it.
    const schema = path.join(copy, 'dashboard/src/api/schema.ts');
    const types = '"invoice" | "credit_note"';
    await writeFile(schema, (await readFile(schema, 'utf8')).replaceAll(types, `${types} | "debit_note"`));
    expect(await compile('dashboard')).toEqual(['dashboard/src/parts/format.ts']);
    await change(
      'dashboard/src/parts/format.ts',
      "credit_note: 'Credit note',",
      "credit_note: 'Credit note', debit_note: 'Debit note',",
    );
    expect(await compile('dashboard')).toEqual([]);

    const parents = 'test/database/parent-types.e2e.spec.ts';
    const forgotten = await run(TEST, 'run', parents);
    expect(forgotten.output).toContain('the database knows the type of the parent of debit_note as the code does');
    expect(forgotten.isGreen).toBe(false);
    await change(
      'src/database/functions/parent_type_of.sql',
      "WHEN 'credit_note' THEN 'invoice'",
      "WHEN 'credit_note' THEN 'invoice' WHEN 'debit_note' THEN 'invoice'",
    );
    await writeFile(path.join(copy, 'test/submission/debit-note.e2e.spec.ts'), DEBIT_NOTE);
    const { isGreen, output } = await run(TEST, 'run', parents, 'test/submission/debit-note.e2e.spec.ts');
    expect(isGreen, output).toBe(true);
  });
});

const DEBIT_NOTE = `
import { expect, it } from 'vitest';
import { createTenant, issue } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

it('a debit note becomes Valid as type 03, with its parent', async () => {
  const tenant = await createTenant(service);
  const referenceId = reference();
  await issue(service, tenant, invoice({ referenceId }));
  const { documents } = await issue(service, tenant, creditNote({ referenceId }, { documentType: 'debit_note' }));
  expect(documents[0]).toMatchObject({ documentType: 'debit_note', authorityStatus: 'Valid' });
  expect((await service.wireLog()).at(-1)).toMatchObject({ type: '03' });
});
`;
