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

// Runs the snippets in the guide as one program per language against the demo.

const START_MS = 300_000;
const RUN_MS = 120_000;
const run = promisify(execFile);

let data: TestData;
let folder: string;
let variables: NodeJS.ProcessEnv;

beforeAll(async () => {
  await buildPrograms();
  // Also builds the client package, which the global setup does not build.
  await run(process.execPath, [path.join(REPOSITORY, 'dist/site/main.js')]);
  data = await TestData.create();
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-snippets-'));
  // Takes precedence over the machine's client.
  await writeFile(path.join(folder, '.curlrc'), '');
  const baseUrl = await startDemo(data);
  const apiKey = await createOrganisation(data, { number: 1, credits: 1_000 });
  variables = {
    PATH: process.env.PATH,
    // A version manager may have installed Python there.
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

/** Joins the snippets of a language. */
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
  'client can be installed from the service without a registry',
  async () => {
    const [, line = ''] = /```sh\n(npm install .*)\n/.exec(readText('clients/typescript/README.md')) ?? [];
    const project = await mkdtemp(path.join(folder, 'project-'));
    await writeFile(path.join(project, 'package.json'), '{ "type": "module" }');
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

// Output of the TypeScript and Python snippets, except for the case of `true`.
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

describe('snippets in the guide', () => {
  it.skipIf(isMissing('curl'))(
    'work with curl',
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
    'compile and work in TypeScript',
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
    'work in Python',
    async () => {
      await writeFile(path.join(folder, 'guide.py'), collectSnippets('python'));
      expectInOrder(await runSnippets('python3', 'guide.py'), PRINTED);
    },
    RUN_MS,
  );
});
