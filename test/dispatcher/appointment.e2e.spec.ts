import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/processes/cli.js';
import type { QueueReport } from '../../src/dispatcher/operations/queue-report.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { accept, cancel, createTenant, issue, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { runQueueCommand } from '../support/queue-command.js';

// After a tenant withdraws the appointment of the intermediary, only its own documents
// wait (docs/rules.md#status-response).

const HOUR = 3_600;
const FIRST_PAUSE_SECONDS = 30;

const service = await startFileService();
beforeAll(() => service.stopClock());

async function appoint(tenant: TestTenant, appointed: boolean): Promise<void> {
  const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
    tenant.tenantId,
  ]);
  await service.control('taxpayers', { tin, appointed });
}

/** Seconds until the next attempt to send the tenant's documents. */
async function readPauseSeconds(tenant: TestTenant): Promise<number> {
  const [{ seconds }] = await service.owner.query<{ seconds: number }[]>(
    `SELECT extract(epoch FROM waiting_until - service_now())::float8 AS seconds FROM tenant_queue
      WHERE tenant_id = $1 AND operation = 'submit'`,
    [tenant.tenantId],
  );
  return seconds;
}

it('shows the missing appointment as the reason of a waiting cancellation in "queue show"', async () => {
  const tenant = await createTenant(service);
  const [{ documentId }] = (await issue(service, tenant, invoice())).documents;
  await cancel(service, tenant, { documentId });
  await appoint(tenant, false);
  await service.owner.query('DELETE FROM authority_token WHERE tenant_id = $1', [tenant.tenantId]);
  await service.restart();
  await service.tick('cancel');
  const readReason = async (): Promise<string | null | undefined> => {
    const { tenantQueues } = JSON.parse((await runQueueCommand(service, 'show', '--json')).out) as QueueReport;
    return tenantQueues.find(({ tenantId, operation }) => tenantId === tenant.tenantId && operation === 'cancel')
      ?.waitingCode;
  };
  expect(await readReason()).toBe('not_appointed');
  await appoint(tenant, true);
  await service.advance(HOUR);
  await service.tick('cancel');
  expect(await readReason()).toBeUndefined();
  await service.settle();
});

describe.each([
  ['its login is rejected', false],
  ['its calls are rejected although its token is valid', true],
])('documents of a tenant without an appointment: %s', (_, isLoggedIn) => {
  it('are retried at intervals growing to one hour until the tenant restores the appointment', async () => {
    const tenant = await createTenant(service);
    if (isLoggedIn) await issue(service, tenant, invoice());
    await appoint(tenant, false);
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    let expected = FIRST_PAUSE_SECONDS;
    for (let tries = 0; tries < 10; tries += 1) {
      expect(await service.tick('submit')).toBe(1);
      const pause = await readPauseSeconds(tenant);
      expect(pause).toBeCloseTo(expected, 3);
      expect(await service.tick('submit'), 'not tried before its time').toBe(0);
      await service.advance(pause + 1);
      expected = Math.min(expected * 2, HOUR);
    }
    expect(expected).toBe(HOUR);
    const waiting = (await readStatus(service, tenant, submissionBatchId)).documents[0];
    expect(waiting).toMatchObject({ submissionStatus: 'Queued' });
    await appoint(tenant, true);
    await service.settle();
    expect((await readStatus(service, tenant, submissionBatchId)).documents[0].authorityStatus).toBe('Valid');
  });

  it('are retried immediately after "queue retry" without delaying other tenants', async () => {
    const tenant = await createTenant(service);
    if (isLoggedIn) await issue(service, tenant, invoice());
    await appoint(tenant, false);
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    for (let tries = 0; tries < 5; tries += 1) {
      await service.tick('submit');
      await service.advance((await readPauseSeconds(tenant)) + 1);
    }
    await service.tick('submit');
    expect((await readStatus(service, tenant, submissionBatchId)).documents[0].waiting?.code).toBe('not_appointed');
    const other = await createTenant(service);
    const sent = await accept(service, other, [invoice()]);
    expect(await service.tick('submit')).toBe(1);
    expect((await readStatus(service, other, sent.submissionBatchId)).documents[0].submissionStatus).toBe('Submitted');

    await appoint(tenant, true);
    expect(await service.tick('submit'), 'its time has not come').toBe(0);
    expect(await queueRetry(tenant)).toEqual({
      retried: [{ environment: 'sandbox', reason: 'not_appointed' }],
    });
    expect(await service.tick('submit')).toBe(1);
    expect((await readStatus(service, tenant, submissionBatchId)).documents[0]).toMatchObject({
      submissionStatus: 'Submitted',
      waiting: null,
    });
    expect(await queueRetry(tenant)).toEqual({ retried: [] });
  });
});

async function queueRetry({ tenantId }: TestTenant): Promise<unknown> {
  const configuration = readConfiguration('operator', { DATABASE_OWNER_URL: service.database.ownerUrl });
  let text = '';
  const exitCode = await runCli(configuration, ['queue', 'retry', '--tenant', tenantId, '--json'], {
    out: (written) => (text += written),
    error: (written) => (text += written),
  });
  expect(exitCode, text).toBe(0);
  return JSON.parse(text);
}
