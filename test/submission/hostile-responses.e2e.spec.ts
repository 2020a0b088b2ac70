import { beforeEach, describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, issue, readStatus } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Untrustworthy responses leave documents in doubt until a lookup
// (docs/rules.md#statuses, docs/simulator.md#reserved-document-numbers).

const service = await startFileService({ environment: { AUTHORITY_DEADLINE_SECONDS: '1' } });
const tenant = await createTenant(service);
// After failures, calls pause and the next call contains one document. A successful document ends the pause.
beforeEach(async () => {
  await service.advance(PAUSE_SECONDS);
  await issue(service, tenant, invoice());
});
const PAUSE_SECONDS = 15;

interface SentBatch {
  readonly referenceIds: readonly string[];
  read(): Promise<DocumentStatusDto[]>;
}

async function queued(count: number, prefix = 'INV', owner = tenant): Promise<SentBatch> {
  const referenceIds = Array.from({ length: count }, (_, index) => reference(index === 0 ? prefix : 'INV'));
  const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
  const { submissionBatchId } = await accept(service, owner, documents);
  return { referenceIds, read: async () => (await readStatus(service, owner, submissionBatchId)).documents };
}

async function fault(api: string, name: string): Promise<void> {
  await service.control('faults', [{ when: { api }, fault: name }]);
}

async function read<Answer>(call: string): Promise<Answer> {
  return (await (await fetch(`${service.simulator.url}/_control/${call}`)).json()) as Answer;
}

/** Expects each document to be Valid and to have been submitted once under the authority's uuid. */
async function expectValidOnce(sent: SentBatch): Promise<void> {
  const log = await service.wireLog();
  for (const document of await sent.read()) {
    expect(document).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Valid', waiting: null });
    const taken = log.filter(({ number }) => number === document.referenceId);
    expect(taken.map(({ uuid, submissionUid }) => [uuid, submissionUid])).toEqual([
      [document.authorityUuid, document.authoritySubmissionUid],
    ]);
  }
  expect(await read('faults'), 'the fault struck').toEqual([]);
}

describe('submit of three documents', () => {
  it.each([
    'slow-body',
    'huge-answer',
    'redirect',
    'html-504-after',
    'partial-answer',
    'duplicate-uuid',
    'partial-accept',
  ])('is in doubt until a lookup after the fault %s', async (name) => {
    const sent = await queued(3);
    await fault('submit', name);
    await service.tick('submit');
    for (const document of await sent.read()) {
      expect(document).toMatchObject({ submissionStatus: 'Processing', authorityUuid: null });
      expect(document.waiting?.code).toBe('in_doubt');
    }
    await service.settle();
    await expectValidOnce(sent);
  });

  it.each(['out-of-order', 'wrong-content-type'])(
    'is accepted with separate uuids despite the fault %s',
    async (name) => {
      const sent = await queued(3);
      await fault('submit', name);
      await service.tick('submit');
      for (const document of await sent.read()) expect(document.submissionStatus).toBe('Submitted');
      await service.settle();
      await expectValidOnce(sent);
    },
  );

  it('matches outcomes in a different order to the correct documents', async () => {
    const sent = await queued(3, 'SIM-REJECT-CF349');
    await fault('submit', 'out-of-order');
    await service.settle();
    const [refused, ...others] = await sent.read();
    expect(refused).toMatchObject({ submissionStatus: 'SubmitFailed', authorityUuid: null });
    await expectValidOnce({ ...sent, read: () => Promise.resolve(others) });
  });
});

const readFaults = ['slow-body', 'huge-answer', 'redirect', 'html-504-after', 'wrong-content-type', 'out-of-order'];

describe('poll', () => {
  it.each([...readFaults, 'partial-answer'])('reads correct outcomes despite the fault %s', async (name) => {
    const sent = await queued(3);
    await fault('getSubmission', name);
    await service.settle();
    await expectValidOnce(sent);
  });
});

describe('lookup after a lost response', () => {
  it.each(readFaults)('finds every document despite the fault %s', async (name) => {
    const sent = await queued(3, 'SIM-DROP');
    await fault('search', name);
    await service.settle();
    await expectValidOnce(sent);
  });
});

describe('submit with a lost response and a delayed search', () => {
  it('is found after 120 seconds even if the authority accepts duplicates', async () => {
    await service.control('settings', { searchLagMs: 120_000, duplicateRules: false });
    const sent = await queued(3);
    await fault('submit', 'slow-body');
    await service.settle();
    await service.control('settings', { searchLagMs: 0, duplicateRules: true });
    const taken = (await service.wireLog()).filter(({ number }) => sent.referenceIds.includes(number));
    const [first] = await sent.read();
    expect(first?.authorityStatus).toBe('Valid');
    expect(taken.map(({ number }) => number).toSorted()).toEqual([...sent.referenceIds].toSorted());
  });
});

it('dispatcher follows no redirect and submits no document twice in these tests', async () => {
  const counts = await read<Record<string, { calls: number }>>('call-counts');
  expect(counts.canary?.calls).toBe(0);
  const numbers = (await service.wireLog()).map(({ supplierTin, type, number }) => `${supplierTin}/${type}/${number}`);
  expect(numbers.length).toBeGreaterThan(50);
  expect(new Set(numbers).size).toBe(numbers.length);
});

it('dispatcher reports a withdrawn permission to submit and resumes when it is restored', async () => {
  const owner = await createTenant(service);
  await issue(service, owner, invoice());
  const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
    owner.tenantId,
  ]);
  await service.control('taxpayers', { tin, appointed: true, permissions: ['cancel', 'view'] });
  const sent = await queued(1, 'INV', owner);
  await service.tick('submit');
  const [document] = await sent.read();
  expect(document).toMatchObject({ submissionStatus: 'Queued', waiting: { code: 'not_appointed' } });
  await service.control('taxpayers', { tin, appointed: true });
  await service.settle();
  await expectValidOnce(sent);
});
