import { describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, issue, readStatus } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import type { WireLogEntry } from '../support/service.js';

// What becomes of a document when the authority refuses, falters or falls silent: it ends well, and no document is ever
// taken twice. docs/rules.md#statuses, docs/rules.md#status-response (`waiting`), docs/simulator.md#reserved-document-numbers.

const GRACE_SECONDS = 60;
const SECOND_LOOKUP_SECONDS = 60;
/**
 * After so many failures in a row, calls pause for PAUSE_SECONDS at most, and what is sent then carries no document.
 */
const FAILURES = 5;
const PAUSE_SECONDS = 15;

const service = await startFileService({ environment: { AUTHORITY_DEADLINE_SECONDS: '1' } });
const tenant = await createTenant(service);
// The first call of a process takes longest, and its login must not be what the short deadline cuts off.
await issue(service, tenant, invoice());

interface Sent {
  readonly referenceId: string;
  read(): Promise<DocumentStatusDto>;
  /** What the authority took of it. */
  taken(): Promise<WireLogEntry[]>;
}

/** A submitted invoice, queued. */
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

describe('a call whose response is lost', () => {
  it.each(['SIM-DROP', 'SIM-LATE'])('(%s) is looked up and adopted, never sent again', async (prefix) => {
    const sent = await queued(prefix);
    await service.tick('submit');
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Processing', waiting: waitingFor('in_doubt') });
    await service.advance(GRACE_SECONDS + 1);
    await service.tick('reconcile');
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Submitted' });
    await service.settle();
    await expectValidOnce(sent);
  });

  it('(SIM-FAIL) is sent again, byte for byte, only after two lookups have missed it', async () => {
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
    'stays in doubt, and is never queued as if it were new, when sending it again is not taken: %s',
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

  it('holds nothing up but its own documents', async () => {
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

describe('a document becomes Valid, taken once, whatever goes wrong on the way', () => {
  const cut = ['drop-before', 'drop-after', 'truncated-json'];
  const failing = ['http-500-before', 'http-500-after', 'http-503', 'html-403'];
  const faults = [...cut, ...failing, 'late', '429-seconds', '401'];

  it.each([...faults, '429-date', '429-bare'])('when it is submitted: %s', async (name) => {
    const sent = await queued();
    await fault('submit', name);
    await service.settle();
    await expectValidOnce(sent);
  });

  it.each(faults)('when it is polled: %s', async (name) => {
    const sent = await queued();
    await fault('getSubmission', name);
    await service.settle();
    await expectValidOnce(sent);
  });

  // A login that answers late is given up after half a minute of real time, which a test does not wait for.
  it.each([...cut, ...failing, '429-seconds'])('at the login: %s', async (name) => {
    const owner = await createTenant(service);
    const sent = await queued('INV', owner);
    await fault('token', name);
    await service.settle();
    await expectValidOnce(sent);
  });

  it.each(faults)('when a lost response is looked up: %s', async (name) => {
    const sent = await queued('SIM-DROP');
    await fault('search', name);
    await service.settle();
    await expectValidOnce(sent);
  });
});

it.each(['drop-before', 'http-503', 'truncated-json', '429-seconds'])(
  'shows the errors of an invalid document although reading them failed at first: %s',
  async (name) => {
    const sent = await queued('SIM-INVALID-CV302');
    await fault('details', name);
    await service.settle();
    const document = await sent.read();
    expect(document.authorityStatus).toBe('Invalid');
    expect(document.errors[0].authorityCode).toBe('CV302');
  },
);

describe('a refused document', () => {
  it('takes none of its call with it', async () => {
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

describe('an authority that does not take calls', () => {
  it('over the call limit (429): documents wait as call_budget, and go when it allows', async () => {
    const sent = await queued();
    await fault('submit', '429-seconds');
    await service.tick('submit');
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Queued', waiting: waitingFor('call_budget') });
    expect(await service.tick('submit'), 'nothing is sent before the time').toBe(0);
    await service.settle();
    await expectValidOnce(sent);
  });

  it('failing again and again (503): documents wait as authority_unavailable, and go when it is back', async () => {
    await fault('submit', 'http-503', FAILURES);
    const doubtful: Sent[] = [];
    for (let failure = 1; failure <= FAILURES; failure += 1) {
      doubtful.push(await queued());
      await service.advance(PAUSE_SECONDS);
      await service.tick('submit');
    }
    // 503 may come from a proxy after the authority took the documents: they are looked up before anything else.
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

describe('one call', () => {
  it('carries documents of several batches of a tenant', async () => {
    const owner = await createTenant(service);
    const sent = [await queued('INV', owner), await queued('INV', owner), await queued('INV', owner)];
    expect(await service.tick('submit')).toBe(1);
    const uids = (await Promise.all(sent.map(({ taken }) => taken()))).flat().map(({ submissionUid }) => submissionUid);
    expect(uids).toHaveLength(3);
    expect(new Set(uids).size).toBe(1);
    await service.settle();
  });

  it('carries at most 100 documents, and a tenant with many does not keep another one waiting', async () => {
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

it('had no document taken twice in all that', async () => {
  const numbers = (await service.wireLog()).map(({ supplierTin, type, number }) => `${supplierTin}/${type}/${number}`);
  expect(numbers.length).toBeGreaterThan(300);
  expect(new Set(numbers).size).toBe(numbers.length);
});
