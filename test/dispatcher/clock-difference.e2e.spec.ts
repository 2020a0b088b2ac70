import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { accept, createTenant, issue, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const GRACE_SECONDS = 61;
const MINUTES = 60;

const service = await startFileService({ simulator: { duplicateRules: false } });

/** An invoice dated in the past by every clock, because the authority rejects a future issue time. */
function yesterdays(): Record<string, unknown> {
  return invoice({ document_date: toMalaysianDate(new Date(Date.now() - 86_400_000)) });
}

/** An invoice issued two days ago. */
function olderInvoice(): Record<string, unknown> {
  return invoice({ document_date: toMalaysianDate(new Date(Date.now() - 2 * 86_400_000)) });
}

/** Moves only the authority's clock. */
async function moveAuthority(seconds: number): Promise<void> {
  await service.control('clock', { advanceSeconds: seconds });
}

/** Moves only the database clock. */
async function moveDatabase(seconds: number): Promise<void> {
  await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
}

/** Creates a tenant with a valid invoice, so that a new dispatcher has measured the authority's clock. */
async function startMeasuring(): Promise<TestTenant> {
  const tenant = await createTenant(service);
  await service.restart();
  await issue(service, tenant, yesterdays());
  return tenant;
}

/** Sends an invoice, drops the response, and returns a function that reads its status. */
async function loseResponse(tenant: TestTenant, body = yesterdays()): Promise<() => Promise<object>> {
  const { submissionBatchId } = await accept(service, tenant, [body]);
  await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
  await service.tick('submit');
  return async () => (await readStatus(service, tenant, submissionBatchId)).documents[0];
}

async function lookUp(): Promise<void> {
  await service.advance(GRACE_SECONDS);
  await service.tick('reconcile');
}

const ADOPTED = { submissionStatus: 'Submitted', authorityStatus: 'Submitted' };

describe('the first lookup after a lost response', () => {
  // The first lookup happens while the clocks agree.
  it.each([20, -20])("finds the document if the authority's Date headers are wrong by %d minutes", async (minutes) => {
    const tenant = await startMeasuring();
    const read = await loseResponse(tenant);
    await service.owner.query('UPDATE authority_clock SET difference_seconds = $1', [minutes * MINUTES]);
    await service.restart();
    await lookUp();
    expect(await read()).toMatchObject(ADOPTED);
  });

  it("finds the document after the authority's clock has moved by four minutes", async () => {
    const tenant = await startMeasuring();
    await moveAuthority(4 * MINUTES);
    const read = await loseResponse(tenant);
    await lookUp();
    expect(await read()).toMatchObject(ADOPTED);
  });

  it.each([
    ['ahead of', moveAuthority],
    ['behind', (seconds: number) => moveDatabase(2 * seconds)],
  ])("finds the document if the authority's clock is 20 minutes %s ours", async (_, move) => {
    await move(20 * MINUTES);
    const tenant = await startMeasuring();
    const read = await loseResponse(tenant);
    await service.owner.query(
      `DELETE FROM authority_clock WHERE measured_at < (SELECT max(measured_at) FROM authority_clock)`,
    );
    // Any replica may look up the call, even one that has made no calls.
    await service.restart();
    await lookUp();
    expect(await read()).toMatchObject(ADOPTED);
  });

  it("finds the document after a correction of the authority's clock", async () => {
    const tenant = await startMeasuring();
    const read = await loseResponse(tenant);
    await moveAuthority(20 * MINUTES);
    await service.restart();
    await accept(service, tenant, [yesterdays()]);
    await service.tick('submit');
    await lookUp();
    expect(await read()).toMatchObject(ADOPTED);
  });
});

describe('a clock difference of 25 hours', () => {
  const HOURS = 3_600;

  beforeAll(async () => {
    await moveDatabase(-25 * HOURS);
    await service.owner.query('DELETE FROM call_budget');
    await service.restart();
    await accept(service, await createTenant(service), [olderInvoice()]);
    await service.tick('submit');
  });
  beforeEach(() => service.owner.query('DELETE FROM call_budget'));

  it('does not hide a document with a lost response', async () => {
    const read = await loseResponse(await createTenant(service), olderInvoice());
    await lookUp();
    expect(await read()).toMatchObject(ADOPTED);
  });

  it('prevents a resend of documents that a lookup does not find', async () => {
    const tenant = await createTenant(service);
    await service.control('settings', { searchLagMs: 100 * HOURS * 1_000 });
    const read = await loseResponse(tenant, olderInvoice());
    for (let lookup = 0; lookup < 4; lookup += 1) await lookUp();
    expect(await read()).toMatchObject({ submissionStatus: 'Processing', waiting: { code: 'in_doubt' } });
    expect(
      await service.owner.query('SELECT sends, failure FROM authority_submission WHERE tenant_id = $1', [
        tenant.tenantId,
      ]),
    ).toEqual([{ sends: 1, failure: expect.stringContaining('differed by more than a day') as string }]);
    await service.control('settings', { searchLagMs: 0 });
    await lookUp();
    expect(await read()).toMatchObject(ADOPTED);
  });
});
