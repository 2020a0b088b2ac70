import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildSite } from '../../site/build-site.js';
import { createOrganisation, startDemo } from '../sandbox-suite/demo.js';
import { TestData } from '../standalone/test-data.js';
import { buildPrograms, REPOSITORY } from '../support/program.js';

// The files that a reader downloads from /docs, run from an empty folder by newman and bru against the demo. Both are
// installed here, of the versions in package-lock.json of this folder: together they are larger than the service.

const START_MS = 600_000;
const RUN_MS = 120_000;
const run = promisify(execFile);

let data: TestData;
let folder: string;
let baseUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-collections-'));
  for (const file of ['package.json', 'package-lock.json']) {
    await copyFile(path.join(REPOSITORY, 'test/collections', file), path.join(folder, file));
  }
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  for (const [file, content] of buildSite()) {
    if (!/^(?:postman|bruno)\//.test(file)) continue;
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), content);
  }
  await buildPrograms();
  data = await TestData.create();
  baseUrl = await startDemo(data);
}, START_MS);

afterAll(async () => {
  await data?.stopPrograms();
  await data?.remove();
  if (folder !== undefined) await rm(folder, { recursive: true });
}, START_MS);

async function runProgram(name: string, words: readonly string[], cwd = folder): Promise<string> {
  const { stdout } = await run(path.join(folder, 'node_modules/.bin', name), [...words], {
    cwd,
    timeout: RUN_MS,
  }).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  return stdout;
}

const CHECKS = ['the documents are queued', 'the batch is Valid', 'the TIN is valid', 'the cancellation is queued'];

/** Writes a value of this run into an environment file, after the text that `before` matches. */
async function fillIn(file: string, before: RegExp, value: string): Promise<void> {
  const environment = path.join(folder, file);
  const text = await readFile(environment, 'utf8');
  expect(text).toMatch(before);
  await writeFile(environment, text.replace(before, `$1${value}`));
}

it(
  'newman submits, follows, checks a TIN and cancels with the Postman collection and its environment',
  async () => {
    const environment = 'postman/environment.json';
    const apiKey = await createOrganisation(data, { number: 1, credits: 10 });
    await fillIn(environment, /("key": "baseUrl",\s+"value": ")[^"]+/, baseUrl);
    await fillIn(environment, /("key": "apiKey",\s+"value": ")/, apiKey);
    const files = ['postman/collection.json', '--environment', environment];
    const out = await runProgram('newman', ['run', ...files, '--disable-unicode']);
    for (const check of CHECKS) expect(out).toContain(`Pass  ${check}`);
  },
  RUN_MS,
);

it(
  'bru submits, follows, checks a TIN and cancels with the Bruno folder and its environment',
  async () => {
    const apiKey = await createOrganisation(data, { number: 2, credits: 10 });
    const environment = 'bruno/environments/demo.bru';
    await fillIn(environment, /(^ {2}baseUrl: ).+/m, baseUrl);
    // What is secret bru keeps outside of the folder.
    expect(await readFile(path.join(folder, environment), 'utf8')).toMatch(/^vars:secret \[\s+apiKey\s/m);
    const words = ['run', '--env', 'demo', '--env-var', `apiKey=${apiKey}`];
    const out = await runProgram('bru', words, path.join(folder, 'bruno'));
    for (const check of CHECKS) expect(out).toContain(`✓ ${check}`);
  },
  RUN_MS,
);
