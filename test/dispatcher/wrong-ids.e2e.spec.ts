import { beforeEach, describe, expect, it } from 'vitest';
import { countCallsToDecide } from '../../src/dispatcher/monitoring/figures.sql.js';
import { runDiagnosis } from '../../src/processes/cli.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, cancel, createTenant, readStatus, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { ACCEPTED_LOOKUP_SECONDS, endLookups } from '../support/lookups.js';
import { type ListedDoubt, readCallsInDoubt, runQueueCommand } from '../support/queue-command.js';
import { until } from '../support/until.js';
import { startFileProxy } from './authority-proxy.js';

// The ids in a submit response are unconfirmed. A document's uuid is shown once the authority has returned its number,
// type and supplier under this uuid. The uuid of another document is never shown.

const MINUTE_SECONDS = 60;
const SEVEN_DAYS_SECONDS = 7 * 86_400 + MINUTE_SECONDS;
const NEVER_SHOWN = { searchLagMs: 100 * 3_600_000 };

const proxy = await startFileProxy({ simulator: { duplicateRules: false, tokenSeconds: 86_400 } });
let tenant: TestTenant;
let neighbour: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
  neighbour = await createTenant(proxy.service);
});

interface Sent {
  readonly documents: Record<string, unknown>[];
  readonly referenceIds: string[];
  read(): Promise<readonly DocumentStatusDto[]>;
}

async function queued(owner: TestTenant, ...referenceIds: string[]): Promise<Sent> {
  const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
  const { submissionBatchId } = await accept(proxy.service, owner, documents);
  const read = async () => (await readStatus(proxy.service, owner, submissionBatchId)).documents;
  return { documents, referenceIds, read };
}

/** Sends the queued documents and makes the response fail. */
async function send(fault?: string): Promise<void> {
  if (fault !== undefined) await proxy.service.control('faults', [{ when: { api: 'submit' }, fault, times: 1 }]);
  await proxy.service.tick('submit');
}

async function pollAll(): Promise<void> {
  while ((await proxy.service.tick('poll')) > 0);
}

/** Polls and looks up each minute. */
async function followFor(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await proxy.service.advance(MINUTE_SECONDS);
    await pollAll();
    await proxy.service.tick('reconcile');
  }
}

/** Returns the authority's ids of these documents, each of which it must have exactly once. */
async function readIds({ referenceIds }: Sent): Promise<{ uuid: string; submissionUid: string }[]> {
  const log = await proxy.service.wireLog();
  return referenceIds.map((referenceId) => {
    const taken = log.filter(({ number }) => number === referenceId);
    expect(taken, `${referenceId} at the authority`).toHaveLength(1);
    return { uuid: taken[0].uuid, submissionUid: taken[0].submissionUid };
  });
}

/** Expects that each document shows its ids at the authority or none. */
async function expectNoWrongIds(sent: Sent): Promise<void> {
  const ids = await readIds(sent);
  for (const [index, document] of (await sent.read()).entries()) {
    expect([null, ids[index].uuid]).toContain(document.authorityUuid);
    expect([null, ids[index].submissionUid]).toContain(document.authoritySubmissionUid);
    if (document.authorityUuid === null) expect(document.validationUrl).toBeNull();
  }
}

/** Expects that no wrong id is shown during 20 minutes of polls and lookups, and that each document is then Valid. */
async function expectValidUnderOwnIds(...all: readonly Sent[]): Promise<void> {
  for (let minute = 0; minute < 20; minute += 1) {
    for (const sent of all) await expectNoWrongIds(sent);
    await followFor(1);
  }
  for (const sent of all) {
    const ids = await readIds(sent);
    expect(await sent.read()).toMatchObject(
      ids.map(({ uuid, submissionUid }) => ({
        authorityStatus: 'Valid',
        authorityUuid: uuid,
        authoritySubmissionUid: submissionUid,
        validationUrl: expect.stringContaining(uuid) as string,
        waiting: null,
      })),
    );
  }
}

describe('a submit response with wrong ids', () => {
  it.each([
    ['swapped uuids', 'swapped-uuids'],
    ['a nonexistent uuid', 'unknown-uuid'],
    ['a nonexistent submission', 'unknown-submission-uid'],
    ['the previous submission', 'other-submission-uid'],
    ["the uuid of another organisation's document", 'foreign-uuid'],
  ])('leaves each document Valid under its own ids: %s (%s)', async (_, fault) => {
    const neighbours = await queued(neighbour, reference());
    await send();
    const earlier = await queued(tenant, reference());
    await send();
    const sent = await queued(tenant, reference(), reference());
    await send(fault);
    await expectValidUnderOwnIds(sent, earlier, neighbours);
    expect(proxy.listCalls('submit')).toHaveLength(3);
  });

  it("leaves both documents Valid if the uuid belongs to another organisation's document in doubt", async () => {
    const inDoubt = await queued(neighbour, reference());
    await send('drop-after');
    await proxy.service.advance(MINUTE_SECONDS / 2);
    const sent = await queued(tenant, reference());
    await send('foreign-uuid');
    await expectValidUnderOwnIds(sent, inDoubt);
    expect(proxy.listCalls('submit')).toHaveLength(2);
  });

  it('assigns each organisation its own uuid after simultaneous submits', async () => {
    const both = [await queued(tenant, reference()), await queued(neighbour, reference())];
    let calls = 0;
    proxy.after.set('submit', async () => {
      calls += 1;
      if (calls === 1) await proxy.service.tick('submit');
      else proxy.rewrite = swapInSubmits((await proxy.service.wireLog()).map(({ uuid }) => uuid));
    });
    await send();
    proxy.rewrite = null;
    const claimed = await proxy.service.owner.query<{ referenceId: string; uuid: string }[]>(
      'SELECT reference_id AS "referenceId", authority_uuid AS uuid FROM document_transaction',
    );
    const ids = (await Promise.all(both.map((sent) => readIds(sent)))).flat();
    expect(both.map(({ referenceIds }) => claimed.find((row) => row.referenceId === referenceIds[0])?.uuid)).toEqual([
      ids[1].uuid,
      ids[0].uuid,
    ]);
    await expectValidUnderOwnIds(...both);
    expect(calls).toBe(2);
  });

  function swapInSubmits([one, other]: readonly string[]): (text: string) => string {
    return (text) => {
      if (!text.includes('acceptedDocuments')) return text;
      return text.replace(/[0-9A-Z]{26}/g, (id) => (id === one ? other : id === other ? one : id));
    };
  }
});

describe('two documents of a call with swapped uuids', () => {
  /** Swaps the uuids in the next response that lists these documents. */
  async function swapNext(sent: Sent, list: 'documentSummary' | 'result'): Promise<void> {
    const [{ uuid: one }, { uuid: other }] = await readIds(sent);
    proxy.rewrite = (text) => {
      if (!text.includes(`"${list}"`) || !text.includes(one)) return text;
      proxy.rewrite = null;
      return text.replace(/[0-9A-Z]{26}/g, (id) => (id === one ? other : id === other ? one : id));
    };
  }

  it('keep their own uuids and outcomes despite a poll with the swapped uuids', async () => {
    const sent = await queued(tenant, reference('SIM-INVALID-CV302'), reference());
    await send();
    await swapNext(sent, 'documentSummary');
    const ids = await readIds(sent);
    await followFor(2);
    expect(proxy.rewrite, 'the response was read').toBeNull();
    for (let step = 0; step < 10; step += 1) {
      await expectNoWrongIds(sent);
      await followFor(1);
    }
    expect(await sent.read()).toMatchObject([
      { authorityStatus: 'Invalid', authorityUuid: ids[0].uuid, errors: [{ authorityCode: 'CV302' }] },
      { authorityStatus: 'Valid', authorityUuid: ids[1].uuid },
    ]);
  });

  it('get their own uuids from a search after a lost response', async () => {
    const sent = await queued(tenant, reference('SIM-INVALID-CV302'), reference());
    await send('drop-after');
    await swapNext(sent, 'result');
    const ids = await readIds(sent);
    await followFor(40);
    expect(proxy.rewrite, 'the response was read').toBeNull();
    expect(await sent.read()).toMatchObject([
      { authorityStatus: 'Invalid', authorityUuid: ids[0].uuid },
      { authorityStatus: 'Valid', authorityUuid: ids[1].uuid },
    ]);
    expect(proxy.listCalls('submit')).toHaveLength(1);
  });
});

const UNKNOWN_ID = 'ZZZZZZZZZZZZZZZZZZZZZZZZZZ';

/** Rewrites the next search result that shows an id. */
function rewriteNextSearch(id: string, replacement: string): void {
  proxy.rewrite = (text) => {
    if (!text.startsWith('{"result"') || !text.includes(id)) return text;
    proxy.rewrite = null;
    return text.replaceAll(id, replacement);
  };
}

describe('a search with wrong ids after a lost response', () => {
  it.each<[string, (ids: { uuid: string; submissionUid: string }) => [string, string]]>([
    ['a nonexistent uuid', ({ uuid }) => [uuid, UNKNOWN_ID]],
    ['its uuid in lower case', ({ uuid }) => [uuid, uuid.toLowerCase()]],
    ['a nonexistent submission', ({ submissionUid }) => [submissionUid, UNKNOWN_ID]],
  ])('leaves the document Valid under its own ids: %s', async (_, replace) => {
    const sent = await queued(tenant, reference());
    await send('drop-after');
    const [ids] = await readIds(sent);
    rewriteNextSearch(...replace(ids));
    await expectValidUnderOwnIds(sent);
    expect(proxy.rewrite, 'the response was read').toBeNull();
    expect(proxy.listCalls('submit')).toHaveLength(1);
  });

  it("leaves both documents with their own uuids if the uuid belongs to another organisation's accepted document", async () => {
    const other = await queued(neighbour, reference());
    await send();
    const sent = await queued(tenant, reference());
    await send('drop-after');
    const [{ uuid: foreign }] = await readIds(other);
    rewriteNextSearch((await readIds(sent))[0].uuid, foreign);
    await proxy.service.advance(MINUTE_SECONDS + 1);
    await proxy.service.tick('reconcile');
    expect(proxy.rewrite, 'the response was read').toBeNull();
    const holders = await proxy.service.owner.query<{ referenceId: string }[]>(
      'SELECT reference_id AS "referenceId" FROM document_transaction WHERE authority_uuid = $1',
      [foreign],
    );
    expect(holders.map(({ referenceId }) => referenceId)).toEqual(other.referenceIds);
    await expectValidUnderOwnIds(sent, other);
  });

  it("leaves both documents Valid if the uuid belongs to another organisation's document in doubt", async () => {
    const other = await queued(neighbour, reference());
    await send('drop-after');
    await proxy.service.advance(20);
    const sent = await queued(tenant, reference());
    await send('drop-after');
    rewriteNextSearch((await readIds(sent))[0].uuid, (await readIds(other))[0].uuid);
    await proxy.service.control('faults', [{ when: { api: 'search' }, fault: 'http-503', times: 1 }]);
    await expectValidUnderOwnIds(sent, other);
    expect(proxy.rewrite, 'the response was read').toBeNull();
  });
});

it('requires an operator decision if searches always return an unknown submission', async () => {
  const sent = await queued(tenant, reference());
  await send('drop-after');
  const [{ uuid, submissionUid }] = await readIds(sent);
  proxy.rewrite = (text) => (text.startsWith('{"result"') ? text.replaceAll(submissionUid, UNKNOWN_ID) : text);
  await followFor(110);
  while ((await countToDecide()) === 0) await followFor(1);
  await expectNoWrongIds(sent);
  const [doubt] = await readCallsInDoubt(proxy.service);
  expect(doubt).toMatchObject({ decisions: ['adopt', 'fail'] });
  expect(await runQueueCommand(proxy.service, 'release', doubt.submissionId, '--adopt', uuid)).toMatchObject({
    error: '',
  });
  await followFor(2);
  expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: uuid }]);
});

it('settles documents with swapped uuids in Get Submission by their details', async () => {
  const sent = await queued(tenant, reference(), reference());
  await send();
  const [{ uuid: one }, { uuid: other }] = await readIds(sent);
  proxy.rewrite = (text) => {
    if (!text.includes('"documentSummary"')) return text;
    return text.replace(/[0-9A-Z]{26}/g, (id) => (id === one ? other : id === other ? one : id));
  };
  await expectValidUnderOwnIds(sent);
});

it('polls a confirmed document by its details if the authority no longer shows its submission', async () => {
  const sent = await queued(tenant, reference('SIM-SLOW-900'));
  await send();
  await followFor(1);
  const [{ uuid }] = await readIds(sent);
  expect(await sent.read()).toMatchObject([{ authorityStatus: 'Submitted', authorityUuid: uuid }]);
  await proxy.service.control('settings', { visibilityDelayMs: 100 * 3_600_000 });
  await followFor(30);
  expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: uuid, waiting: null }]);
});

it('ignores the details of another document as reasons of an invalid document', async () => {
  const sent = await queued(tenant, reference('SIM-INVALID-CV302'));
  await send();
  proxy.rewrite = (text) => {
    if (!text.includes('"validationResults"')) return text;
    proxy.rewrite = null;
    return text.replace(/"internalId":"[^"]*"/, '"internalId":"OTHER"').replaceAll('CV302', 'CV301');
  };
  await followFor(3);
  expect(proxy.rewrite, 'the response was read').toBeNull();
  expect(await sent.read()).toMatchObject([{ authorityStatus: 'Invalid', errors: [{ authorityCode: 'CV302' }] }]);
});

it('repeats a cancellation after a lost response if the details belong to another document', async () => {
  const sent = await queued(tenant, reference());
  await send();
  await followFor(1);
  const [{ documentId, authorityUuid }] = await sent.read();
  await cancel(proxy.service, tenant, { documentId });
  await proxy.service.control('faults', [{ when: { api: 'cancel' }, fault: 'drop-before', times: 1 }]);
  await proxy.service.tick('cancel');
  proxy.rewrite = (text) => {
    if (!text.includes('"validationResults"') || !text.includes(authorityUuid ?? '')) return text;
    proxy.rewrite = null;
    return JSON.stringify({ ...(JSON.parse(text) as object), internalId: 'OTHER', status: 'Cancelled' });
  };
  await proxy.service.advance(MINUTE_SECONDS);
  await proxy.service.tick('cancel');
  expect(proxy.rewrite, 'the response was read').toBeNull();
  expect(proxy.listCalls('cancel')).toHaveLength(2);
  await followFor(6);
  expect(await sent.read()).toMatchObject([{ authorityStatus: 'Cancelled', cancellation: { status: 'Completed' } }]);
});

describe('the uuid of an accepted document', () => {
  it('is shown after a poll has confirmed it', async () => {
    const sent = await queued(tenant, reference('SIM-STUCK'));
    await send();
    expect(await sent.read()).toMatchObject([
      { authorityStatus: 'Submitted', authorityUuid: null, authoritySubmissionUid: null },
    ]);
    await proxy.service.advance(10);
    await pollAll();
    const [{ uuid, submissionUid }] = await readIds(sent);
    expect(await sent.read()).toMatchObject([
      { authorityStatus: 'Submitted', authorityUuid: uuid, authoritySubmissionUid: submissionUid },
    ]);
    expect(proxy.calls.map(({ api }) => api)).toEqual(['token', 'submit', 'getSubmission']);
  });

  it('is hidden while polls get no response', async () => {
    const sent = await queued(tenant, reference());
    await send();
    await proxy.service.control('faults', [{ when: { api: 'getSubmission' }, fault: 'http-503', times: 5 }]);
    for (let poll = 0; poll < 5; poll += 1) {
      await proxy.service.advance(MINUTE_SECONDS);
      await pollAll();
    }
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Submitted', authorityUuid: null, waiting: null }]);
    await proxy.service.settle();
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid' }]);
  });
});

it('reports an accepted document to the operator after an hour of unanswered polls', async () => {
  const sent = await queued(tenant, reference());
  await send();
  await proxy.service.control('faults', [{ when: { api: 'getSubmission' }, fault: 'http-503', times: 1_000 }]);
  await followFor(59);
  expect(await readCallsInDoubt(proxy.service)).toEqual([]);
  expect(await diagnose()).toEqual(['good']);
  await followFor(2);
  expect(await readCallsInDoubt(proxy.service)).toMatchObject([
    { referenceIds: sent.referenceIds, reason: 'no poll has shown an outcome since it was sent', decisions: [] },
  ]);
  expect(await diagnose()).toEqual(['problem']);
  expect(await sent.read()).toMatchObject([{ authorityStatus: 'Submitted' }]);
});

/** Returns the findings of one `doctor` check. */
async function diagnose(name = 'outcomes'): Promise<string[]> {
  let out = '';
  const output = { out: (text: string) => void (out += text), error: () => undefined };
  const environment = { ...proxy.service.settings, DATABASE_OWNER_URL: proxy.service.database.ownerUrl };
  await runDiagnosis({ environment, problem: null }, ['doctor', '--json'], output);
  const { findings } = JSON.parse(out) as { findings: { check: string; result: string }[] };
  return findings.filter(({ check }) => check === name).map(({ result }) => result);
}

/** Makes Get Submission and the details call return 404. */
async function hideAccepted(): Promise<void> {
  await proxy.service.control('settings', { visibilityDelayMs: 100 * 3_600_000 });
  await proxy.service.control('faults', [{ when: { api: 'details' }, fault: 'not-found', times: 1_000 }]);
}

async function endFaults(): Promise<void> {
  await fetch(`${proxy.service.simulator.url}/_control/faults`, { method: 'DELETE' });
}

async function countToDecide(): Promise<number> {
  const [{ toDecide }] = await countCallsToDecide(proxy.service.owner.manager, ['sandbox'], ['test-client-sandbox']);
  return toDecide;
}

describe('an outage of Get Submission', () => {
  it('with status 404 leaves documents Valid by their details without a search', async () => {
    await proxy.service.control('settings', { visibilityDelayMs: 100 * 3_600_000 });
    const both = [await queued(tenant, reference()), await queued(neighbour, reference(), reference())];
    await send();
    await send();
    await expectValidUnderOwnIds(...both);
    expect(proxy.listCalls('search')).toEqual([]);
  });

  it('that omits one document of a call leaves it Valid by its details', async () => {
    const sent = await queued(tenant, reference(), reference());
    await send();
    proxy.rewrite = (text) => {
      if (!text.includes('"documentSummary"')) return text;
      const body = JSON.parse(text) as { documentSummary: { internalId: string }[] };
      const rows = body.documentSummary.filter(({ internalId }) => internalId !== sent.referenceIds[1]);
      return JSON.stringify({ ...body, documentSummary: rows });
    };
    await expectValidUnderOwnIds(sent);
  });

  it('and the details call ends by itself or by an operator decision after 115 minutes', async () => {
    await hideAccepted();
    const both = [await queued(tenant, reference()), await queued(neighbour, reference())];
    await send();
    await send();
    await followFor(100);
    expect(await countToDecide()).toBe(0);
    while ((await countToDecide()) < 2) await followFor(1);
    const doubts = await readCallsInDoubt(proxy.service);
    expect(doubts.map(({ decisions }) => decisions)).toEqual([1, 2].map(() => ['adopt', 'fail']));
    // A successful call confirms the time.
    await proxy.service.restart();
    await queued(await createTenant(proxy.service), reference());
    await send();
    const given = doubts.find(({ referenceIds }) => referenceIds[0] === both[1].referenceIds[0]);
    expect(await runQueueCommand(proxy.service, 'release', given?.submissionId ?? '', '--fail')).toMatchObject({
      error: '',
    });
    await proxy.service.control('settings', { visibilityDelayMs: 0 });
    await endFaults();
    await followFor(70);
    expect(await both[0].read()).toMatchObject([{ authorityStatus: 'Valid', waiting: null }]);
    expect(await both[1].read()).toMatchObject([{ authorityStatus: 'Invalid', waiting: null }]);
    expect(await readCallsInDoubt(proxy.service)).toEqual([]);
  });
});

describe('a document that is ready for an operator decision', () => {
  async function addFault(api: string, fault: string): Promise<void> {
    await proxy.service.control('faults', [{ when: { api }, fault, times: 1_000 }]);
  }

  it.each<[string, () => Promise<void>, (() => Promise<void>)?]>([
    ['is unreadable in its details', () => addFault('details', 'http-500-before')],
    ['is missing from its submission and its details', hideAccepted],
    ['is in an unreadable submission', hideAccepted, () => addFault('getSubmission', 'http-503')],
  ])('stays listed until a poll shows its outcome because it %s', async (_, fail, failLater) => {
    const sent = await queued(tenant, reference('SIM-INVALID-CV302'));
    await send();
    await fail();
    while ((await countToDecide()) === 0) await followFor(1);
    await failLater?.();
    const expectListed = async (): Promise<void> => {
      expect(await countToDecide()).toBe(1);
      expect(await readCallsInDoubt(proxy.service)).toMatchObject([
        { referenceIds: sent.referenceIds, decisions: ['adopt', 'fail'] },
      ]);
    };
    const searches = proxy.listCalls('search').length;
    for (let minute = 0; minute < 75; minute += 1) {
      await proxy.service.advance(MINUTE_SECONDS);
      while ((await proxy.service.tick('reconcile')) > 0) await expectListed();
      await pollAll();
      expect(await countToDecide()).toBe(1);
    }
    expect(proxy.listCalls('search').length).toBeGreaterThan(searches);
    await endFaults();
    await proxy.service.control('settings', { visibilityDelayMs: 0 });
    await followFor(70);
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Invalid', errors: [{ authorityCode: 'CV302' }] }]);
    expect(await readCallsInDoubt(proxy.service)).toEqual([]);
  });
});

describe("a valid document under another organisation's uuid in its response and its poll", () => {
  async function validUnderForeignUuid(): Promise<Sent & { other: Sent; own: string; foreign: string }> {
    const other = await queued(neighbour, reference());
    await send('drop-after');
    const [{ uuid: foreign }] = await readIds(other);
    const sent = await queued(tenant, reference());
    proxy.rewrite = (text) => (text.includes(sent.referenceIds[0]) ? renameUuid(text, foreign) : text);
    await proxy.service.advance(10);
    await send();
    await proxy.service.advance(10);
    await pollAll();
    proxy.rewrite = null;
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: foreign }]);
    const [{ uuid: own }] = await readIds(sent);
    return { ...sent, other, own, foreign };
  }

  function renameUuid(text: string, uuid: string): string {
    return text.replace(/"uuid":"[0-9A-Z]{26}"/g, `"uuid":"${uuid}"`);
  }

  async function untilListed({ referenceIds }: Sent): Promise<ListedDoubt> {
    for (let minute = 0; minute < 120; minute += 1) {
      await followFor(1);
      const doubt = (await readCallsInDoubt(proxy.service)).find((each) => each.referenceIds[0] === referenceIds[0]);
      if (doubt !== undefined) return doubt;
    }
    throw new Error('It is not listed');
  }

  it('can only be adopted by an operator', async () => {
    const sent = await validUnderForeignUuid();
    const doubt = await untilListed(sent);
    expect(doubt).toMatchObject({
      reason: 'it is Valid, and the authority shows another document or none under its uuid',
      nextLookAt: null,
      decisions: ['adopt'],
    });
    expect(await diagnose('doubts')).toEqual(['problem']);
    for (const words of [['--fail'], ['--resend'], ['--adopt', sent.foreign]]) {
      expect((await runQueueCommand(proxy.service, 'release', doubt.submissionId, ...words)).error).not.toBe('');
    }
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid' }]);
  });

  it('is not adopted under a uuid that the authority calls invalid', async () => {
    const sent = await validUnderForeignUuid();
    const { submissionId } = await untilListed(sent);
    proxy.rewrite = (text) => text.replace('"status":"Valid"', '"status":"Invalid"');
    const { error } = await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', sent.own);
    expect(error).toContain(`the authority shows ${sent.own} as invalid`);
    proxy.rewrite = null;
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid' }]);
    const listed = (await readCallsInDoubt(proxy.service)).find((each) => each.submissionId === submissionId);
    expect(listed).toMatchObject({ decisions: ['adopt'] });
  });

  it('gets its own uuid from an operator', async () => {
    const sent = await validUnderForeignUuid();
    const { submissionId } = await untilListed(sent);
    expect(await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', sent.own)).toMatchObject({
      error: '',
    });
    await expectValidUnderOwnIds(sent, sent.other);
    expect(await readCallsInDoubt(proxy.service)).toEqual([]);
    expect(proxy.listCalls('submit')).toHaveLength(2);
  });

  it('shows no uuid between the contradiction and its adoption', async () => {
    const sent = await validUnderForeignUuid();
    const { submissionId } = await untilListed(sent);
    const hidden = { authorityStatus: 'Valid', authorityUuid: null, authoritySubmissionUid: null, validationUrl: null };
    expect(await sent.read()).toMatchObject([hidden]);
    await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', sent.own);
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: sent.own }]);
  });

  it('is not referenced by credit notes before its adoption', async () => {
    const sent = await validUnderForeignUuid();
    const { submissionId } = await untilListed(sent);
    const [referenceId] = sent.referenceIds;
    const note = creditNote({ referenceId });
    const { submissionBatchId } = await accept(proxy.service, tenant, [note]);
    const readNote = async () => (await readStatus(proxy.service, tenant, submissionBatchId)).documents;
    await proxy.service.advance(SEVEN_DAYS_SECONDS);
    await proxy.service.tick('hold');
    await send();
    expect(await readNote()).toMatchObject([{ submissionStatus: 'Queued', heldFor: { referenceId } }]);
    await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', sent.own);
    await proxy.service.tick('hold');
    await send();
    expect(await readNote()).toMatchObject([{ submissionStatus: 'Submitted' }]);
    const [{ parentUuid }] = await proxy.service.owner.query<{ parentUuid: string }[]>(
      'SELECT parent_authority_uuid AS "parentUuid" FROM document_transaction WHERE reference_id = $1',
      [note.referenceId],
    );
    expect(parentUuid).toBe(sent.own);
  });

  it('is only cancelled under its own uuid', async () => {
    const sent = await validUnderForeignUuid();
    const { submissionId } = await untilListed(sent);
    const [{ documentId }] = await sent.read();
    await cancel(proxy.service, tenant, { documentId });
    await proxy.service.tick('cancel');
    expect(proxy.listCalls('cancel')).toEqual([]);
    await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', sent.own);
    await proxy.service.tick('cancel');
    expect(proxy.listCalls('cancel').map(({ url }) => url.pathname)).toEqual([
      expect.stringContaining(sent.own) as string,
    ]);
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Cancelled', authorityUuid: sent.own }]);
  });
});

it.each<[string, (sent: { uuid: string; number: string }) => string]>([
  ['under another uuid', ({ uuid }) => uuid],
  ['with another number', ({ number }) => number],
])('requires no operator decision on a valid document after one poll returns %s', async (_, choose) => {
  const sent = await queued(tenant, reference());
  await send();
  await followFor(1);
  const [{ uuid }] = await readIds(sent);
  proxy.rewrite = (text) => {
    if (!text.includes('"documentSummary"')) return text;
    proxy.rewrite = null;
    return text.replaceAll(choose({ uuid, number: sent.referenceIds[0] }), UNKNOWN_ID);
  };
  while (proxy.rewrite !== null) await followFor(10);
  expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: uuid, waiting: null }]);
  expect(await readCallsInDoubt(proxy.service)).toEqual([]);
});

const UNREADABLE: [string, string, () => Promise<unknown> | void][] = [
  [
    'shows the details of another document',
    'another document',
    () =>
      void (proxy.rewrite = (text) =>
        text.includes('"validationResults"') ? text.replace(/"internalId":"[^"]*"/, '"internalId":"OTHER"') : text),
  ],
  [
    'responds to details calls with 500',
    'details are unreadable',
    () => proxy.service.control('faults', [{ when: { api: 'details' }, fault: 'http-500-before', times: 1_000 }]),
  ],
  [
    'calls it valid in its details',
    'both invalid and valid',
    () =>
      void (proxy.rewrite = (text) =>
        text.includes('"validationResults"') ? noErrors(text.replaceAll('"Invalid"', '"Valid"')) : text),
  ],
  [
    'shows an unknown status',
    'an unreadable status',
    () =>
      void (proxy.rewrite = (text) =>
        text.includes('"documentSummary"') ? text.replaceAll('"Invalid"', '"Doubtful"') : text),
  ],
];

function noErrors(details: string): string {
  return JSON.stringify({ ...(JSON.parse(details) as object), validationResults: null });
}

describe('an invalid document without a readable outcome', () => {
  it.each(UNREADABLE)(
    'is listed for an operator after 115 minutes and can still end by itself: the authority %s',
    async (_, why, fail) => {
      const sent = await queued(tenant, reference('SIM-INVALID-CV302'));
      await send();
      await fail();
      await followFor(110);
      expect(await sent.read()).toMatchObject([{ authorityStatus: 'Submitted', errors: [], waiting: null }]);
      while ((await countToDecide()) === 0) await followFor(1);
      expect(await readCallsInDoubt(proxy.service)).toMatchObject([
        {
          referenceIds: sent.referenceIds,
          reason: expect.stringContaining(why) as string,
          decisions: ['adopt', 'fail'],
        },
      ]);
      proxy.rewrite = null;
      await endFaults();
      await followFor(70);
      expect(await sent.read()).toMatchObject([{ authorityStatus: 'Invalid', errors: [{ authorityCode: 'CV302' }] }]);
      expect(await readCallsInDoubt(proxy.service)).toEqual([]);
    },
  );
});

describe('accepted documents of several organisations that the authority does not return', () => {
  async function sentByBoth(): Promise<Sent[]> {
    await hideAccepted();
    const both = [await queued(tenant, reference()), await queued(neighbour, reference())];
    await send();
    await send();
    return both;
  }

  it('are only polled for nine minutes', async () => {
    const both = await sentByBoth();
    await followFor(9);
    for (const sent of both) expect(await sent.read()).toMatchObject([{ waiting: null }]);
    expect(proxy.listCalls('search')).toEqual([]);
    await proxy.service.control('settings', { visibilityDelayMs: 0 });
    await expectValidUnderOwnIds(...both);
    expect(proxy.listCalls('search')).toEqual([]);
  });

  it('are only polled for nine minutes after the first poll with a response', async () => {
    const both = await sentByBoth();
    await proxy.service.control('faults', [{ when: { api: 'getSubmission' }, fault: 'http-503', times: 1_000 }]);
    while (proxy.listCalls('getSubmission').length < 2 * 10) await followFor(1);
    await endFaults();
    await hideAccepted();
    while (!proxy.listCalls('getSubmission').some(({ status }) => status === 404)) await followFor(1);
    await followFor(9);
    expect(proxy.listCalls('search')).toEqual([]);
    await followFor(12);
    expect(proxy.listCalls('search').length).toBeGreaterThan(0);
    await proxy.service.control('settings', { visibilityDelayMs: 0 });
    await expectValidUnderOwnIds(...both);
  });

  it('are only polled while some polls get no response', async () => {
    await sentByBoth();
    for (let round = 0; round < 5; round += 1) {
      await followFor(7);
      await proxy.service.control('faults', [{ when: { api: 'getSubmission' }, fault: 'http-503', times: 2 }]);
    }
    expect(proxy.listCalls('search')).toEqual([]);
  });

  it.each(['empty', 'failed'])('are searched at growing intervals after %s searches', async (how) => {
    await proxy.service.control('settings', NEVER_SHOWN);
    const both = await sentByBoth();
    if (how === 'failed') {
      await proxy.service.control('faults', [{ when: { api: 'search' }, fault: 'http-500-before', times: 1_000 }]);
    }
    await followFor(80);
    for (const sent of both) expect(await sent.read()).toMatchObject([{ waiting: { code: 'in_doubt' } }]);
    expect(proxy.listCalls('search').length).toBeGreaterThan(2 * 4);
    expect(proxy.listCalls('search').length).toBeLessThan(2 * 12);
  });

  it('are searched after a later call with a lost response', async () => {
    await proxy.service.control('settings', NEVER_SHOWN);
    const both = await sentByBoth();
    for (let minute = 0; minute < 20; minute += 1) {
      await proxy.service.advance(MINUTE_SECONDS);
      await pollAll();
    }
    await proxy.service.control('settings', { searchLagMs: 0 });
    const lost = await queued(await createTenant(proxy.service), reference());
    await send('drop-after');
    await proxy.service.advance(2 * MINUTE_SECONDS);
    await proxy.service.tick('reconcile');
    expect(await lost.read()).toMatchObject([{ submissionStatus: 'Submitted' }]);
    for (const sent of both) expect(await sent.read()).toMatchObject([{ waiting: { code: 'in_doubt' } }]);
  });
});

describe('an accepted document that neither polls nor lookups find', () => {
  async function unshown(): Promise<Sent & { doubt: ListedDoubt }> {
    await proxy.service.control('settings', NEVER_SHOWN);
    const sent = await queued(tenant, reference());
    await send('unknown-submission-uid');
    await followFor(20);
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Submitted', waiting: { code: 'in_doubt' } }]);
    const [doubt] = await readCallsInDoubt(proxy.service);
    return { ...sent, doubt };
  }

  it('is listed with the reason and the possible decisions', async () => {
    const { doubt, referenceIds } = await unshown();
    const reason = 'the authority does not show it under the ids of its response';
    expect(doubt).toMatchObject({ referenceIds, reason, decisions: ['adopt'] });
    expect(doubt.nextLookAt).not.toBeNull();
    await endLookups(proxy.service, ACCEPTED_LOOKUP_SECONDS);
    expect(await readCallsInDoubt(proxy.service)).toMatchObject([
      { reason, nextLookAt: null, decisions: ['adopt', 'fail'] },
    ]);
    const { out } = await runQueueCommand(proxy.service, 'show');
    expect(out).toContain(reason);
    expect(out).toContain('--adopt --fail');
  });

  it('is never resent, even by an operator', async () => {
    const { doubt } = await unshown();
    await endLookups(proxy.service, ACCEPTED_LOOKUP_SECONDS);
    expect((await runQueueCommand(proxy.service, 'release', doubt.submissionId, '--resend')).error).toContain(
      'it cannot be sent again',
    );
    for (const loop of ['submit', 'reconcile'] as const) await proxy.service.tick(loop);
    expect(proxy.listCalls('submit')).toHaveLength(1);
  });

  it('is adopted by an operator under a uuid that the authority confirms', async () => {
    const sent = await unshown();
    const [{ uuid }] = await readIds(sent);
    const other = await queued(neighbour, reference());
    await send();
    const [{ uuid: foreign }] = await readIds(other);
    expect(
      (await runQueueCommand(proxy.service, 'release', sent.doubt.submissionId, '--adopt', foreign)).error,
    ).not.toBe('');
    expect(await runQueueCommand(proxy.service, 'release', sent.doubt.submissionId, '--adopt', uuid)).toMatchObject({
      error: '',
    });
    await expectValidUnderOwnIds(sent, other);
  });

  it('becomes Valid after its adoption even if its details once contain an unknown submission', async () => {
    const sent = await unshown();
    const [{ uuid, submissionUid }] = await readIds(sent);
    proxy.rewrite = (text) => text.replaceAll(submissionUid, UNKNOWN_ID);
    expect(await runQueueCommand(proxy.service, 'release', sent.doubt.submissionId, '--adopt', uuid)).toMatchObject({
      error: '',
    });
    proxy.rewrite = null;
    await followFor(30);
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: uuid, waiting: null }]);
  });

  it('is not adopted while its details contain no submission', async () => {
    const sent = await unshown();
    const [{ uuid, submissionUid }] = await readIds(sent);
    proxy.rewrite = (text) => text.replaceAll(`"${submissionUid}"`, 'null');
    const release = () => runQueueCommand(proxy.service, 'release', sent.doubt.submissionId, '--adopt', uuid);
    expect((await release()).error).toContain(`states no submission of ${uuid}`);
    proxy.rewrite = null;
    expect(await readCallsInDoubt(proxy.service)).toMatchObject([{ submissionId: sent.doubt.submissionId }]);
    expect(await release()).toMatchObject({ error: '' });
    await expectValidUnderOwnIds(sent);
  });

  it('is not adopted while the authority returns the details of another uuid', async () => {
    const sent = await unshown();
    const [{ uuid }] = await readIds(sent);
    proxy.rewrite = (text) => text.replaceAll(uuid, UNKNOWN_ID);
    const { error } = await runQueueCommand(proxy.service, 'release', sent.doubt.submissionId, '--adopt', uuid);
    expect(error).toContain(`details of ${UNKNOWN_ID}`);
    proxy.rewrite = null;
    expect(await runQueueCommand(proxy.service, 'release', sent.doubt.submissionId, '--adopt', uuid)).toMatchObject({
      error: '',
    });
    await expectValidUnderOwnIds(sent);
  });

  it('can be failed by an operator, which frees its number', async () => {
    const { doubt, documents, read } = await unshown();
    await endLookups(proxy.service, ACCEPTED_LOOKUP_SECONDS);
    expect(await runQueueCommand(proxy.service, 'release', doubt.submissionId, '--fail')).toMatchObject({ error: '' });
    expect(await read()).toMatchObject([
      { authorityStatus: 'Invalid', authorityUuid: null, errors: [{ code: 'in_doubt_given_up' }], waiting: null },
    ]);
    const [{ errors }] = await read();
    expect(errors[0].message).toContain('accepted the document');
    expect(errors[0].message).not.toContain('lost');
    expect((await submit(proxy.service, tenant, documents)).status).toBe(200);
  });
});

describe('an accepted call without a dispatcher', () => {
  async function abandon(): Promise<string> {
    const [[{ id }]] = await proxy.service.owner.query<[{ id: string }[], number]>(
      `UPDATE authority_submission SET client_id = 'former' RETURNING id`,
    );
    await proxy.service.advance(116 * MINUTE_SECONDS);
    // A successful call confirms the time.
    await proxy.service.restart();
    await queued(await createTenant(proxy.service), reference());
    await send();
    return id;
  }

  it('keeps the outcome from one operator while another operator adopts the document', async () => {
    const sent = await queued(tenant, reference(), reference());
    await send();
    const submissionId = await abandon();
    const [{ uuid }] = await readIds(sent);
    const release = proxy.hold('details', proxy.before);
    const [number] = sent.referenceIds;
    const adoption = runQueueCommand(proxy.service, 'release', submissionId, '--adopt', `${number}=${uuid}`);
    await until('the adoption reads the details', () => proxy.listCalls('details').length > 0);
    expect(
      await runQueueCommand(proxy.service, 'release', submissionId, '--outcome', `${number}=invalid`),
    ).toMatchObject({ error: '' });
    release();
    expect((await adoption).error).toContain('have changed in the meantime');
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Invalid' }, { authorityStatus: 'Submitted' }]);
  });

  it('keeps the confirmed uuid of a valid document with a cancellation in progress', async () => {
    const sent = await queued(tenant, reference());
    proxy.deliveredTwice.add('submit');
    await send();
    proxy.deliveredTwice.clear();
    await followFor(1);
    const [{ documentId, authorityUuid }] = await sent.read();
    await cancel(proxy.service, tenant, { documentId });
    const submissionId = await abandon();
    const other = (await proxy.service.wireLog()).find(({ uuid }) => uuid !== authorityUuid)?.uuid ?? '';
    const { error } = await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', other);
    expect(error).toContain(`is Valid under the uuid ${authorityUuid}`);
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid', authorityUuid }]);
  });
});
