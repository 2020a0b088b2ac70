import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { queueCopies } from '../dispatcher/backlog.js';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { readPeakMegabytes, startApiProcess } from '../support/processes.js';
import { buildPrograms, startProgram } from '../support/program.js';
import { until } from '../support/until.js';

// What held polls cost others: counts and memory are asserted, times only printed, since other programs share the
// machine.

const WAITING = 10_000;
const TENANTS = 20;
const MEMORY_MEGABYTES_MAX = 300;
const SUBMITS_PER_SECOND = 20;
const PHASE_SECONDS = 25;

const service = await startFileService();
await buildPrograms();
const api = await startApiProcess({ ...service.settings, HELD_POLLS_MAX: String(WAITING) });
afterAll(() => api.stop());

interface Phase {
  readonly latenciesMs: number[];
  readonly statuses: Record<string, number>;
}

async function readHeld(): Promise<number> {
  const text = await (await fetch(api.metricsUrl)).text();
  return Number(/^einvoice_held_polls (\d+)$/m.exec(text)?.[1]);
}

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

function describe({ latenciesMs }: Phase): string {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const at = (share: number): string => sorted[Math.floor(sorted.length * share)].toFixed(1);
  return `${sorted.length} submits, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
}

it(`${WAITING} held polls in one process take less than ${MEMORY_MEGABYTES_MAX} MB, and every submit next to them is accepted`, async () => {
  const tenants = await Promise.all(Array.from({ length: TENANTS }, () => createTenant(service, { credits: 10_000 })));
  const batches = await Promise.all(tenants.map(queueBatches));
  const polls = tenants.flatMap(({ apiKey }, index) => batches[index].map((batchId) => ({ apiKey, batchId })));
  const body = { submission_type: 'non-consolidated', documents: [invoice({ referenceId: 'REFERENCE' })] };
  const taskFile = path.join(tmpdir(), 'waiting-clients.json');
  const submitters = tenants.map(({ apiKey }) => ({ apiKey, body }));
  const task = { url: api.url, submitters, polls, submitsPerSecond: SUBMITS_PER_SECOND, phaseSeconds: PHASE_SECONDS };
  writeFileSync(taskFile, JSON.stringify(task));
  const clients = startProgram([path.join(import.meta.dirname, 'waiting-clients.mjs'), taskFile]);
  let heldMost = 0;
  await until(
    'the clients have measured',
    async () => {
      heldMost = Math.max(heldMost, await readHeld());
      return clients.out.includes('\n') || !clients.isRunning();
    },
    180_000,
  );
  await clients.ended;
  expect(clients.error, `${api.isRunning()} ${heldMost} ${api.output.slice(-1500)}`).toBe('');
  const [phases, ends] = clients.out.trim().split('\n');
  const { before, during } = JSON.parse(phases) as Record<'before' | 'during', Phase>;
  const { polls: statuses, overMs } = JSON.parse(ends) as { polls: Record<string, number>; overMs: number };
  process.stdout.write(
    `alone: ${describe(before)}\nnext to ${heldMost} held polls: ${describe(during)}\n` +
      `memory ${readPeakMegabytes(api).toFixed(0)} MB; held ${overMs.toFixed(0)} ms longer than asked at most\n`,
  );
  expect(Object.keys(before.statuses)).toEqual(['200']);
  expect(Object.keys(during.statuses)).toEqual(['200']);
  expect(Object.keys(statuses)).toEqual(['304']);
  expect(heldMost).toBeGreaterThan(WAITING * 0.95);
  expect(readPeakMegabytes(api)).toBeLessThan(MEMORY_MEGABYTES_MAX);
}, 300_000);
