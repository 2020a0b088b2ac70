import { expect, it } from 'vitest';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Removed queue entries stay in the index while any session has an old snapshot. Searches therefore start at the floor
// of the tenant queue, and must still find every queued document.

const service = await startFileService();

/** A queued document with its waiting time in seconds. */
async function queued(tenant: TestTenant, secondsAgo: number): Promise<string> {
  const { submissionBatchId } = await accept(service, tenant, [invoice()]);
  await service.owner.query(
    `UPDATE document_transaction SET due_at = service_now() - make_interval(secs => $2) WHERE submission_batch_id = $1`,
    [submissionBatchId, secondsAgo],
  );
  return submissionBatchId;
}

async function listStatuses(tenant: TestTenant, batches: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(batches.map((batch) => readStatus(service, tenant, batch)));
  return answers.map(({ status }) => status);
}

it('starts a queue search at or after the start of the previous one', async () => {
  const tenant = await createTenant(service);
  for (let call = 0; call < 3; call += 1) {
    await accept(
      service,
      tenant,
      Array.from({ length: 100 }, () => invoice({ referenceId: reference() })),
    );
  }
  await service.owner.query(
    `UPDATE document_transaction t SET due_at = service_now() - interval '1 hour' + p.nth * interval '1 second'
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS nth FROM document_transaction WHERE tenant_id = $1) p
      WHERE t.tenant_id = $1 AND t.id = p.id`,
    [tenant.tenantId],
  );
  const walked: number[] = [];
  for (let call = 0; call < 3; call += 1) {
    await service.tick('submit');
    const [{ left }] = await service.owner.query<{ left: number }[]>(
      `SELECT count(*)::integer AS left FROM document_transaction t
         JOIN tenant_queue l ON l.tenant_id = t.tenant_id AND l.environment = t.environment AND l.operation = 'submit'
        WHERE t.tenant_id = $1 AND t.submission_status <> 'Queued' AND t.due_at >= l.floor_due_at`,
      [tenant.tenantId],
    );
    walked.push(left);
  }
  expect(walked).toEqual([100, 100, 100]);
});

it('immediately finds a document that is queued again at its old position below the floor', async () => {
  const tenant = await createTenant(service);
  // The tenant has logged in by then.
  await queued(tenant, 900);
  await service.tick('submit');
  const old = await queued(tenant, 600);
  await service.control('faults', [{ when: { api: 'submit' }, fault: '429-seconds', times: 1 }]);
  await service.control('settings', { latencyMs: 1_000 });
  const refused = service.tick('submit');
  await expect.poll(() => listStatuses(tenant, [old]), { interval: 10 }).toEqual(['Processing']);
  const next = await queued(tenant, 300);
  await service.tick('submit');
  await refused;
  await service.control('settings', { latencyMs: 0 });
  expect(await listStatuses(tenant, [old, next])).toEqual(['Queued', 'Submitted']);
  await service.advance(120);
  await service.tick('submit');
  expect(await listStatuses(tenant, [old])).toEqual(['Submitted']);
});

it('finds a document of a slow acceptance in the next search from the start of the queue', async () => {
  const tenant = await createTenant(service);
  const first = await queued(tenant, 0);
  await service.tick('submit');
  const late = await queued(tenant, 600);
  expect(await service.tick('submit'), 'the late one lies below the floor').toBe(0);
  await service.advance(30);
  await service.tick('housekeeping');
  await service.tick('submit');
  expect(await listStatuses(tenant, [first, late])).toEqual(['Submitted', 'Submitted']);
});
