import { expect, it } from 'vitest';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { drain, queueCopies } from './backlog.js';

// Calls combine documents of several batches because all tenants share 100 calls a minute.

const CALL_DOCUMENTS = 100;
const OVERHEAD_MAX = 1.05;
/** Documents per tenant: invoices in small batches, and credit notes, some with the number of an invoice. */
const BACKLOGS = [
  { invoices: 4_400, notes: 600, batches: 900 },
  { invoices: 2_700, notes: 317, batches: 451 },
  { invoices: 1_700, notes: 280, batches: 122 },
];

// A slow call on a busy machine must not be in doubt, because the next call would then carry a single document.
const UNHURRIED = { AUTHORITY_DEADLINE_SECONDS: '60', DISPATCH_LEASE_SECONDS: '180' };

const service = await startFileService({ simulator: { unknownParents: 'accepted' }, environment: UNHURRIED });

/** Returns the number of waiting documents. */
async function queueBacklog(
  tenant: TestTenant,
  { invoices, notes, batches }: (typeof BACKLOGS)[number],
): Promise<number> {
  const [anInvoice, aNote] = [reference(), reference('CN')];
  const parent = { referenceId: 'ELSEWHERE', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
  await accept(service, tenant, [invoice({ referenceId: anInvoice }), creditNote(parent, { referenceId: aNote })]);
  await queueCopies(service, tenant, { of: anInvoice, count: invoices, prefix: 'DOC', batches });
  // Notes share numbers with invoices that are due at the same time. Documents with the same number never share a call.
  await queueCopies(service, tenant, { of: aNote, count: notes, prefix: 'DOC', batches: notes });
  return invoices + notes + 2;
}

it('sends 10,000 documents of small batches in at most 1.05 times the minimum number of calls', async () => {
  let least = 0;
  for (const backlog of BACKLOGS) {
    const waiting = await queueBacklog(await createTenant(service), backlog);
    least += Math.ceil(waiting / CALL_DOCUMENTS);
  }
  await drain(service);
  const log = await service.wireLog();
  const all = [...log, ...(log.length === 10_000 ? await rest(log.at(-1)?.sequence ?? 0) : [])];
  const calls = new Set(all.map(({ submissionUid }) => submissionUid)).size;
  process.stdout.write(
    `${all.length} documents in ${calls} calls; at least ${least} are needed: ${(calls / least).toFixed(3)}\n`,
  );
  expect(all).toHaveLength(BACKLOGS.reduce((sum, { invoices, notes }) => sum + invoices + notes + 2, 0));
  expect(new Set(all.map(({ supplierTin, type, number }) => `${supplierTin}/${type}/${number}`)).size).toBe(all.length);
  expect(calls).toBeLessThanOrEqual(OVERHEAD_MAX * least);
}, 180_000);

async function rest(
  after: number,
): Promise<{ submissionUid: string; supplierTin: string; type: string; number: string }[]> {
  const response = await fetch(`${service.simulator.url}/_control/wire-log?after=${after}`);
  return (await response.json()) as { submissionUid: string; supplierTin: string; type: string; number: string }[];
}
