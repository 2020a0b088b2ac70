import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { GCProfiler } from 'node:v8';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyTemplates, Numbering, renderBody } from '../../bench/content/templates.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { rawRequest } from '../support/raw-http.js';

// Costs of a submit and a poll are counted instead of timed, so that they are equal on every machine.

const FILE = path.resolve(import.meta.dirname, 'budget.json');

/** Tolerated excess over the budget, as a fraction. */
const TOLERANCES = {
  statementsOfASubmit: 0,
  statementsOfABatch: 0,
  statementsOfAPoll: 0,
  /** For batches of 100 documents with three lines each. The number of touched pages varies between runs. */
  walBytesOfADocument: 0.05,
  /** Heap allocations of API, driver and test client. The code that V8 has compiled varies between runs. */
  allocatedKilobytesOfABatch: 0.25,
} as const;

type Figure = keyof typeof TOLERANCES;
type Figures = Readonly<Record<Figure, number>>;

const DOCUMENTS = 100;
const BODIES = 8;
const ROUNDS = { min: 3, max: 30 } as const;
/** On a busy machine, each try may include a periodic lookup of the key or the tenant. */
const TRIES = 6;
const MS_MAX = 120_000;

const service = await startFileService();
const superuser = new pg.Client({ connectionString: service.database.superuserUrl });
let tenant: TestTenant;

beforeAll(async () => {
  await superuser.connect();
  await superuser.query('CREATE EXTENSION pg_walinspect');
  await superuser.query('SET synchronous_commit = on');
  // Retains the WAL during checkpoints, which tests of other files may cause.
  await superuser.query(`SELECT pg_create_physical_replication_slot('wal_of_the_budget', true, true)`);
  tenant = await createTenant(service, { credits: 1_000_000 });
});

afterAll(() => superuser.end());

it(
  'keeps a submit, a batch of 100 and a poll within their budget',
  async () => {
    const budget = readBudget();
    const measured = await measure(budget);
    const over = (Object.keys(TOLERANCES) as Figure[]).filter((name) => isOver(budget, name, measured[name]));
    const renewed = { ...budget, ...Object.fromEntries(over.map((name) => [name, measured[name]])) };
    const told = over.map((name) => `${name} is ${measured[name]}, its budget ${budget[name] ?? 'missing'}`);
    const advice =
      `${told.join('; ')}. If the change is worth it, \`npx vitest run test/cost --update\` renews what is over; after a ` +
      'saving, delete test/cost/budget.json first';
    await expect(`${JSON.stringify(renewed, null, 2)}\n`, advice).toMatchFileSnapshot(FILE, advice);
  },
  MS_MAX,
);

function readBudget(): Partial<Figures> {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Figures) : {};
}

function isOver(budget: Partial<Figures>, name: Figure, measured: number): boolean {
  return !(measured <= (budget[name] ?? 0) * (1 + TOLERANCES[name]));
}

async function measure(budget: Partial<Figures>): Promise<Figures> {
  const batch = Array.from({ length: DOCUMENTS }, () => null);
  const { submissionBatchId } = await accept(service, tenant, [invoice()]);
  const rounds = await measureRounds(({ allocatedKilobytes }) =>
    isOver(budget, 'allocatedKilobytesOfABatch', allocatedKilobytes),
  );
  return {
    statementsOfASubmit: await countLeast(() => accept(service, tenant, [invoice()])),
    statementsOfABatch: await countLeast(() =>
      accept(
        service,
        tenant,
        batch.map(() => invoice()),
      ),
    ),
    statementsOfAPoll: await countLeast(() => readStatus(service, tenant, submissionBatchId)),
    walBytesOfADocument: Math.min(...rounds.map(({ walBytes }) => walBytes)),
    allocatedKilobytesOfABatch: Math.min(...rounds.map(({ allocatedKilobytes }) => allocatedKilobytes)),
  };
}

/** Counts the statements of the API including BEGIN and COMMIT by the ReadyForQuery messages of the database. */
async function countLeast(work: () => Promise<unknown>): Promise<number> {
  const { master: pool } = service.api.get(DataSource).driver as unknown as { master: pg.Pool };
  const seen = new Set<pg.PoolClient>();
  let statements = 0;
  const watch = (client: pg.PoolClient): void => {
    if (seen.has(client)) return;
    seen.add(client);
    client.connection.on('readyForQuery', onReady);
  };
  const onReady = (): void => void (statements += 1);
  pool.on('acquire', watch);
  try {
    const counts: number[] = [];
    for (let tried = 0; tried < TRIES; tried += 1) {
      statements = 0;
      await work();
      counts.push(statements);
    }
    return Math.min(...counts);
  } finally {
    pool.off('acquire', watch);
    for (const { connection } of seen) connection.off('readyForQuery', onReady);
  }
}

interface Round {
  readonly walBytes: number;
  readonly allocatedKilobytes: number;
}

/**
 * Repeats the same bodies with new numbers. The first rounds allocate up to 25 % more until V8 has optimised the code,
 * which takes longer on a busy machine.
 */
async function measureRounds(isRoundOver: (round: Round) => boolean): Promise<Round[]> {
  const templates = bodyTemplates(DOCUMENTS).slice(0, BODIES);
  const numbering = new Numbering(`INV-${randomUUID().slice(0, 6)}`);
  const rounds: Round[] = [];
  while (rounds.length < ROUNDS.min || (rounds.length < ROUNDS.max && rounds.every(isRoundOver))) {
    const bodies = templates.map((template) => Buffer.from(renderBody(template, numbering)));
    const since = await readWalPosition();
    const allocated = await measureAllocated(async () => {
      for (const body of bodies) await submitBody(body);
    });
    rounds.push({
      walBytes: Math.round((await readWalBytes(since)) / (bodies.length * DOCUMENTS)),
      allocatedKilobytes: Math.round(allocated / (bodies.length * 1_000)),
    });
  }
  return rounds;
}

async function submitBody(body: Buffer): Promise<void> {
  const headers = [
    ['Content-Type', 'application/json'],
    ['X-API-Key', tenant.apiKey],
    ['idempotency-key', randomUUID()],
  ] as const;
  const response = await rawRequest(service, { path: '/api/v1/einvoice/submit', headers, body });
  if (response.status !== 200) throw new Error(`Submit: ${response.status} ${response.text}`);
}

/** Measures heap growth plus garbage-collected bytes. */
async function measureAllocated(work: () => Promise<void>): Promise<number> {
  const profiler = new GCProfiler();
  profiler.start();
  const before = process.memoryUsage().heapUsed;
  await work();
  const grown = process.memoryUsage().heapUsed - before;
  const { statistics } = profiler.stop();
  const collected = statistics.map(
    ({ beforeGC, afterGC }) => beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
  );
  return collected.reduce((sum, bytes) => sum + bytes, grown);
}

/** Flushes the WAL, because only flushed records can be inspected, and returns its end. */
async function readWalPosition(): Promise<string> {
  await superuser.query(`SELECT pg_logical_emit_message(true, 'test', '')`);
  const { rows } = await superuser.query<{ position: string }>('SELECT pg_current_wal_flush_lsn() AS position');
  return rows[0].position;
}

const WAL_BYTES = /* sql */ `
  SELECT sum(bytes)::integer AS bytes
    FROM (SELECT max(record_length) - sum(block_fpi_length) AS bytes
            FROM pg_get_wal_block_info($1, $2, false)
           WHERE reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
           GROUP BY start_lsn) AS record`;

/** Sums the WAL of rows and indexes of this database, without full-page images. */
async function readWalBytes(since: string): Promise<number> {
  const { rows } = await superuser.query<{ bytes: number }>(WAL_BYTES, [since, await readWalPosition()]);
  return rows[0].bytes;
}
