import { afterAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readStatus } from '../support/client.js';
import { invoice, reference, today } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// The authority rejects issue times older than 72 hours (docs/rules.md#issue-time).
// src/documents/issue-time.spec.ts tests the computation.

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const LIMIT_HOURS = 71;

const SIMULATOR = { tokenSeconds: 30 * DAY_SECONDS };

const service = await startFileService({ simulator: SIMULATOR });
const tenant = await createTenant(service);
let revived: Simulator | null = null;
afterAll(() => revived?.close());

interface Built {
  readonly sha256: string;
  readonly issuedAt: Date;
  readonly mayHaveArrived: boolean;
  readonly invoice: {
    IssueDate: [{ _: string }];
    IssueTime: [{ _: string }];
    InvoicePeriod?: [{ StartDate: [{ _: string }]; EndDate: [{ _: string }] }];
  };
}

interface Sent {
  readonly referenceId: string;
  read(): Promise<DocumentStatusDto>;
  built(): Promise<Built | null>;
  /** Hashes of the bytes that the authority accepted. */
  taken(): Promise<string[]>;
}

async function queued(prefix = 'INV', documentDate = today()): Promise<Sent> {
  const referenceId = reference(prefix);
  const batch = await accept(service, tenant, [invoice({ referenceId, document_date: documentDate })]);
  return {
    referenceId,
    read: async () => (await readStatus(service, tenant, batch.submissionBatchId)).documents[0],
    built: () => findBuilt(referenceId),
    taken: async () =>
      (await service.wireLog()).filter(({ number }) => number === referenceId).map(({ sha256 }) => sha256),
  };
}

async function findBuilt(referenceId: string): Promise<Built | null> {
  const [row = null] = await service.owner.query<
    { sha256: string; issuedAt: Date; mayHaveArrived: boolean; text: string }[]
  >(
    `SELECT a.sha256, a.issued_at AS "issuedAt", a.may_have_arrived AS "mayHaveArrived",
            convert_from(a.bytes, 'UTF8') AS text
       FROM authority_document a
       JOIN document_transaction t ON t.tenant_id = a.tenant_id AND t.id = a.transaction_id
      WHERE t.reference_id = $1`,
    [referenceId],
  );
  return row && { ...row, invoice: JSON.parse(row.text).Invoice[0] };
}

async function builtFor(sent: Sent): Promise<Built> {
  const built = await sent.built();
  if (built === null) throw new Error('Nothing was built');
  return built;
}

async function ageInHours({ issuedAt }: Built): Promise<number> {
  const [{ now }] = await service.owner.query<{ now: Date }[]>('SELECT service_now() AS now');
  return (now.getTime() - issuedAt.getTime()) / (HOUR_SECONDS * 1_000);
}

/** Expects the stored issue time in the document and the requested date as the billing period. */
function expectRebuilt({ issuedAt, invoice: built }: Built, documentDate: string): void {
  expect(`${built.IssueDate[0]._}T${built.IssueTime[0]._}`).toBe(issuedAt.toISOString().replace('.000', ''));
  expect(built.InvoicePeriod).toEqual([{ StartDate: [{ _: documentDate }], EndDate: [{ _: documentDate }] }]);
}

async function expectValidOnce(sent: Sent, { sha256, issuedAt }: Built): Promise<void> {
  await service.settle();
  expect(await sent.read()).toMatchObject({ authorityStatus: 'Valid', issuedAt: issuedAt.toISOString() });
  expect(await sent.taken()).toEqual([sha256]);
}

/** Stops the authority, which then refuses connections and forgets all documents. */
async function whileDown(work: () => Promise<void>): Promise<void> {
  await service.simulator.close();
  await work();
  const port = Number(new URL(service.simulator.url).port);
  revived = await startSimulator({ port, settings: SIMULATOR });
  const [{ seconds }] = await service.owner.query<{ seconds: number }[]>(
    'SELECT offset_seconds::float8 AS seconds FROM service_clock',
  );
  await service.control('clock', { advanceSeconds: seconds });
}

describe('document that waits beyond the limit for issue times', () => {
  it('is issued at the time of its first call, with its date as the billing period', async () => {
    const documentDate = today();
    const sent = await queued('INV', documentDate);
    await service.advance(4 * DAY_SECONDS);
    await service.tick('submit');
    const built = await builtFor(sent);
    expect(await ageInHours(built)).toBeLessThan(0.1);
    expectRebuilt(built, documentDate);
    await expectValidOnce(sent, built);
  });

  it('is rebuilt 71 hours after a call that was not accepted', async () => {
    const sent = await queued('INV');
    const referenceId = sent.referenceId;
    const notTaken = { when: { api: 'submit', referenceId }, fault: '429-seconds', times: 3 };
    await service.control('faults', [notTaken]);
    await service.tick('submit');
    const first = await builtFor(sent);
    const { issuedAt } = first;
    expect(first.mayHaveArrived).toBe(false);

    await service.advance((LIMIT_HOURS - 1) * HOUR_SECONDS);
    await service.tick('submit');
    expect(await builtFor(sent)).toEqual(first);

    const left = LIMIT_HOURS - (await ageInHours(first));
    await service.advance(Math.ceil(left * HOUR_SECONDS));
    await service.tick('submit');
    const second = await builtFor(sent);
    expect(second.issuedAt.getTime()).toBeGreaterThan(issuedAt.getTime());
    expect(second.sha256).not.toBe(first.sha256);
    expect(await sent.taken()).toEqual([]);

    await expectValidOnce(sent, second);
  });

  it('is rebuilt after an authority outage of three days and becomes Valid', async () => {
    const documentDate = today();
    const sent = await queued('INV', documentDate);
    const seen: (Built | null)[] = [];
    await whileDown(async () => {
      for (let day = 0; day <= 3; day += 1) {
        await service.tick('submit');
        seen.push(await sent.built());
        expect(await sent.read()).toMatchObject({
          submissionStatus: 'Queued',
          waiting: { code: 'authority_unavailable' },
        });
        await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [DAY_SECONDS]);
      }
    });
    expect(seen[0]).not.toBeNull();
    expect(seen[2]).toEqual(seen[0]);
    await service.settle();
    const built = await builtFor(sent);
    expect(built.sha256).not.toBe(seen[0]?.sha256);
    expectRebuilt(built, documentDate);
    await expectValidOnce(sent, built);
  });
});

describe('document whose call may have reached the authority', () => {
  it('keeps its original issue time if the call arrived', async () => {
    const sent = await queued('SIM-DROP');
    await service.tick('submit');
    const built = await builtFor(sent);
    expect(built.mayHaveArrived).toBe(true);
    await service.advance(4 * DAY_SECONDS);
    await expectValidOnce(sent, built);
    expect(await builtFor(sent)).toEqual(built);
  });

  // Must run last, because only an operator can resolve the doubt.
  it('remains in doubt if the call did not arrive', async () => {
    const sent = await queued('SIM-FAIL');
    await service.tick('submit');
    const built = await builtFor(sent);
    for (let day = 0; day < 4; day += 1) {
      await service.advance(DAY_SECONDS);
      await service.tick('submit');
      await service.tick('reconcile');
    }
    expect(await builtFor(sent)).toEqual(built);
    expect(await sent.taken()).toEqual([]);
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Processing', waiting: { code: 'in_doubt' } });
  });
});
