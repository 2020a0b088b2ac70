import { describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, issue, readStatus } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import type { WireLogEntry } from '../support/service.js';

// Outcomes after authority failures (docs/rules.md#statuses, docs/simulator.md#reserved-document-numbers).

const GRACE_SECONDS = 60;
const SECOND_LOOKUP_SECONDS = 60;
/** Consecutive failures after which calls pause for at most PAUSE_SECONDS. */
const FAILURES = 5;
const PAUSE_SECONDS = 15;

const service = await startFileService({ environment: { AUTHORITY_DEADLINE_SECONDS: '1' } });
const tenant = await createTenant(service);
// The first call is the slowest, so its login could exceed the short deadline.
await issue(service, tenant, invoice());

interface Sent {
  readonly referenceId: string;
  read(): Promise<DocumentStatusDto>;
  /** Calls with this document that the authority accepted. */
  taken(): Promise<WireLogEntry[]>;
}

async function queued(prefix = 'INV', owner = tenant): Promise<Sent> {
  const referenceId = reference(prefix);
  const { submissionBatchId } = await accept(service, owner, [invoice({ referenceId })]);
  return {
    referenceId,
    read: async () => (await readStatus(service, owner, submissionBatchId)).documents[0],
    taken: async () => (await service.wireLog()).filter(({ number }) => number === referenceId),
  };
}

async function expectValidOnce({ read, taken }: Sent): Promise<void> {
  const document = await read();
  expect(document).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Valid', waiting: null });
  const entries = await taken();
  expect(entries).toHaveLength(1);
  expect(document).toMatchObject({
    authorityUuid: entries[0].uuid,
    authoritySubmissionUid: entries[0].submissionUid,
  });
}

function waitingFor(code: string): object {
  return { code, message: expect.stringMatching(/./), since: expect.stringMatching(/Z$/) };
}

async function fault(api: string, name: string, times = 1): Promise<void> {
  await service.control('faults', [{ when: { api }, fault: name, times }]);
}

describe('submit with a lost response', () => {
  it.each(['SIM-DROP', 'SIM-LATE'])('is found by the lookup (%s)', async (prefix) => {
    const sent = await queued(prefix);
    await service.tick('submit');
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Processing', waiting: waitingFor('in_doubt') });
    await service.advance(GRACE_SECONDS + 1);
    await service.tick('reconcile');
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Submitted' });
    await service.settle();
    await expectValidOnce(sent);
  });

  it('is sent again with the same bytes after two lookups without a result', async () => {
    const sent = await queued('SIM-FAIL');
    await service.tick('submit');
    const built = await builtFor(sent);
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Processing', waiting: waitingFor('in_doubt') });
    await service.advance(GRACE_SECONDS + 1);
    await service.tick('reconcile');
    expect(await sent.taken()).toHaveLength(0);
    await service.advance(SECOND_LOOKUP_SECONDS - 10);
    await service.tick('reconcile');
    expect(await sent.taken()).toHaveLength(0);
    await service.advance(11);
    await service.tick('reconcile');
    expect((await sent.taken()).map(({ sha256 }) => sha256)).toEqual([built]);
    await service.settle();
    await expectValidOnce(sent);
  });

  it.each(['429-seconds', 'drop-before', 'html-403'])(
    'remains in doubt if the authority rejects the second call: %s',
    async (name) => {
      const sent = await queued('SIM-FAIL');
      await service.tick('submit');
      await service.advance(GRACE_SECONDS + 1);
      await service.tick('reconcile');
      await fault('submit', name);
      await service.advance(SECOND_LOOKUP_SECONDS + 1);
      await service.tick('reconcile');
      expect(await sent.read()).toMatchObject({ submissionStatus: 'Processing', waiting: waitingFor('in_doubt') });
      await service.settle();
      await expectValidOnce(sent);
    },
  );

  it('delays only its own documents', async () => {
    const lost = await queued('SIM-DROP');
    await service.tick('submit');
    const other = await queued();
    await service.tick('submit');
    expect(await lost.read()).toMatchObject({ submissionStatus: 'Processing' });
    expect(await other.read()).toMatchObject({ submissionStatus: 'Submitted' });
    await service.settle();
    await expectValidOnce(lost);
    await expectValidOnce(other);
  });

  async function builtFor({ referenceId }: Sent): Promise<string> {
    const [{ sha256 }] = await service.owner.query<{ sha256: string }[]>(
      `SELECT a.sha256 FROM authority_document a
         JOIN document_transaction t ON t.tenant_id = a.tenant_id AND t.id = a.transaction_id WHERE t.reference_id = $1`,
      [referenceId],
    );
    return sha256;
  }
});

describe('document', () => {
  const cut = ['drop-before', 'drop-after', 'truncated-json'];
  const failing = ['http-500-before', 'http-500-after', 'http-503', 'html-403'];
  const faults = [...cut, ...failing, 'late', '429-seconds', '401'];

  it.each([...faults, '429-date', '429-bare'])(
    'becomes Valid once after a faulty submit response: %s',
    async (name) => {
      const sent = await queued();
      await fault('submit', name);
      await service.settle();
      await expectValidOnce(sent);
    },
  );

  it.each(faults)('becomes Valid once after a faulty poll response: %s', async (name) => {
    const sent = await queued();
    await fault('getSubmission', name);
    await service.settle();
    await expectValidOnce(sent);
  });

  // Excludes a late login response, which would take half a minute of real time.
  it.each([...cut, ...failing, '429-seconds'])('becomes Valid once after a faulty login response: %s', async (name) => {
    const owner = await createTenant(service);
    const sent = await queued('INV', owner);
    await fault('token', name);
    await service.settle();
    await expectValidOnce(sent);
  });

  it.each(faults)('becomes Valid once after a faulty lookup of its lost response: %s', async (name) => {
    const sent = await queued('SIM-DROP');
    await fault('search', name);
    await service.settle();
    await expectValidOnce(sent);
  });
});

it.each(['drop-before', 'http-503', 'truncated-json', '429-seconds'])(
  'shows the errors of an invalid document after failed attempts to read them: %s',
  async (name) => {
    const sent = await queued('SIM-INVALID-CV302');
    await fault('details', name);
    await service.settle();
    const document = await sent.read();
    expect(document.authorityStatus).toBe('Invalid');
    expect(document.errors[0].authorityCode).toBe('CV302');
  },
);

describe('rejected document', () => {
  it('does not affect the other documents in the same call', async () => {
    const references = ['INV', 'SIM-REJECT-CF349', 'SIM-INVALID-CV302', 'INV', 'SIM-UNKNOWN-NAME'].map(reference);
    const status = await issue(service, tenant, ...references.map((referenceId) => invoice({ referenceId })));
    expect(status.documents.map((document) => [document.submissionStatus, document.authorityStatus])).toEqual([
      ['Submitted', 'Valid'],
      ['SubmitFailed', null],
      ['Submitted', 'Invalid'],
      ['Submitted', 'Valid'],
      ['SubmitFailed', null],
    ]);
    const taken = (await service.wireLog()).filter(({ number }) => references.includes(number));
    expect(new Set(taken.map(({ submissionUid }) => submissionUid)).size).toBe(1);
  });
});

describe('document during an authority failure', () => {
  it('waits with call_budget after a 429 until the authority accepts calls', async () => {
    const sent = await queued();
    await fault('submit', '429-seconds');
    await service.tick('submit');
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Queued', waiting: waitingFor('call_budget') });
    expect(await service.tick('submit'), 'nothing is sent before the time').toBe(0);
    await service.settle();
    await expectValidOnce(sent);
  });

  it('waits with authority_unavailable after repeated 503 responses until the authority recovers', async () => {
    await fault('submit', 'http-503', FAILURES);
    const doubtful: Sent[] = [];
    for (let failure = 1; failure <= FAILURES; failure += 1) {
      doubtful.push(await queued());
      await service.advance(PAUSE_SECONDS);
      await service.tick('submit');
    }
    // A proxy may return 503 after the authority accepted the documents, so a lookup comes first.
    for (const { read } of doubtful) expect((await read()).submissionStatus).toBe('Processing');
    const sent = await queued();
    await fault('submit', 'http-503');
    await service.advance(PAUSE_SECONDS);
    expect(await service.tick('submit'), 'a probe that is not answered').toBe(0);
    expect(await sent.read()).toMatchObject({
      submissionStatus: 'Queued',
      waiting: waitingFor('authority_unavailable'),
    });
    expect(await service.tick('submit'), 'nothing is sent before the time').toBe(0);
    expect(await sent.taken()).toHaveLength(0);
    await service.settle();
    for (const each of [...doubtful, sent]) await expectValidOnce(each);
  });
});

describe('submit call', () => {
  it('combines documents from several batches of a tenant', async () => {
    const owner = await createTenant(service);
    const sent = [await queued('INV', owner), await queued('INV', owner), await queued('INV', owner)];
    expect(await service.tick('submit')).toBe(1);
    const uids = (await Promise.all(sent.map(({ taken }) => taken()))).flat().map(({ submissionUid }) => submissionUid);
    expect(uids).toHaveLength(3);
    expect(new Set(uids).size).toBe(1);
    await service.settle();
  });

  it('contains at most 100 documents, so that a large queue does not delay other tenants', async () => {
    const many = await createTenant(service);
    for (let batch = 0; batch < 3; batch += 1) {
      await accept(
        service,
        many,
        Array.from({ length: 100 }, () => invoice()),
      );
    }
    const few = await createTenant(service);
    const sent = await queued('INV', few);
    await service.tick('submit');
    await service.tick('submit');
    expect(await sent.taken()).toHaveLength(1);
    await service.settle();
    const perCall = new Map<string, number>();
    for (const { submissionUid } of await service.wireLog()) {
      perCall.set(submissionUid, (perCall.get(submissionUid) ?? 0) + 1);
    }
    expect(Math.max(...perCall.values())).toBe(100);
  });
});

it('dispatcher never submits a document twice in any of these tests', async () => {
  const numbers = (await service.wireLog()).map(({ supplierTin, type, number }) => `${supplierTin}/${type}/${number}`);
  expect(numbers.length).toBeGreaterThan(300);
  expect(new Set(numbers).size).toBe(numbers.length);
});
