import { expect, it } from 'vitest';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { drain, queueCopies } from './backlog.js';

// Fairness between tenants, measured in authority calls because all tenants share the call budget.

const QUEUED = 100_000;
const TENANTS = 50;
const ROUNDS_MAX = 1.5;

// A slow call on a busy machine must not be in doubt, because the next call would then carry a single document.
const UNHURRIED = { AUTHORITY_DEADLINE_SECONDS: '60', DISPATCH_LEASE_SECONDS: '180' };

const service = await startFileService({ environment: UNHURRIED });

it(`serves 49 tenants with one document each within 1.5 rounds of calls while another has ${QUEUED} documents`, async () => {
  const many = await createTenant(service);
  const sample = reference();
  await accept(service, many, [invoice({ referenceId: sample })]);
  await queueCopies(service, many, { of: sample, count: QUEUED, prefix: 'MANY', batches: 1_000 });
  await service.tick('submit');
  const few: TestTenant[] = [];
  const numbers: string[] = [];
  for (let tenant = 1; tenant < TENANTS; tenant += 1) {
    few.push(await createTenant(service));
    numbers.push(reference('FEW'));
  }
  await Promise.all(few.map((tenant, index) => accept(service, tenant, [invoice({ referenceId: numbers[index] })])));
  const before = (await service.wireLog()).length;

  const isTaken = (taken: ReadonlySet<string>): boolean => numbers.every((number) => taken.has(number));
  await drain(service, async () => isTaken(new Set((await service.wireLog()).map(({ number }) => number))));

  const calls = [...new Set((await service.wireLog()).slice(before).map(({ submissionUid }) => submissionUid))];
  const waits = (await service.wireLog())
    .filter(({ number }) => numbers.includes(number))
    .map(({ submissionUid }) => calls.indexOf(submissionUid) + 1)
    .sort((a, b) => a - b);
  expect(waits).toHaveLength(TENANTS - 1);
  const p95 = waits[Math.ceil(waits.length * 0.95) - 1];
  process.stdout.write(
    `calls until a tenant's one document was sent: p95 ${p95}, most ${waits.at(-1)}, a round is ${TENANTS}\n`,
  );
  expect(waits.at(-1)).toBeLessThanOrEqual(ROUNDS_MAX * TENANTS);
  // The large tenant is not starved: its calls alternate with the others.
  const ofMany = (await service.wireLog()).slice(before).filter(({ number }) => number.startsWith('MANY'));
  expect(ofMany.length).toBeGreaterThan(0);
}, 120_000);
