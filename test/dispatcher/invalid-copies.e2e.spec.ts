import { beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/processes/cli.js';
import { readConfiguration } from '../../src/config/configuration.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, cancel, createTenant, readStatus, submit, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileProxy } from './authority-proxy.js';

// The authority may have two copies of a document, one of them invalid. The attempt must not end as Invalid while the
// other copy may be valid: a client that then resubmits would have two valid documents.

const LOOKUP_SECONDS = 61;
const LOOKUPS = 15;
const POLLS_WITHOUT_REASON = 6;
const NEVER_SHOWN = { searchLagMs: 100 * 3_600_000 };
const IN_DOUBT = { authorityStatus: 'Submitted', errors: [], waiting: { code: 'in_doubt' } };

const proxy = await startFileProxy({ simulator: { duplicateRules: 'documents', tokenSeconds: 86_400 } });
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
});

interface Sent {
  readonly document: Record<string, unknown>;
  readonly referenceId: string;
  readonly documentId: string;
  read(): Promise<DocumentStatusDto>;
}

async function queued(referenceId = reference()): Promise<Sent> {
  const document = invoice({ referenceId });
  const { submissionBatchId, documents } = await accept(proxy.service, tenant, [document]);
  const read = async () => (await readStatus(proxy.service, tenant, submissionBatchId)).documents[0];
  return { document, referenceId, documentId: documents[0].documentId, read };
}

async function fault(api: string, name: string, times = 1): Promise<void> {
  await proxy.service.control('faults', [{ when: { api }, fault: name, times }]);
}

async function poll(times = 1): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    await proxy.service.advance(10);
    while ((await proxy.service.tick('poll')) > 0);
  }
}

async function lookUp(times: number): Promise<void> {
  for (let lookup = 0; lookup < times; lookup += 1) {
    await proxy.service.advance(LOOKUP_SECONDS);
    await proxy.service.tick('reconcile');
  }
}

/** Drops the response to the first send, and has two lookups miss it and the authority accept the resend. */
async function sentAgain({ first = 'drop-after', referenceId = reference() } = {}): Promise<Sent> {
  await proxy.service.control('settings', NEVER_SHOWN);
  const sent = await queued(referenceId);
  const before = proxy.listCalls('submit').length;
  await fault('submit', first);
  await proxy.service.tick('submit');
  await lookUp(2);
  expect(proxy.listCalls('submit')).toHaveLength(before + 2);
  return sent;
}

async function listUuids({ referenceId }: Sent): Promise<string[]> {
  return (await proxy.service.wireLog()).filter(({ number }) => number === referenceId).map(({ uuid }) => uuid);
}

async function queue(...words: string[]): Promise<string> {
  const environment = { ...proxy.service.settings, DATABASE_OWNER_URL: proxy.service.database.ownerUrl };
  let out = '';
  let error = '';
  await runCli(readConfiguration('operator', environment), ['queue', ...words], {
    out: (text) => (out += text),
    error: (text) => (error += text),
  });
  if (error !== '') throw new Error(error);
  return out;
}

interface Doubt {
  readonly submissionId: string;
  readonly referenceIds: string[];
  readonly nextLookAt: string | null;
  readonly decisions: string[];
}

async function readDoubt({ referenceId }: Sent): Promise<Doubt> {
  const { doubts } = JSON.parse(await queue('show', '--json')) as { doubts: Doubt[] };
  expect(doubts).toMatchObject([{ referenceIds: [referenceId] }]);
  return doubts[0];
}

async function readMoves(to: string): Promise<number> {
  const [{ moves }] = await proxy.service.owner.query<[{ moves: number }]>(
    'SELECT count(*)::integer AS moves FROM status_event WHERE to_state = $1',
    [to],
  );
  return moves;
}

/** Replaces the uuid of the earlier document in the authority's message. */
function nameInstead(choose: (copy: string) => string): void {
  proxy.rewrite = (text) =>
    text.replace(
      /document with UUID (\w+)(.*?)for the document with UUID: ?\w+/gs,
      (_, copy: string, between: string) => `document with UUID ${copy}${between}${choose(copy)}`,
    );
}

const hideOriginal = (): void => nameInstead(() => 'for another document');

describe('a resent document with an invalid second copy', () => {
  const texts: [string, (other: string) => void][] = [
    [
      'as a duplicate of a document with another number',
      (other) => nameInstead(() => `for the document with UUID: ${other}`),
    ],
    ['as a duplicate of itself', () => nameInstead((copy) => `for the document with UUID: ${copy}`)],
    ['as a duplicate of an unnamed document', hideOriginal],
    ['for another reason', () => (proxy.rewrite = (text) => text.replaceAll('DS302', 'CV302'))],
  ];

  it.each(texts)('adopts the first copy found by a lookup if the second copy is invalid %s', async (_, rewrite) => {
    const other = await queued();
    await proxy.service.tick('submit');
    await proxy.service.settle();
    const sent = await sentAgain();
    rewrite((await listUuids(other))[0]);
    await poll();
    expect(await sent.read()).toMatchObject(IN_DOUBT);
    expect((await submit(proxy.service, tenant, [sent.document])).status).toBe(409);
    expect((await cancel(proxy.service, tenant, { documentId: sent.documentId })).status).toBe(409);
    await lookUp(LOOKUPS - 2);
    expect(await sent.read()).toMatchObject(IN_DOUBT);
    await proxy.service.control('settings', { searchLagMs: 0 });
    await lookUp(1);
    expect(await sent.read(), 'a poll confirms the uuid').toMatchObject({ authorityUuid: null, waiting: null });
    await proxy.service.settle();
    const [first] = await listUuids(sent);
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: first, waiting: null });
    expect(await readMoves('invalid')).toBe(0);
    expect(await readMoves('valid')).toBe(2);
  });

  it.each(['not-found', 'http-503'])('adopts the first copy that was unreadable before (%s)', async (name) => {
    const sent = await sentAgain();
    // The first details call reads the reasons, the second one the first copy.
    await proxy.service.control('faults', [{ when: { api: 'details' }, fault: name, times: 1, every: 2 }]);
    await poll();
    expect(await sent.read()).toMatchObject(IN_DOUBT);
    await lookUp(1);
    await proxy.service.settle();
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: (await listUuids(sent))[0] });
  });

  it.each([
    ['the first send did not arrive', 'drop-before', 1],
    ['the first copy is invalid too', 'drop-after', 2],
  ])('becomes Invalid with its reasons after 15 lookups if %s', async (_, first, copies) => {
    await proxy.service.control('settings', { duplicateRules: false });
    const sent = await sentAgain({ first, referenceId: reference('SIM-INVALID-CV302') });
    await proxy.service.control('settings', { searchLagMs: 0 });
    await poll();
    await lookUp(LOOKUPS - 1);
    expect(await sent.read()).toMatchObject(IN_DOUBT);
    await lookUp(1);
    const uuids = await listUuids(sent);
    expect(uuids).toHaveLength(copies);
    expect(await sent.read()).toMatchObject({
      authorityStatus: 'Invalid',
      validatedAt: expect.any(String) as string,
      authorityUuid: uuids[copies - 1],
      errors: [{ authorityCode: 'CV302' }],
      waiting: null,
    });
    expect(await readMoves('invalid')).toBe(1);
    expect((await submit(proxy.service, tenant, [sent.document])).status).toBe(200);
  });

  it('becomes Invalid after 15 lookups even if the response to the resend was lost', async () => {
    await proxy.service.control('settings', { ...NEVER_SHOWN, duplicateRules: false });
    const sent = await queued(reference('SIM-INVALID-CV302'));
    await fault('submit', 'drop-before');
    await proxy.service.tick('submit');
    await fault('submit', 'drop-after');
    await lookUp(2);
    await proxy.service.control('settings', { searchLagMs: 0 });
    await lookUp(1);
    await poll();
    await lookUp(LOOKUPS);
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Invalid', errors: [{ authorityCode: 'CV302' }] });
  });
});

describe('a resent call that the authority had partially accepted', () => {
  async function sentAgainWithPart(second?: string) {
    await proxy.service.control('settings', NEVER_SHOWN);
    const referenceIds = [reference(), reference(), reference()];
    const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
    const { submissionBatchId } = await accept(proxy.service, tenant, documents);
    await fault('submit', 'partial-accept');
    await proxy.service.tick('submit');
    if (second !== undefined) await fault('submit', second);
    await lookUp(2);
    const log = await proxy.service.wireLog();
    const originals = referenceIds.map((referenceId) => {
      const original = log.find(({ number }) => number === referenceId);
      return { uuid: original?.uuid ?? '', submissionUid: original?.submissionUid };
    });
    expect(new Set(originals.map(({ submissionUid }) => submissionUid)).size, 'submissions').toBe(2);
    const expectValid = async (): Promise<void> => {
      const batch = await readStatus(proxy.service, tenant, submissionBatchId);
      expect(batch.documents).toMatchObject(
        originals.map(({ uuid, submissionUid }) => ({
          authorityStatus: 'Valid',
          authorityUuid: uuid,
          authoritySubmissionUid: submissionUid,
          waiting: null,
        })),
      );
      expect(proxy.listCalls('submit')).toHaveLength(2);
      expect(JSON.parse(await queue('show', '--json'))).toMatchObject({ doubts: [], overdue: [] });
    };
    return { referenceIds, originals, expectValid };
  }

  it('polls each document in the submission of its original', async () => {
    const { expectValid } = await sentAgainWithPart();
    await poll(2);
    await proxy.service.settle();
    await expectValid();
  });

  it('polls each document in its own submission after an operator has adopted it', async () => {
    const { referenceIds, originals, expectValid } = await sentAgainWithPart('drop-after');
    const { doubts } = JSON.parse(await queue('show', '--json')) as { doubts: Doubt[] };
    expect(doubts).toMatchObject([{ referenceIds }]);
    await queue('release', doubts[0].submissionId, '--adopt', ...originals.map(({ uuid }) => uuid));
    await poll(2);
    await proxy.service.settle();
    await expectValid();
  });
});

describe('a document with two copies that requires an operator decision', () => {
  async function leftToOperator(): Promise<Sent & Doubt & { readonly uuids: string[] }> {
    const sent = await sentAgain();
    hideOriginal();
    await poll();
    const { submissionId } = await readDoubt(sent);
    await expect(queue('release', submissionId, '--fail')).rejects.toThrow('still looked up');
    await lookUp(LOOKUPS);
    expect(await sent.read()).toMatchObject(IN_DOUBT);
    const doubt = await readDoubt(sent);
    expect(doubt).toMatchObject({ nextLookAt: null, decisions: ['adopt', 'fail'] });
    return { ...sent, ...doubt, uuids: await listUuids(sent) };
  }

  it('can be adopted or failed after 15 lookups if it duplicates a document with another number', async () => {
    const other = await queued();
    await proxy.service.settle();
    const [uuid] = await listUuids(other);
    const sent = await sentAgain();
    nameInstead(() => `for the document with UUID: ${uuid}`);
    await poll();
    await lookUp(LOOKUPS);
    expect(await readDoubt(sent)).toMatchObject({ nextLookAt: null, decisions: ['adopt', 'fail'] });
  });

  it('is polled under its adopted uuid', async () => {
    const { read, submissionId, uuids } = await leftToOperator();
    await expect(queue('release', submissionId, '--resend')).rejects.toThrow('cannot be sent again');
    await queue('release', submissionId, '--adopt', uuids[0]);
    await proxy.service.settle();
    expect(await read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: uuids[0], waiting: null });
  });

  it('keeps its number if the invalid copy is adopted', async () => {
    const sent = await leftToOperator();
    await queue('release', sent.submissionId, '--adopt', sent.uuids[1]);
    await poll();
    expect(await sent.read()).toMatchObject(IN_DOUBT);
    await lookUp(LOOKUPS);
    expect(await readDoubt(sent)).toMatchObject({ decisions: ['adopt', 'fail'] });
  });

  it('becomes Invalid and frees its number after --fail', async () => {
    const { read, document, submissionId } = await leftToOperator();
    await queue('release', submissionId, '--fail');
    expect(await read()).toMatchObject({ authorityStatus: 'Invalid', errors: [{ code: 'in_doubt_given_up' }] });
    expect((await submit(proxy.service, tenant, [document])).status).toBe(200);
  });

  it('gets the outcome of the other copy if its client id is lost', async () => {
    const { read, submissionId, referenceId, uuids } = await leftToOperator();
    await proxy.service.advance(2 * 3_600);
    await proxy.service.owner.query(`UPDATE authority_submission SET client_id = 'former'`);
    await expect(queue('release', submissionId, '--outcome', `${referenceId}=valid`)).rejects.toThrow('valid:UUID');
    await queue('release', submissionId, '--outcome', `${referenceId}=valid:${uuids[0]}`);
    expect(await read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: uuids[0], waiting: null });
  });
});

describe('a resent document that is invalid without a reason', () => {
  it('adopts the first copy found by a lookup', async () => {
    const sent = await sentAgain();
    await fault('details', 'no-results', 100);
    await poll(POLLS_WITHOUT_REASON);
    expect(await sent.read()).toMatchObject(IN_DOUBT);
    await fetch(`${proxy.service.simulator.url}/_control/faults`, { method: 'DELETE' });
    await proxy.service.control('settings', { searchLagMs: 0 });
    await lookUp(1);
    await proxy.service.settle();
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: (await listUuids(sent))[0] });
  });
});

describe('a document that was sent once', () => {
  it('becomes Invalid in the first poll with only one further call for its reasons', async () => {
    const sent = await queued(reference('SIM-INVALID-CV302'));
    await proxy.service.tick('submit');
    proxy.calls.length = 0;
    await poll();
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Invalid', errors: [{ authorityCode: 'CV302' }] });
    expect(proxy.calls.map(({ api }) => api)).toEqual(['getSubmission', 'details']);
  });

  it('becomes Invalid in the first poll as a duplicate of a document with another number', async () => {
    const other = await queued();
    await proxy.service.settle();
    const [uuid] = await listUuids(other);
    const sent = await deliveredTwice();
    nameInstead(() => `for the document with UUID: ${uuid}`);
    await poll();
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Invalid', errors: [{ authorityCode: 'DS302' }] });
  });

  it('keeps the first copy if the network delivered it twice', async () => {
    const sent = await deliveredTwice();
    await poll(2);
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: (await listUuids(sent))[0] });
    expect(proxy.listCalls('search')).toHaveLength(0);
  });

  it('adopts its first copy by a lookup if the authority does not name it', async () => {
    const sent = await deliveredTwice();
    hideOriginal();
    await poll();
    expect(await sent.read()).toMatchObject(IN_DOUBT);
    await lookUp(1);
    await proxy.service.settle();
    expect(await sent.read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: (await listUuids(sent))[0] });
  });

  it('adopts no document with different content', async () => {
    const sent = await deliveredTwice();
    proxy.rewrite = (text) => text.replaceAll('Consulting', 'Rent');
    await poll();
    await lookUp(1);
    expect(await sent.read()).toMatchObject(IN_DOUBT);
    expect(await readDoubt(sent)).toMatchObject({ nextLookAt: null, decisions: ['adopt', 'fail'] });
  });

  async function deliveredTwice(): Promise<Sent> {
    const sent = await queued();
    proxy.deliveredTwice.add('submit');
    await proxy.service.tick('submit');
    proxy.deliveredTwice.clear();
    expect(await listUuids(sent)).toHaveLength(2);
    return sent;
  }
});
