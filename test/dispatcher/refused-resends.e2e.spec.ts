import { beforeEach, describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { endLookups } from '../support/lookups.js';
import { readDoubt, runQueueCommand } from '../support/queue-command.js';
import { startFileProxy } from './authority-proxy.js';

// The rejection of a resent document says nothing about its first send. The authority's duplicate rules are off, so
// that only this service prevents duplicates.

const LOOKUP_SECONDS = 61;
const LOOKUPS_AFTER_REFUSAL = 16;
const LOOKUPS_UNTIL_DECISION = 116;
const NEVER_SHOWN = { searchLagMs: 100 * 3_600_000 };

const proxy = await startFileProxy({ simulator: { duplicateRules: false, tokenSeconds: 86_400 } });
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
});

interface Sent {
  readonly referenceIds: string[];
  read(): Promise<readonly DocumentStatusDto[]>;
}

async function queued(...referenceIds: string[]): Promise<Sent> {
  const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
  const { submissionBatchId } = await accept(proxy.service, tenant, documents);
  return { referenceIds, read: async () => (await readStatus(proxy.service, tenant, submissionBatchId)).documents };
}

async function fault(api: string, name: string, times = 1): Promise<void> {
  await proxy.service.control('faults', [{ when: { api }, fault: name, times }]);
}

async function lookUp(times: number): Promise<void> {
  for (let lookup = 0; lookup < times; lookup += 1) {
    await proxy.service.advance(LOOKUP_SECONDS);
    await proxy.service.tick('reconcile');
  }
}

/** The first send fails, two lookups miss the document, and its resend fails in another way. */
async function resent({ first, second }: { first: string; second: string }): Promise<Sent> {
  await proxy.service.control('settings', NEVER_SHOWN);
  const sent = await queued(reference());
  await fault('submit', first);
  await proxy.service.tick('submit');
  await fault('submit', second);
  await lookUp(2);
  expect(proxy.listCalls('submit').map(({ referenceIds }) => referenceIds)).toEqual([
    sent.referenceIds,
    sent.referenceIds,
  ]);
  return sent;
}

async function takenTimes(referenceIds: readonly string[]): Promise<number[]> {
  const numbers = (await proxy.service.wireLog()).map(({ number }) => number);
  return referenceIds.map((referenceId) => numbers.filter((number) => number === referenceId).length);
}

async function expectValidOnce({ referenceIds, read }: Sent): Promise<void> {
  for (const document of await read()) {
    expect(document).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Valid', waiting: null });
  }
  expect(await takenTimes(referenceIds)).toEqual(referenceIds.map(() => 1));
}

const IN_DOUBT = { submissionStatus: 'Processing', errors: [], waiting: { code: 'in_doubt' } };

describe('a document whose resend the authority rejects', () => {
  it('stays in doubt until a lookup finds the first send', async () => {
    const sent = await resent({ first: 'drop-after', second: 'rejected' });
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    await lookUp(5);
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    await proxy.service.control('settings', { searchLagMs: 0 });
    await lookUp(1);
    await proxy.service.settle();
    await expectValidOnce(sent);
    expect(proxy.listCalls('submit')).toHaveLength(2);
  });

  it('fails with the reasons of the rejection after 15 minutes of unsuccessful lookups', async () => {
    const sent = await resent({ first: 'drop-before', second: 'rejected' });
    await lookUp(LOOKUPS_AFTER_REFUSAL - 3);
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    await lookUp(3);
    expect(await sent.read()).toMatchObject([
      { submissionStatus: 'SubmitFailed', errors: [{ authorityCode: 'CF321' }], waiting: null },
    ]);
    await lookUp(1);
    expect(proxy.listCalls('submit')).toHaveLength(2);
    expect(await takenTimes(sent.referenceIds)).toEqual([0]);
  });

  it('adopts the document that the rejection names as a duplicate', async () => {
    const sent = await resent({ first: 'drop-after', second: 'rejected-as-duplicate' });
    await lookUp(1);
    await proxy.service.settle();
    await expectValidOnce(sent);
  });

  it('requires an operator decision if the authority does not return the original', async () => {
    const sent = await resent({ first: 'drop-after', second: 'rejected-as-duplicate' });
    await fault('details', 'not-found', 100);
    await lookUp(LOOKUPS_AFTER_REFUSAL);
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    const { submissionId, nextLookAt } = await readDoubt(proxy.service);
    expect(nextLookAt).toBeNull();
    await fetch(`${proxy.service.simulator.url}/_control/faults`, { method: 'DELETE' });
    const [{ uuid }] = await proxy.service.wireLog();
    expect(await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', uuid)).toMatchObject({ error: '' });
    await proxy.service.settle();
    await expectValidOnce(sent);
  });
});

it('keeps a document in doubt that one response both accepts and rejects', async () => {
  const sent = await queued(reference(), reference());
  proxy.rewrite = (text) => {
    const body = JSON.parse(text) as { acceptedDocuments?: { invoiceCodeNumber: string }[] };
    if (body.acceptedDocuments === undefined) return text;
    const [{ invoiceCodeNumber }] = body.acceptedDocuments;
    const error = { code: 'CF321', message: 'Rejected', details: [] };
    return JSON.stringify({ ...body, rejectedDocuments: [{ invoiceCodeNumber, error }] });
  };
  await proxy.service.tick('submit');
  proxy.rewrite = null;
  expect(await sent.read()).toMatchObject([IN_DOUBT, IN_DOUBT]);
  await lookUp(1);
  await proxy.service.settle();
  await expectValidOnce(sent);
  expect(proxy.listCalls('submit')).toHaveLength(1);
});

/** The authority's message names no document. */
function hideOriginal(): void {
  proxy.rewrite = (text) => text.replace(/for the document with UUID: ?[0-9A-Z]+/g, 'for another document');
}

describe('a duplicate without the uuid of its earlier copy', () => {
  it('requires an operator decision and cannot be resent', async () => {
    hideOriginal();
    const sent = await resent({ first: 'drop-after', second: 'rejected-as-duplicate' });
    await lookUp(LOOKUPS_AFTER_REFUSAL);
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    const { submissionId, nextLookAt, decisions } = await readDoubt(proxy.service);
    expect({ nextLookAt, decisions }).toEqual({ nextLookAt: null, decisions: ['adopt', 'fail'] });
    expect((await runQueueCommand(proxy.service, 'release', submissionId, '--resend')).error).toContain(
      'may have documents',
    );
    const [{ uuid }] = await proxy.service.wireLog();
    expect(await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', uuid)).toMatchObject({ error: '' });
    await proxy.service.settle();
    await expectValidOnce(sent);
  });
});

describe('a document with a single send that the authority rejects as a duplicate', () => {
  async function sentTwiceByNetwork(): Promise<Sent> {
    const sent = await queued(reference());
    const when = { api: 'submit', referenceId: sent.referenceIds[0] };
    await proxy.service.control('faults', [{ when, fault: 'rejected-as-duplicate', times: 1, every: 2 }]);
    proxy.deliveredTwice.add('submit');
    await proxy.service.tick('submit');
    proxy.deliveredTwice.clear();
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    return sent;
  }

  it('adopts the copy that the network delivered first', async () => {
    const sent = await sentTwiceByNetwork();
    await lookUp(1);
    await proxy.service.settle();
    await expectValidOnce(sent);
  });

  it('requires an operator decision if the authority does not return the other copy', async () => {
    await proxy.service.control('settings', NEVER_SHOWN);
    hideOriginal();
    const sent = await sentTwiceByNetwork();
    await lookUp(LOOKUPS_AFTER_REFUSAL);
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    expect(await readDoubt(proxy.service)).toMatchObject({ nextLookAt: null, decisions: ['adopt', 'fail'] });
  });

  it('fails if the rejection names a document with another number', async () => {
    const other = await queued(reference());
    await proxy.service.tick('submit');
    await proxy.service.settle();
    const [{ uuid }] = await proxy.service.wireLog();
    const sent = await queued(reference());
    await fault('submit', 'rejected');
    const detail = { code: 'DS302', message: `Duplicate submission for the document with UUID: ${uuid}` };
    proxy.rewrite = (text) => {
      const body = JSON.parse(text) as { rejectedDocuments?: object[] };
      const rejectedDocuments = body.rejectedDocuments?.map((row) => ({
        ...row,
        error: { ...detail, details: [detail] },
      }));
      return JSON.stringify({ ...body, rejectedDocuments });
    };
    await proxy.service.tick('submit');
    proxy.rewrite = null;
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    await lookUp(LOOKUPS_AFTER_REFUSAL);
    expect(await sent.read()).toMatchObject([
      { submissionStatus: 'SubmitFailed', errors: [{ authorityCode: 'DS302' }] },
    ]);
    await expectValidOnce(other);
  });

  it('adopts no document with different content', async () => {
    const sent = await sentTwiceByNetwork();
    proxy.rewrite = (text) => (text.startsWith('{"result"') ? text : text.replaceAll('Consulting', 'Rent'));
    await lookUp(1);
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    expect(await readDoubt(proxy.service)).toMatchObject({ nextLookAt: null });
  });
});

describe('a call in doubt whose resend the authority rejects as a whole', () => {
  const buildRefusal = (code: string): string => JSON.stringify({ error: { code, message: 'Refused', details: null } });
  const REFUSALS = [
    { status: 400, body: buildRefusal('ValidationError') },
    { status: 403, body: buildRefusal('Forbidden') },
  ].map((refusal) => [refusal.status, { ...refusal, contentType: 'application/json' }] as const);

  it.each(REFUSALS)('is resent after a %i with growing pauses until an operator decides', async (_, refusal) => {
    await proxy.service.control('settings', NEVER_SHOWN);
    const sent = await queued(reference());
    await fault('submit', 'drop-after');
    await proxy.service.tick('submit');
    proxy.refuse(sent.referenceIds[0], refusal);
    const sendMinutes: number[] = [];
    for (let lookup = 1; lookup < LOOKUPS_UNTIL_DECISION; lookup += 1) {
      await lookUp(1);
      if (proxy.listCalls('submit').length > sendMinutes.length + 1) sendMinutes.push(lookup);
    }
    expect(sendMinutes).toEqual([2, 6, 14, 30, 62]);
    expect(await readDoubt(proxy.service)).toMatchObject({ nextLookAt: null });
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
  });

  it.each(REFUSALS)('is adopted after a %i when a lookup finds the first send', async (_, refusal) => {
    await proxy.service.control('settings', NEVER_SHOWN);
    const sent = await queued(reference());
    await fault('submit', 'drop-after');
    await proxy.service.tick('submit');
    proxy.refuse(sent.referenceIds[0], refusal);
    await lookUp(5);
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    await proxy.service.control('settings', { searchLagMs: 0 });
    await lookUp(1);
    await proxy.service.settle();
    await expectValidOnce(sent);
  });
});

describe('a resent call that the authority partially accepts', () => {
  it('polls the accepted documents and looks up the rejected ones', async () => {
    await proxy.service.control('settings', NEVER_SHOWN);
    const sent = await queued(reference(), reference('SIM-REJECT-CF349'));
    await fault('submit', 'drop-before');
    await proxy.service.tick('submit');
    await lookUp(2);
    expect(await sent.read()).toMatchObject([{ submissionStatus: 'Submitted' }, IN_DOUBT]);
    await lookUp(LOOKUPS_AFTER_REFUSAL);
    await proxy.service.settle();
    expect(await sent.read()).toMatchObject([
      { authorityStatus: 'Valid' },
      { submissionStatus: 'SubmitFailed', errors: [{ authorityCode: 'CF349' }] },
    ]);
    expect(await takenTimes(sent.referenceIds)).toEqual([1, 0]);
  });
});

describe('a document that an operator resends although its first send arrived', () => {
  beforeEach(() => proxy.service.control('settings', NEVER_SHOWN));

  async function released(): Promise<Sent> {
    const sent = await queued(reference());
    await fault('submit', 'drop-after');
    await proxy.service.tick('submit');
    await endLookups(proxy.service);
    expect(
      await runQueueCommand(proxy.service, 'release', (await readDoubt(proxy.service)).submissionId, '--resend'),
    ).toMatchObject({ error: '' });
    return sent;
  }

  it('adopts its first send after a rejection', async () => {
    const sent = await released();
    await fault('submit', 'rejected');
    await proxy.service.tick('submit');
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    await proxy.service.control('settings', { searchLagMs: 0 });
    await lookUp(1);
    await proxy.service.settle();
    await expectValidOnce(sent);
  });

  it.each(['--fail', '--resend'])('cannot be released with %s while lookups continue', async (decision) => {
    const sent = await released();
    await fault('submit', 'rejected');
    await proxy.service.tick('submit');
    const { submissionId } = await readDoubt(proxy.service);
    expect((await runQueueCommand(proxy.service, 'release', submissionId, decision)).error).toContain(
      'still looked up',
    );
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
  });

  it('adopts its first send after three rejections of its call', async () => {
    const sent = await released();
    const refusal = JSON.stringify({ error: { code: 'ValidationError', message: 'Invalid structure', details: null } });
    proxy.refuse(sent.referenceIds[0], { status: 400, contentType: 'application/json', body: refusal });
    for (let send = 0; send < 3; send += 1) {
      await proxy.service.tick('submit');
      await proxy.service.advance(LOOKUP_SECONDS);
    }
    expect(await sent.read()).toMatchObject([IN_DOUBT]);
    await proxy.service.control('settings', { searchLagMs: 0 });
    await lookUp(1);
    await proxy.service.settle();
    await expectValidOnce(sent);
  });
});
