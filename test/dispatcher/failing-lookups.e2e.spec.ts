import { beforeEach, describe, expect, it } from 'vitest';
import { runDiagnosis } from '../../src/processes/cli.js';
import { countCallsToDecide } from '../../src/dispatcher/monitoring/figures.sql.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { endLookups } from '../support/lookups.js';
import { readDoubt, runQueueCommand } from '../support/queue-command.js';
import { startFileProxy } from './authority-proxy.js';

// A call in doubt ends even if the authority's search does not work. The authority's duplicate rules are off, so that
// only this service prevents duplicates.

const MINUTE_SECONDS = 60;
const LOOKUP_SECONDS = 61;

const proxy = await startFileProxy({ simulator: { duplicateRules: false, tokenSeconds: 86_400 } });
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
});

interface Sent {
  readonly referenceIds: string[];
  read(): Promise<readonly DocumentStatusDto[]>;
}

async function send(referenceIds: string[], fault?: string, owner = tenant): Promise<Sent> {
  const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
  const { submissionBatchId } = await accept(proxy.service, owner, documents);
  if (fault !== undefined) await proxy.service.control('faults', [{ when: { api: 'submit' }, fault, times: 1 }]);
  await proxy.service.tick('submit');
  return { referenceIds, read: async () => (await readStatus(proxy.service, owner, submissionBatchId)).documents };
}

async function lookUpAfter(seconds: number): Promise<void> {
  await proxy.service.advance(seconds);
  await proxy.service.tick('reconcile');
}

async function countTaken({ referenceIds }: Sent): Promise<number[]> {
  const numbers = (await proxy.service.wireLog()).map(({ number }) => number);
  return referenceIds.map((referenceId) => numbers.filter((number) => number === referenceId).length);
}

/** Rewrites the rows of search results. */
function rewriteRows(change: (row: Record<string, unknown>) => unknown): void {
  proxy.rewrite = (text) => {
    if (!text.startsWith('{"result"')) return text;
    const { result, ...rest } = JSON.parse(text) as { result: Record<string, unknown>[] };
    return JSON.stringify({ result: result.map(change), ...rest });
  };
}

function operatorEnvironment(): Record<string, string | undefined> {
  return { ...proxy.service.settings, DATABASE_OWNER_URL: proxy.service.database.ownerUrl };
}

async function countToDecide(): Promise<number> {
  const [{ toDecide }] = await countCallsToDecide(proxy.service.owner.manager, ['sandbox'], ['test-client-sandbox']);
  return toDecide;
}

async function diagnose(): Promise<string[]> {
  let out = '';
  const output = { out: (text: string) => void (out += text), error: () => undefined };
  await runDiagnosis({ environment: operatorEnvironment(), problem: null }, ['doctor', '--json'], output);
  const { findings } = JSON.parse(out) as { findings: { check: string; result: string }[] };
  return findings.filter(({ check }) => check === 'doubts').map(({ result }) => result);
}

const FAILURES: [string, () => Promise<unknown> | void][] = [
  ['503', () => proxy.service.control('faults', [{ when: { api: 'search' }, fault: 'http-503', times: 1_000 }])],
  ['an HTML page', () => void (proxy.rewrite = (text) => (text.startsWith('{"result"') ? '<html></html>' : text))],
  ['more than 100 pages', () => void (proxy.rewrite = (text) => text.replace(/"totalPages":\d+/, '"totalPages":101'))],
];

describe('a call in doubt', () => {
  it.each(FAILURES)(
    'requires an operator decision 115 minutes after its send if searches end in %s',
    async (_, fail) => {
      await fail();
      const sent = await send([reference()], 'drop-before');
      for (let minutes = 0; minutes < 112; minutes += 28) await lookUpAfter(28 * MINUTE_SECONDS);
      const { submissionId, decisions } = await readDoubt(proxy.service);
      expect(decisions).toEqual(['adopt']);
      expect(await countToDecide()).toBe(0);
      expect(await diagnose()).toEqual(['good']);
      for (const decision of ['--fail', '--resend']) {
        expect((await runQueueCommand(proxy.service, 'release', submissionId, decision)).error).not.toBe('');
      }
      await lookUpAfter(4 * MINUTE_SECONDS);
      // A successful call confirms the time.
      await proxy.service.restart();
      await send([reference()], undefined, await createTenant(proxy.service));
      await lookUpAfter(LOOKUP_SECONDS);
      expect((await readDoubt(proxy.service)).decisions).toEqual(expect.arrayContaining(['resend', 'adopt', 'fail']));
      expect(await countToDecide()).toBe(1);
      expect(await diagnose()).toEqual(['problem']);
      expect(await runQueueCommand(proxy.service, 'release', submissionId, '--fail')).toMatchObject({ error: '' });
      expect(await sent.read()).toMatchObject([{ submissionStatus: 'SubmitFailed' }]);
    },
  );
});

describe('a search row without a submission', () => {
  it('adopts the document in doubt if the row belongs to a different document', async () => {
    const other = await send([reference()]);
    const sent = await send([reference()], 'drop-after');
    rewriteRows((row) => (row.internalId === other.referenceIds[0] ? { ...row, submissionUid: null } : row));
    await lookUpAfter(LOOKUP_SECONDS);
    expect(await sent.read()).toMatchObject([{ submissionStatus: 'Submitted' }]);
  });

  it.each([
    ['its submission', (row: object) => ({ ...row, submissionUid: null })],
    ['its uuid', (row: object) => ({ ...row, uuid: null })],
    ['its number', (row: object) => ({ ...row, internalId: null })],
  ])('never resends the document in doubt if its own row lacks %s', async (_, change) => {
    const sent = await send([reference(), reference()], 'drop-after');
    rewriteRows((row) => (row.internalId === sent.referenceIds[1] ? change(row) : row));
    await lookUpAfter(LOOKUP_SECONDS);
    expect((await sent.read()).map(({ submissionStatus }) => submissionStatus)).toEqual(['Submitted', 'Processing']);
    while ((await proxy.service.tick('poll')) > 0);
    await endLookups(proxy.service);
    const { submissionId, nextLookAt, reason, decisions } = await readDoubt(proxy.service);
    expect({ nextLookAt, decisions }).toEqual({ nextLookAt: null, decisions: ['adopt', 'fail'] });
    expect(reason).toContain(sent.referenceIds[1]);
    expect((await runQueueCommand(proxy.service, 'release', submissionId, '--resend')).error).toContain(
      'may have documents',
    );
    expect(await countTaken(sent)).toEqual([1, 1]);
  });
});

describe.each([
  ['an empty object', {}],
  ['null', null],
  ['a string', 'x'],
])('a search with %s instead of a row', (_, row) => {
  function addRowToSearches(times: number): void {
    let left = times;
    proxy.rewrite = (text) => {
      if (!text.startsWith('{"result"') || left === 0) return text;
      left -= 1;
      const { result, ...rest } = JSON.parse(text) as { result: unknown[] };
      return JSON.stringify({ result: [...result, row], ...rest });
    };
  }

  it('does not count as a miss and therefore allows later resends', async () => {
    addRowToSearches(1);
    const sent = await send([reference(), reference()], 'drop-before');
    await lookUpAfter(LOOKUP_SECONDS);
    await lookUpAfter(LOOKUP_SECONDS);
    expect(proxy.listCalls('search')).toHaveLength(2);
    expect(await countTaken(sent)).toEqual([0, 0]);
    await lookUpAfter(LOOKUP_SECONDS);
    expect(await countTaken(sent)).toEqual([1, 1]);
    await proxy.service.settle();
    expect(await sent.read()).toMatchObject([{ authorityStatus: 'Valid' }, { authorityStatus: 'Valid' }]);
  });

  it('adopts the documents that it shows', async () => {
    addRowToSearches(1);
    const sent = await send([reference(), reference()], 'drop-after');
    await lookUpAfter(LOOKUP_SECONDS);
    expect(await sent.read()).toMatchObject([{ submissionStatus: 'Submitted' }, { submissionStatus: 'Submitted' }]);
  });

  it('requires an operator decision on the document in doubt and states the reason', async () => {
    addRowToSearches(1_000);
    const sent = await send([reference()], 'drop-before');
    await endLookups(proxy.service);
    expect(await readDoubt(proxy.service)).toMatchObject({
      nextLookAt: null,
      reason: expect.stringContaining('a row was unreadable') as string,
      decisions: ['adopt', 'fail'],
    });
    expect(await countTaken(sent)).toEqual([0]);
  });
});

it('gives no hint about TLS for a lost plain HTTP response', async () => {
  await send([reference()], 'drop-before');
  const { reason } = await readDoubt(proxy.service);
  expect(reason).toContain('ECONNRESET');
  expect(reason).not.toContain('https');
});

it('searches the time window of the send even after many lookups', async () => {
  const sent = await send([reference(), reference()], 'drop-after');
  rewriteRows((row) => (row.internalId === sent.referenceIds[1] ? { ...row, typeName: 'e-Invoice' } : row));
  for (let lookup = 0; lookup < 10; lookup += 1) await lookUpAfter(2 * MINUTE_SECONDS);
  const ends = proxy.listCalls('search').map(({ url }) => Date.parse(url.searchParams.get('submissionDateTo') ?? ''));
  expect(ends).toHaveLength(10);
  expect(Math.max(...ends) - ends[0]).toBeLessThan(MINUTE_SECONDS * 1_000);
});
