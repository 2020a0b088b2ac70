import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { transformWithOxc } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUIDE } from '../../site/build-site.js';
import { createOrganisation, startDemo } from '../sandbox-suite/demo.js';
import { TestData } from '../standalone/test-data.js';
import { buildPrograms, REPOSITORY } from '../support/program.js';
import { readText } from './pages.js';

// The snippets of the guide are one program in each language, which a reader runs against the demo.

const START_MS = 300_000;
const RUN_MS = 120_000;
const run = promisify(execFile);

let data: TestData;
let folder: string;
let variables: NodeJS.ProcessEnv;

beforeAll(async () => {
  await buildPrograms();
  // With the package, which a test run does not make otherwise.
  await run(process.execPath, [path.join(REPOSITORY, 'dist/site/main.js')]);
  data = await TestData.create();
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-snippets-'));
  // Found before that of the machine.
  await writeFile(path.join(folder, '.curlrc'), '');
  const baseUrl = await startDemo(data);
  const apiKey = await createOrganisation(data, { number: 1, credits: 1_000 });
  variables = {
    PATH: process.env.PATH,
    // Where a version manager may have Python.
    HOME: process.env.HOME,
    CURL_HOME: folder,
    TMPDIR: folder,
    NO_PROXY: '*',
    BASE_URL: baseUrl,
    API_KEY: apiKey,
  };
}, START_MS);

afterAll(async () => {
  await data?.stopPrograms();
  await data?.remove();
  if (folder !== undefined) await rm(folder, { recursive: true });
}, START_MS);

/** All snippets of a language, in the order of the guide. */
function collectSnippets(language: string): string {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  const snippets = GUIDE.flatMap((name) =>
    [...readText(`site/pages/${name}.md`).matchAll(pattern)].map(([, snippet = '']) => snippet),
  );
  expect(snippets.length).toBeGreaterThan(8);
  return snippets.join('\n');
}

async function runSnippets(program: string, ...words: string[]): Promise<string> {
  const { stdout } = await run(program, words, { cwd: folder, env: variables, timeout: RUN_MS });
  return stdout;
}

it(
  'the client installs by the line of its page, with nothing but the address of the service',
  async () => {
    const [, line = ''] = /```sh\n(npm install .*)\n/.exec(readText('clients/typescript/README.md')) ?? [];
    const project = await mkdtemp(path.join(folder, 'project-'));
    await writeFile(path.join(project, 'package.json'), '{ "type": "module" }');
    // Of a registry it needs nothing.
    const npm = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_registry: 'http://127.0.0.1:9/' };
    await run('bash', ['-c', line], { cwd: project, env: { ...variables, ...npm }, timeout: RUN_MS });
    const program = "import { EInvoiceClient } from '@einvoice/client'; console.log(typeof EInvoiceClient);";
    await writeFile(path.join(project, 'first.js'), program);
    const { stdout } = await run(process.execPath, ['first.js'], { cwd: project, env: variables });
    expect(stdout).toBe('function\n');
  },
  RUN_MS,
);

const isMissing = (program: string): boolean =>
  process.env.CI === undefined && spawnSync(program, ['--version']).error !== undefined;

// What the snippets of TypeScript and Python print; of the languages' `true` the case differs.
const PRINTED = [
  'accepted 200',
  'batch Valid',
  'public page http',
  'replayed true true',
  'unchanged 304',
  'refused 400 validation_failed /docs/errors/validation_failed',
  'would cost 1 105.99',
  'note 200 2',
  'cancel 202',
  'tin true',
  'sent 100',
  'sent 30',
  'simulated 200',
];

function expectInOrder(out: string, texts: readonly string[]): void {
  let from = 0;
  for (const text of texts) {
    const found = out.toLowerCase().indexOf(text.toLowerCase(), from);
    expect(found, `${text} in ${out.slice(from)}`).toBeGreaterThanOrEqual(0);
    from = found + text.length;
  }
}

describe('the snippets of the guide do against the demo what their pages say', () => {
  it.skipIf(isMissing('curl'))(
    'with curl',
    async () => {
      const out = await runSnippets('bash', '-euo', 'pipefail', '-c', collectSnippets('bash'));
      expectInOrder(out, [
        '"submissionBatchId"',
        'batch Valid',
        'public page http',
        'Idempotent-Replayed: true',
        'HTTP/1.1 304',
        '"helpUrl":"/docs/errors/validation_failed"',
        '"totalPayableAmount":105.99',
        'X-Credits-Charged: 2',
        'HTTP/1.1 202',
        '"valid":true',
        'X-Credits-Charged: 1',
        'X-Credits-Charged: 1',
      ]);
    },
    RUN_MS,
  );

  it(
    'in TypeScript, which has no type error',
    async () => {
      const source = path.join(folder, 'guide.ts');
      await writeFile(source, `${collectSnippets('ts')}\nexport {};\n`);
      const compiler = path.join(REPOSITORY, 'node_modules/typescript/bin/tsc');
      const types = ['--typeRoots', path.join(REPOSITORY, 'node_modules/@types'), '--types', 'node'];
      const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'esnext', '--skipLibCheck', ...types];
      await runSnippets(process.execPath, compiler, ...options, source).catch((error: { stdout: string }) => {
        throw new Error(error.stdout);
      });
      const { code } = await transformWithOxc(collectSnippets('ts'), source);
      await writeFile(path.join(folder, 'guide.mjs'), code);
      expectInOrder(await runSnippets(process.execPath, 'guide.mjs'), PRINTED);
    },
    RUN_MS,
  );

  it.skipIf(isMissing('python3'))(
    'in Python',
    async () => {
      await writeFile(path.join(folder, 'guide.py'), collectSnippets('python'));
      expectInOrder(await runSnippets('python3', 'guide.py'), PRINTED);
    },
    RUN_MS,
  );
});
