import { writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { queueCopies } from '../dispatcher/backlog.js';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { readPeakBytes, startApiProcess } from '../support/processes.js';
import { buildPrograms, startProgram } from '../support/program.js';
import { until } from '../support/until.js';

// What held polls cost others, with the usual rate limits. Phases without and with held polls alternate, so that what
// else the machine does counts for both; on a busy machine the ratio says little all the same.

const WAITING = 10_000;
/** So many that each stays below the rate limits of one key. */
const TENANTS = 100;
const MEMORY_MEGABYTES_MAX = 300;
const SUBMITS_PER_SECOND = 20;
const ROUNDS = 3;
const PHASE_SECONDS = 20;
/** Twice as long as a poll, so that as many end in each second, and in the beginning each reads its batch once. */
const CONNECT_SECONDS = 40;
const ROUND_MS_MAX = 300_000;
const P95_RATIO_MAX = 1.2;
/** Each changes the batches of one tenant. */
const CHANGING_CALLS = 5;
const CHANGE_SECONDS = 15;
const OVER_MS_MAX = 1_000;
const NOTICED_MS_MAX = 3_000;

interface Phase {
  readonly latenciesMs: number[];
  readonly statuses: Record<string, number>;
}

interface Round {
  readonly round: number;
  readonly alone: Phase;
  readonly nextToPolls: Phase;
  readonly held: number;
}

interface Outcome {
  readonly sent: number;
  readonly statuses: Record<string, number>;
  readonly hungUp: number;
  readonly errors: Record<string, number>;
  readonly early: number;
  readonly overMsMax: number;
  readonly changed: { batchId: string; at: number }[];
}

const USUAL_LIMITS = {
  RATE_LIMIT_REQUESTS_PER_MINUTE: '600',
  RATE_LIMIT_SUBMITS_PER_MINUTE: '120',
  RATE_LIMIT_TIN_CHECKS_PER_MINUTE: '60',
  RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE: '600',
};

const service = await startFileService();
await buildPrograms();
const api = await startApiProcess({ ...service.settings, ...USUAL_LIMITS, HELD_POLLS_MAX: String(WAITING) });
afterAll(() => api.stop());

async function queueBatches(tenant: TestTenant): Promise<string[]> {
  const of = reference();
  await accept(service, tenant, [invoice({ referenceId: of })]);
  const count = WAITING / TENANTS;
  await queueCopies(service, tenant, { of, count, prefix: 'HELD', batches: count });
  const rows = await service.owner.query<{ id: string }[]>(
    `SELECT submission_batch_id AS id FROM document_transaction WHERE tenant_id = $1 AND reference_id LIKE 'HELD-%'`,
    [tenant.tenantId],
  );
  return rows.map(({ id }) => id);
}

/** Has the dispatcher send some of the documents. @returns the batches that changed, of these */
async function changeSome(batchIds: readonly string[]): Promise<string[]> {
  for (let call = 0; call < CHANGING_CALLS; call += 1) await service.tick('submit');
  const rows = await service.owner.query<{ id: string }[]>(
    `SELECT submission_batch_id AS id FROM document_transaction
      WHERE submission_batch_id = ANY ($1) AND submission_status <> 'Queued'`,
    [batchIds],
  );
  return rows.map(({ id }) => id);
}

function findAt(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
}

function describe({ latenciesMs }: Phase): string {
  return [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${findAt(latenciesMs, share).toFixed(1)} ms`).join(', ');
}

const findRatio = ({ alone, nextToPolls }: Round): number =>
  findAt(nextToPolls.latenciesMs, 0.95) / findAt(alone.latenciesMs, 0.95);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function startClients(tenants: readonly TestTenant[], batches: readonly string[][]): ReturnType<typeof startProgram> {
  const body = { submission_type: 'non-consolidated', documents: [invoice({ referenceId: 'REFERENCE' })] };
  const task = {
    url: api.url,
    metricsUrl: api.metricsUrl,
    submitters: tenants.map(({ apiKey }) => ({ apiKey, body })),
    polls: tenants.flatMap(({ apiKey }, index) => batches[index].map((batchId) => ({ apiKey, batchId }))),
    submitsPerSecond: SUBMITS_PER_SECOND,
    rounds: ROUNDS,
    phaseSeconds: PHASE_SECONDS,
    connectSeconds: CONNECT_SECONDS,
    changeSeconds: CHANGE_SECONDS,
  };
  const taskFile = path.join(tmpdir(), 'waiting-clients.json');
  writeFileSync(taskFile, JSON.stringify(task));
  return startProgram([path.join(import.meta.dirname, 'waiting-clients.mjs'), taskFile]);
}

it(`${WAITING} held polls in one process lose nothing, take less than ${MEMORY_MEGABYTES_MAX} MB, and make the p95 of submits at most ${P95_RATIO_MAX} times as long`, async () => {
  const tenants = await Promise.all(Array.from({ length: TENANTS }, () => createTenant(service, { credits: 10_000 })));
  const batches = await Promise.all(tenants.map(queueBatches));
  const clients = startClients(tenants, batches);
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    await clients.printed(`{"round":${round},`, ROUND_MS_MAX);
    const line = (): string | undefined =>
      clients.out.split('\n').find((each) => each.startsWith(`{"round":${round},`));
    await until('the line is whole', () => line()?.endsWith('}') === true);
    const done = JSON.parse(line() ?? '') as Round;
    rounds.push(done);
    print(
      `alone: ${describe(done.alone)}; next to ${done.held} held polls: ${describe(done.nextToPolls)}; ` +
        `p95 ratio ${findRatio(done).toFixed(2)}, peak memory ${(readPeakBytes(api) / 1e6).toFixed(0)} MB, load ${loadavg()[0].toFixed(1)}`,
    );
  }
  const changed = await changeSome(batches.flat());
  const changedAt = Date.now();
  await clients.ended;
  expect(clients.error, `${api.isRunning()} ${api.output.slice(-1500)}`).toBe('');
  const lines = clients.out.trim().split('\n');
  const outcome = JSON.parse(lines.at(-1) ?? '') as Outcome;
  const noticedMs = Math.max(...outcome.changed.map(({ at }) => at)) - changedAt;
  const ratio = findAt(rounds.map(findRatio), 0.5);
  print(
    `${outcome.sent} polls ${JSON.stringify(outcome.statuses)}, held ${outcome.overMsMax.toFixed(0)} ms longer than asked at most; ` +
      `${changed.length} batches changed, noticed after ${noticedMs} ms; median p95 ratio ${ratio.toFixed(2)}`,
  );
  for (const { alone, nextToPolls, held } of rounds) {
    expect([Object.keys(alone.statuses), Object.keys(nextToPolls.statuses)]).toEqual([['200'], ['200']]);
    expect(held).toBeGreaterThan(WAITING * 0.99);
  }
  expect(lines.filter((line) => line.startsWith('{"leftBehind"'))).toEqual(Array(ROUNDS).fill('{"leftBehind":0}'));
  expect(outcome.errors).toEqual({});
  expect(Object.keys(outcome.statuses)).toEqual(['200', '304']);
  expect(outcome.early).toBe(0);
  expect(outcome.overMsMax).toBeLessThan(OVER_MS_MAX);
  // Those that were on their way, or between two polls, when the clients hung up.
  expect(outcome.hungUp).toBeLessThanOrEqual(ROUNDS * WAITING);
  expect(outcome.statuses[200] + outcome.statuses[304] + outcome.hungUp).toBe(outcome.sent);
  expect(changed.length).toBeGreaterThan(0);
  expect(new Set(outcome.changed.map(({ batchId }) => batchId))).toEqual(new Set(changed));
  expect(noticedMs).toBeLessThan(NOTICED_MS_MAX);
  expect(readPeakBytes(api) / 1e6).toBeLessThan(MEMORY_MEGABYTES_MAX);
  expect(ratio).toBeLessThanOrEqual(P95_RATIO_MAX);
}, 900_000);
