import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readStatus, submit, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { TestService } from '../support/service.js';
import { startFileProxy } from './authority-proxy.js';
import { dispatcherSettings, startReplica } from './replica.js';

// A payload that cannot be built delays neither its batch nor its tenant nor other tenants.

const proxy = await startFileProxy({
  simulator: { tokenSeconds: 86_400 },
  environment: { AUTHORITY_SANDBOX_RATE_FACTOR: '10' },
});
let tenant: TestTenant;
let other: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
  other = await createTenant(proxy.service);
});

async function queued(owner: TestTenant, documents: Record<string, unknown>[]) {
  const { submissionBatchId } = await accept(proxy.service, owner, documents);
  const read = async (): Promise<readonly DocumentStatusDto[]> =>
    (await readStatus(proxy.service, owner, submissionBatchId)).documents;
  return { submissionBatchId, read };
}

async function store(document: Record<string, unknown>, change: string): Promise<void> {
  await proxy.service.owner.query(`UPDATE document_transaction SET ${change} WHERE reference_id = $1`, [
    document.referenceId,
  ]);
}

/** Returns the time of the next call, which every granted slot delays. */
async function lastSlot(): Promise<Date> {
  const [{ next_at: nextAt }] = await proxy.service.owner.query<{ next_at: Date }[]>(
    `SELECT next_at FROM call_budget WHERE api = 'submit'`,
  );
  return nextAt;
}

describe('a document whose payload cannot be built', () => {
  it.each([
    ['a null payload', `payload = 'null'`],
    ['no lines', `payload = payload - 'lineItems'`],
    ['an invalid date', `payload = jsonb_set(payload, '{documentDate}', '"yesterday"')`],
    ['no recipient', `payload = jsonb_set(payload, '{recipient}', 'null')`],
  ])('fails with an explanation without delaying other documents: %s', async (_, change) => {
    const [broken, mate, neighbour] = [invoice(), invoice(), invoice()];
    const { read } = await queued(tenant, [broken, mate]);
    const beside = await queued(other, [neighbour]);
    await store(broken, change);
    await proxy.service.settle();
    expect(await read()).toMatchObject([
      {
        submissionStatus: 'SubmitFailed',
        authorityStatus: null,
        waiting: null,
        errors: [
          { code: 'document_not_buildable', pointer: null, hint: expect.stringContaining('documentId') as string },
        ],
      },
      { authorityStatus: 'Valid' },
    ]);
    expect(await beside.read()).toMatchObject([{ authorityStatus: 'Valid' }]);
    expect(proxy.listCalls('submit').flatMap(({ referenceIds }) => referenceIds)).not.toContain(broken.referenceId);
  });

  it('uses at most one slot of the call budget and frees its number', async () => {
    const broken = invoice();
    const { read } = await queued(tenant, [broken]);
    await store(broken, `payload = payload - 'lineItems'`);
    await proxy.service.tick('submit');
    const slot = await lastSlot();
    for (let tick = 0; tick < 5; tick += 1) await proxy.service.tick('submit');
    expect(await lastSlot()).toEqual(slot);
    expect(proxy.listCalls('submit')).toEqual([]);
    expect(await read()).toMatchObject([{ submissionStatus: 'SubmitFailed' }]);
    expect((await submit(proxy.service, tenant, [broken])).status).toBe(200);
  });
});

describe('a document whose payload was damaged after the send', () => {
  it.each([
    ['SIM-INVALID-CV302', { authorityStatus: 'Invalid', errors: [{ authorityCode: 'CV302' }] }],
    ['SIM-REJECT-CF349', { submissionStatus: 'SubmitFailed', errors: [{ authorityCode: 'CF349' }] }],
  ])("gets the authority's outcome without field names (%s)", async (prefix, end) => {
    const [spoilt, mate] = [invoice({ referenceId: reference(prefix) }), invoice()];
    const { read } = await queued(tenant, [spoilt, mate]);
    proxy.before.set('submit', () => store(spoilt, `payload = payload - 'lineItems'`));
    await proxy.service.settle();
    proxy.before.clear();
    expect(await read()).toMatchObject([end, { authorityStatus: 'Valid' }]);
  });
});

describe('a document of an environment without a dispatcher', () => {
  it('shows why it waits', async () => {
    const service = await TestService.start({ environments: ['sandbox', 'production'] });
    onTestFinished(() => service.stop());
    const producer = await createTenant(service, { environment: 'production' });
    const { submissionBatchId } = await accept(service, producer, [invoice()]);
    await service.advance(120);
    const dispatcher = await startReplica(dispatcherSettings(service, service.simulator.url));
    onTestFinished(() => dispatcher.close());
    await dispatcher.tick('housekeeping');
    const { documents } = await readStatus(service, producer, submissionBatchId);
    expect(documents).toMatchObject([{ submissionStatus: 'Queued', waiting: { code: 'environment_not_configured' } }]);
    await service.settle();
    expect((await readStatus(service, producer, submissionBatchId)).documents).toMatchObject([
      { authorityStatus: 'Valid', waiting: null },
    ]);
  });
});
