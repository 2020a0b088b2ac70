import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import type { Run, SubmitRequest } from '../../clients/typescript/src/index.js';
import { auditCredits } from '../support/audit.js';
import { createTenant, readBalance } from '../support/client.js';
import { startFileService } from '../support/file-service.js';
import { startProgram } from '../support/program.js';
import { until } from '../support/until.js';
import { createRandom, RANDOM_SEED } from '../support/random.js';
import { CrashingMachine } from './crashing-machine.js';
import { connect, countAttempts, invoices, MapStore } from './harness.js';
import { buildClient } from './package.js';

// Crashes a client at any step of submitAll and calls it again. The dispatcher runs between the crashes, and the
// authority rejects every document. The service would therefore accept and charge a repeated document again, so that
// only the keys prevent duplicates.

const CRASHES = 960;
const KILLS = 40;
const DOCUMENTS = 11;
const DOCUMENTS_PER_REQUEST = 3;
const CREDITS = 100_000;
/** Steps of one call: three per request and four per entry in the store. */
const STEPS_MAX = 18;
const CALLS_MAX = 200;
/** Store writes before the client is killed. A request has two. */
const KEPT_MAX = 6;
const KILL_MS_MAX = 20;

const PROGRAM = fileURLToPath(new URL('fixtures/submit-list.mjs', import.meta.url));

const random = createRandom(RANDOM_SEED);
const service = await startFileService();
const folder = await mkdtemp(path.join(tmpdir(), 'einvoice-client-'));
afterAll(() => rm(folder, { recursive: true }));

const pick = (count: number): number => Math.floor(random() * count);

function createList(): SubmitRequest {
  const documents = invoices(DOCUMENTS).map((document) => ({
    ...document,
    referenceId: `SIM-REJECT-CV302-${document.referenceId}`,
  }));
  return { submission_type: 'non-consolidated', documents };
}

const tenant = await createTenant(service, { credits: CREDITS });
const submitted: string[] = [];

async function expectSubmittedOnce(): Promise<void> {
  const attempts = await countAttempts(service, tenant);
  expect([...attempts].filter(([, times]) => times > 1)).toEqual([]);
  expect(submitted.filter((number) => !attempts.has(number))).toEqual([]);
  expect(attempts.size).toBe(submitted.length);
  expect(await readBalance(service, tenant)).toBe(CREDITS - submitted.length);
  expect(await auditCredits(service.owner, tenant.tenantId)).toEqual([]);
}

/** Repeats a run until it completes. Returns the number of crashes. */
async function crashThrough(runId: string): Promise<number> {
  const request = createList();
  const store = new MapStore();
  const startedAt = new Date();
  const hasStore = random() < 0.5;
  const late: (() => Promise<unknown>)[] = [];
  for (let crashes = 0; crashes < CALLS_MAX; crashes += 1) {
    const machine = new CrashingMachine(1 + pick(STEPS_MAX), random, late);
    const settings = { runId, documentsPerRequest: DOCUMENTS_PER_REQUEST };
    const run: Run = hasStore ? { ...settings, store: machine.wrap(store) } : { ...settings, startedAt };
    // Delivers delayed requests of an earlier client before or during the next call.
    const arriving = late.splice(0, pick(late.length + 1)).map((deliver) => deliver());
    const call = connect(service, tenant, { fetch: machine.fetch }).submitAll(request, run);
    const end = await Promise.race([call, machine.crashed]);
    await Promise.all(arriving);
    if (pick(3) === 0) await service.tick('submit');
    if (end === 'crashed') continue;
    submitted.push(...request.documents.map(({ referenceId }) => referenceId));
    await Promise.all(late.map((deliver) => deliver()));
    return crashes;
  }
  throw new Error(`Run ${runId} did not come to its end in ${CALLS_MAX} calls`);
}

it(`submits every document exactly once despite ${CRASHES} crashes (seed ${RANDOM_SEED})`, async () => {
  let crashes = 0;
  for (let number = 0; crashes < CRASHES; number += 1) crashes += await crashThrough(`played-${number}`);
  await service.tick('submit');
  await expectSubmittedOnce();
}, 600_000);

it(`submits every document exactly once despite ${KILLS} kills (seed ${RANDOM_SEED})`, async () => {
  const client = await buildClient(path.join(folder, 'client'));
  let kills = 0;
  for (let number = 0; kills < KILLS; number += 1) kills += await killThrough(client, number);
  await service.tick('submit');
  await expectSubmittedOnce();
}, 600_000);

async function killThrough(client: string, number: number): Promise<number> {
  const request = createList();
  const runFolder = path.join(folder, `run-${number}`);
  await mkdir(runFolder);
  const settings = path.join(runFolder, 'settings.json');
  const list = { runId: `killed-${number}`, documentsPerRequest: DOCUMENTS_PER_REQUEST, request };
  const texts = { baseUrl: service.url, apiKey: tenant.apiKey, folder: runFolder, ...list };
  await writeFile(settings, JSON.stringify(texts));
  for (let kills = 0; kills < CALLS_MAX; kills += 1) {
    const program = startProgram([PROGRAM, client, settings]);
    const kept = pick(KEPT_MAX);
    const isFar = (): boolean => program.out.includes('begun') && program.out.split('kept').length > kept;
    await until('the client comes so far', () => isFar() || !program.isRunning());
    await delay(pick(KILL_MS_MAX));
    program.kill('SIGKILL');
    const { exitCode, signal } = await program.ended;
    await service.tick('submit');
    if (signal === 'SIGKILL') continue;
    if (exitCode !== 0) throw new Error(program.output);
    submitted.push(...request.documents.map(({ referenceId }) => referenceId));
    return kills;
  }
  throw new Error(`Run ${number} did not come to its end in ${CALLS_MAX} calls`);
}
