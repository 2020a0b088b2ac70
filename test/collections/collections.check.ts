import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildSite } from '../../site/build-site.js';
import { createOrganisation, startDemo } from '../sandbox-suite/demo.js';
import { TestData } from '../standalone/test-data.js';
import { buildPrograms, REPOSITORY } from '../support/program.js';

// Runs the Postman collection of the docs site with newman against the demo. newman is installed here and not with the
// service, because it is larger than the service.

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
    if (!file.startsWith('postman/')) continue;
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

it(
  'the Postman collection submits, polls, checks a TIN and cancels',
  async () => {
    const apiKey = await createOrganisation(data, { number: 1, credits: 10 });
    const files = ['postman/collection.json', '--environment', 'postman/environment.json', '--disable-unicode'];
    const variables = [`baseUrl=${baseUrl}`, `apiKey=${apiKey}`].flatMap((text) => ['--env-var', text]);
    const newman = run(path.join(folder, 'node_modules/.bin/newman'), ['run', ...files, ...variables], {
      cwd: folder,
      timeout: RUN_MS,
    });
    const { stdout } = await newman.catch((error: { stdout: string }) => error);
    const names = ['the documents are queued', 'the batch is Valid', 'the TIN is valid', 'the cancellation is queued'];
    for (const name of names) expect(stdout).toContain(`Pass  ${name}`);
  },
  RUN_MS,
);
