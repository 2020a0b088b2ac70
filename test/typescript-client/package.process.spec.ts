import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBalance, createTenant } from '../support/client.js';
import { startFileService } from '../support/file-service.js';
import { REPOSITORY, startProgram } from '../support/program.js';
import { readText } from '../docs/pages.js';
import { countAttempts, invoices } from './harness.js';
import { PACKAGE_FOLDER, run, TSC } from './package.js';

// Tests the packed package in an empty folder.

const PACKED_BYTES_MAX = 20_000;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

const service = await startFileService();
let folder: string;
let packed: Packed;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-package-'));
  // Packing includes a build, which must not change the checkout that other tests read.
  const source = path.join(folder, 'source');
  await cp(PACKAGE_FOLDER, source, { recursive: true, filter: (file) => path.basename(file) !== 'dist' });
  const bin = path.join(REPOSITORY, 'node_modules/.bin');
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source, env });
  [packed] = Object.values(JSON.parse(stdout) as Record<string, Packed>);
  const installed = path.join(folder, 'node_modules/@einvoice/client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', path.join(folder, packed.filename), '-C', installed, '--strip-components=1']);
});
afterAll(() => rm(folder, { recursive: true }));

it(`client package contains the built files, types and page in less than ${PACKED_BYTES_MAX / 1_000} kB`, () => {
  expect(packed.size).toBeLessThan(PACKED_BYTES_MAX);
  const others = packed.files.map((file) => file.path).filter((file) => !/^dist\/[a-z-]+\.(?:js|d\.ts)$/.test(file));
  expect(others.toSorted()).toEqual(['README.md', 'package.json']);
  expect(readText('clients/typescript/README.md')).toContain(`/docs/${packed.filename}\n`);
});

it('client package has no dependency and imports only its own files', async () => {
  const { dependencies, peerDependencies } = JSON.parse(
    await readFile(path.join(folder, 'node_modules/@einvoice/client/package.json'), 'utf8'),
  ) as Record<string, unknown>;
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
  for (const { path: file } of packed.files.filter((one) => one.path.startsWith('dist/'))) {
    const text = await readFile(path.join(folder, 'node_modules/@einvoice/client', file), 'utf8');
    const imported = [...text.matchAll(/(?:from|import) ?\(?'([^']+)'/g)].map(([, name = '']) => name);
    expect(imported.filter((name) => !/^\.\/[a-z-]+\.js$/.test(name))).toEqual([]);
    // Globals that only Node has.
    expect(text).not.toMatch(/\b(?:Buffer|process|require|setImmediate)\b/);
  }
});

it('client package has an example that compiles strictly and submits 230 documents', async () => {
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readText('clients/typescript/README.md')) ?? [];
  await writeFile(path.join(folder, 'month.mts'), example);
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
  const types = path.join(REPOSITORY, 'node_modules/@types');
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--typeRoots', types, '--types', 'node'];
  await run(process.execPath, [TSC, ...options, 'month.mts'], { cwd: folder });

  const tenant = await createTenant(service, { credits: 1_000 });
  const documents = invoices(230);
  const month = documents.with(120, { ...documents[120], document_date: '2026-02-30' });
  const environment = { BASE_URL: service.url, API_KEY: tenant.apiKey };
  const start = async (list: object[]): Promise<string> => {
    await writeFile(path.join(folder, 'month.json'), JSON.stringify(list));
    const program = startProgram([path.join(folder, 'month.mjs')], environment, { cwd: folder });
    while (program.isRunning()) await service.settle();
    const { exitCode } = await program.ended;
    expect(exitCode, program.output).toBe(0);
    return program.output;
  };
  expect(await start(month)).toContain('Document 120: /documents/20/document_date must be a real calendar date');
  const output = await start(documents);
  expect(output.match(/^\S+ Valid$/gm)).toHaveLength(230);
  expect([...(await countAttempts(service, tenant)).values()]).toEqual(documents.map(() => 1));
  expect(await readBalance(service, tenant)).toBe(770);
}, 120_000);
