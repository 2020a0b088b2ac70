import { beforeEach, describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, cancel, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { ACCEPTED_LOOKUP_SECONDS, endLookups } from '../support/lookups.js';
import { readDoubt, readCallsInDoubt, runQueueCommand } from '../support/queue-command.js';
import { startFileProxy } from './authority-proxy.js';

const MINUTE_SECONDS = 60;

function cutToMinute(time: string): string {
  return time.replace(/:\d\d(?:\.\d+)?Z/, ':00Z');
}

function shiftByEightHours(time: string): string {
  return new Date(Date.parse(time) + 8 * 3_600_000).toISOString();
}

const proxy = await startFileProxy({ simulator: { duplicateRules: false, tokenSeconds: 86_400 } });
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(proxy.service);
});

describe('a document under the uuid of its response', () => {
  it.each<[string, (time: string) => string | null | undefined]>([
    ['has no issue time', () => undefined],
    ['has null as its issue time', () => null],
    ['has an issue time without seconds', cutToMinute],
    ['has an issue time in another time zone', shiftByEightHours],
  ])('becomes Valid if it %s', async (_, change) => {
    rewriteDocuments((row) => ({ ...row, dateTimeIssued: change(String(row.dateTimeIssued)) }));
    const { submissionBatchId } = await accept(proxy.service, tenant, [invoice()]);
    await proxy.service.tick('submit');
    await proxy.service.advance(61);
    await proxy.service.tick('poll');
    const { documents } = await readStatus(proxy.service, tenant, submissionBatchId);
    expect(documents).toMatchObject([{ authorityStatus: 'Valid' }]);
  });
});

interface Sent {
  readonly referenceId: string;
  read(): Promise<DocumentStatusDto>;
}

/** Sends a document whose issue time is not a whole minute. */
async function send(fault: string): Promise<Sent> {
  const referenceId = reference();
  const { submissionBatchId } = await accept(proxy.service, tenant, [invoice({ referenceId })]);
  await proxy.service.control('faults', [{ when: { api: 'submit' }, fault, times: 1 }]);
  const [{ seconds }] = await proxy.service.owner.query<{ seconds: number }[]>(
    'SELECT extract(second FROM service_now())::float8 AS seconds',
  );
  await proxy.service.advance(90 - seconds);
  await proxy.service.tick('submit');
  return {
    referenceId,
    read: async () => (await readStatus(proxy.service, tenant, submissionBatchId)).documents[0],
  };
}

async function followFor(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await proxy.service.advance(MINUTE_SECONDS);
    while ((await proxy.service.tick('poll')) > 0);
    await proxy.service.tick('reconcile');
  }
}

async function readUuids({ referenceId }: Sent): Promise<string[]> {
  return (await proxy.service.wireLog()).filter(({ number }) => number === referenceId).map(({ uuid }) => uuid);
}

type Row = Record<string, unknown>;

const UNCLEAR: [string, string, (row: Row) => Row][] = [
  [
    'a time shifted by eight hours',
    'another time zone',
    (row) => ({ ...row, dateTimeIssued: shiftByEightHours(String(row.dateTimeIssued)) }),
  ],
  [
    'a time truncated to its minute',
    'only the minute',
    (row) => ({ ...row, dateTimeIssued: cutToMinute(String(row.dateTimeIssued)) }),
  ],
  [
    'no supplier',
    'its supplier',
    (row) => Object.fromEntries(Object.entries(row).filter(([name]) => !/^(?:supplier|issuer)tin$/i.test(name))),
  ],
  ['an unknown type name', '"e-Invoice"', (row) => ({ ...row, typeName: 'e-Invoice' })],
];

function rewriteDocuments(change: (row: Row) => Row): void {
  const isDocument = (value: unknown): value is Row =>
    typeof value === 'object' && value !== null && 'internalId' in value;
  proxy.rewrite = (text) => {
    if (!text.includes('"internalId"')) return text;
    return JSON.stringify(JSON.parse(text, (_, value: unknown) => (isDocument(value) ? change(value) : value)));
  };
}

describe('a document that the authority returns with unclear values', () => {
  it.each(UNCLEAR)(
    'is adopted after a wrong uuid by an operator, who sees the unclear values (%s)',
    async (_, why, change) => {
      const sent = await send('unknown-uuid');
      rewriteDocuments(change);
      await followFor(20);
      expect(await sent.read()).toMatchObject({ authorityStatus: 'Submitted', waiting: { code: 'in_doubt' } });
      const [uuid] = await readUuids(sent);
      const { submissionId, reason } = await readDoubt(proxy.service);
      expect(reason).toContain(uuid);
      expect(reason).toContain(why);
      const adopted = await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', uuid);
      expect(adopted.error).toBe('');
      expect(adopted.out).toContain(why);
      await followFor(6);
      expect(await sent.read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: uuid, waiting: null });
      expect(await readUuids(sent)).toHaveLength(1);
    },
  );

  it.each(UNCLEAR)('can be failed after a wrong uuid once the lookup period has ended (%s)', async (_, __, change) => {
    await send('unknown-uuid');
    rewriteDocuments(change);
    await followFor(20);
    await endLookups(proxy.service, ACCEPTED_LOOKUP_SECONDS);
    expect(await readDoubt(proxy.service)).toMatchObject({ nextLookAt: null, decisions: ['adopt', 'fail'] });
  });

  it.each(UNCLEAR)('is never resent after a lost response, even by an operator (%s)', async (_, why, change) => {
    const sent = await send('drop-after');
    rewriteDocuments(change);
    await endLookups(proxy.service);
    const { submissionId, decisions } = await readDoubt(proxy.service);
    expect(decisions).toEqual(['adopt', 'fail']);
    const { error } = await runQueueCommand(proxy.service, 'release', submissionId, '--resend');
    expect(error).toContain('may have documents');
    expect(error).toContain(why);
    await proxy.service.tick('submit');
    expect(await readUuids(sent)).toHaveLength(1);
  });

  it.each(UNCLEAR)('is never resent after unsuccessful later lookups (%s)', async (_, why, change) => {
    const sent = await send('drop-after');
    rewriteDocuments(change);
    await followFor(2);
    hideInSearches();
    await followFor(4);
    expect(await readUuids(sent)).toHaveLength(1);
    await endLookups(proxy.service);
    const { submissionId, nextLookAt, reason, decisions } = await readDoubt(proxy.service);
    expect({ nextLookAt, decisions }).toEqual({ nextLookAt: null, decisions: ['adopt', 'fail'] });
    expect(reason).toContain(why);
    expect((await runQueueCommand(proxy.service, 'release', submissionId, '--resend')).error).toContain(
      'may have documents',
    );
    await proxy.service.tick('submit');
    expect(await readUuids(sent)).toHaveLength(1);
  });

  it.each(UNCLEAR)('does not fail after a rejected resend and unsuccessful lookups (%s)', async (_, __, change) => {
    await proxy.service.control('settings', { searchLagMs: 100 * 3_600_000 });
    const sent = await send('drop-after');
    await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'rejected', times: 1 }]);
    await followFor(2);
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Processing', waiting: { code: 'in_doubt' } });
    await proxy.service.control('settings', { searchLagMs: 0 });
    rewriteDocuments(change);
    await followFor(18);
    hideInSearches();
    await followFor(20);
    expect(await sent.read()).toMatchObject({ submissionStatus: 'Processing', waiting: { code: 'in_doubt' } });
    expect(await readUuids(sent)).toHaveLength(1);
  });
});

describe('attempts with the same document number in the same minute', () => {
  /** Submits an invoice with the same number again and drops the response to its send. */
  async function lose(owner: TestTenant, referenceId: string): Promise<() => Promise<DocumentStatusDto>> {
    const { submissionBatchId } = await accept(proxy.service, owner, [invoice({ referenceId })]);
    await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    await proxy.service.tick('submit');
    return async () => (await readStatus(proxy.service, owner, submissionBatchId)).documents[0];
  }

  beforeEach(async () => {
    await proxy.service.stopClock();
    const [{ seconds }] = await proxy.service.owner.query<[{ seconds: number }]>(
      'SELECT extract(second FROM service_now())::float8 AS seconds',
    );
    await proxy.service.advance(65 - seconds);
  });

  it('can be adopted by an operator if one replaces the other', async () => {
    const referenceId = reference();
    const first = await accept(proxy.service, tenant, [invoice({ referenceId })]);
    await proxy.service.tick('submit');
    await proxy.service.advance(10);
    await proxy.service.tick('poll');
    const [{ documentId }] = (await readStatus(proxy.service, tenant, first.submissionBatchId)).documents;
    await cancel(proxy.service, tenant, { documentId });
    await proxy.service.tick('cancel');
    await proxy.service.advance(10);
    const read = await lose(tenant, referenceId);
    rewriteDocuments((row) => ({ ...row, dateTimeIssued: cutToMinute(String(row.dateTimeIssued)) }));
    await endLookups(proxy.service);
    const [cancelled, lost] = (await proxy.service.wireLog()).map(({ uuid }) => uuid);
    const { submissionId, nextLookAt, decisions } = await readDoubt(proxy.service);
    expect({ nextLookAt, decisions }).toEqual({ nextLookAt: null, decisions: ['adopt', 'fail'] });
    expect((await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', cancelled)).error).not.toBe('');
    expect((await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', lost)).error).toBe('');
    await followFor(6);
    expect(await read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: lost });
    expect(await proxy.service.wireLog()).toHaveLength(2);
  });

  it('are matched to their own uuids if they belong to different organisations', async () => {
    const referenceId = reference();
    const profile = { tin: 'C25845632020' };
    const reads = [await lose(await createTenant(proxy.service, { profile }), referenceId)];
    await proxy.service.advance(10);
    reads.push(await lose(await createTenant(proxy.service, { profile }), referenceId));
    rewriteDocuments((row) => ({ ...row, dateTimeIssued: cutToMinute(String(row.dateTimeIssued)) }));
    await endLookups(proxy.service);
    await followFor(20);
    const uuids = (await proxy.service.wireLog()).map(({ uuid }) => uuid);
    expect(uuids).toHaveLength(2);
    const doubts = await readCallsInDoubt(proxy.service);
    expect(doubts.map(({ nextLookAt, decisions }) => ({ nextLookAt, decisions }))).toEqual(
      [1, 2].map(() => ({ nextLookAt: null, decisions: ['adopt', 'fail'] })),
    );
    const [{ submissionId }, { submissionId: otherId }] = doubts;
    expect((await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', uuids[1])).error).toContain(
      'may be the document of another attempt',
    );
    expect((await runQueueCommand(proxy.service, 'release', submissionId, '--adopt', uuids[0])).error).toBe('');
    expect((await runQueueCommand(proxy.service, 'release', otherId, '--adopt', uuids[1])).error).toBe('');
    await followFor(6);
    for (const [index, read] of reads.entries()) {
      expect(await read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: uuids[index] });
    }
  });
});

describe("an invoice with the number, TIN and minute of another organisation's invoice", () => {
  it.each([
    ['is resent after its request was lost', 'drop-before', []],
    ['is resent if the other invoice is adopted after a lost response', 'drop-before', ['drop-after']],
    ['is adopted after its response was lost', 'drop-after', []],
  ])('%s', async (_, fault, otherFaults) => {
    const referenceId = reference();
    const profile = { tin: 'C25845632020' };
    const [other, own] = [
      await createTenant(proxy.service, { profile }),
      await createTenant(proxy.service, { profile }),
    ];
    const submit = async (owner: TestTenant, faults: readonly string[]): Promise<string> => {
      const { submissionBatchId } = await accept(proxy.service, owner, [invoice({ referenceId })]);
      await proxy.service.control(
        'faults',
        faults.map((each) => ({ when: { api: 'submit' }, fault: each, times: 1 })),
      );
      await proxy.service.tick('submit');
      return submissionBatchId;
    };
    await proxy.service.stopClock();
    const [{ seconds }] = await proxy.service.owner.query<[{ seconds: number }]>(
      'SELECT extract(second FROM service_now())::float8 AS seconds',
    );
    await proxy.service.advance(60 - seconds);
    await submit(other, otherFaults);
    await proxy.service.advance(20);
    while ((await proxy.service.tick('reconcile')) > 0);
    await proxy.service.advance(10);
    const batchId = await submit(own, [fault]);
    await followFor(20);
    const [document] = (await readStatus(proxy.service, own, batchId)).documents;
    const uuids = (await proxy.service.wireLog()).map(({ uuid }) => uuid);
    expect(uuids).toHaveLength(2);
    expect(document).toMatchObject({ authorityStatus: 'Valid', authorityUuid: uuids[1], waiting: null });
  });
});

it('keeps the uuid of an accepted document when a search truncates its time to the minute', async () => {
  await send('drop-after');
  await proxy.service.advance(58);
  const [, , change] = UNCLEAR[0];
  rewriteDocuments(change);
  const referenceId = reference();
  await accept(proxy.service, tenant, [invoice({ referenceId })]);
  await proxy.service.tick('submit');
  await proxy.service.advance(3);
  await proxy.service.tick('reconcile');
  expect(proxy.listCalls('search')).toHaveLength(1);
  const rows = await proxy.service.owner.query<{ uuid: string }[]>(
    'SELECT authority_uuid AS uuid FROM document_transaction WHERE reference_id = $1',
    [referenceId],
  );
  const shown = (await proxy.service.wireLog()).filter(({ number }) => number === referenceId);
  expect(rows).toEqual(shown.map(({ uuid }) => ({ uuid })));
});

/** Makes searches return no results. */
function hideInSearches(): void {
  proxy.rewrite = (text) => {
    if (!text.startsWith('{"result"')) return text;
    return JSON.stringify({ ...(JSON.parse(text) as Row), result: [] });
  };
}
