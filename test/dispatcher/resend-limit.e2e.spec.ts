import { beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/processes/cli.js';
import { readConfiguration } from '../../src/config/configuration.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readBalance, issue, readStatus, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { endLookups } from '../support/lookups.js';
import { startResetService } from '../support/file-service.js';

// A call in doubt is not resent later than 100 minutes after its first send, because the authority would accept its
// documents twice after two hours. Lookups end 15 minutes later, but not before 15 lookups since the last send have
// missed the documents. Then an operator decides with `queue release` (docs/operations.md#documents-in-doubt).

const MINUTE_SECONDS = 60;
const RESEND_MINUTES_MAX = 100;
const LOOKUP_MINUTES_MAX = 115;
const NO_SEARCH = { searchLagMs: 100 * 3_600_000 };

const service = await startResetService({ simulator: { tokenSeconds: 86_400 } });
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(service);
});

interface Ended {
  exitCode: number;
  out: string;
  error: string;
}

/** Runs `npm run cli -- queue …`, by default with the settings of the authority. */
async function queue(words: readonly string[], { knowsAuthority = true } = {}): Promise<Ended> {
  const configuration = readConfiguration('operator', {
    DATABASE_OWNER_URL: service.database.ownerUrl,
    ...(knowsAuthority && {
      AUTHORITY_SANDBOX_API_URL: service.simulator.url,
      AUTHORITY_SANDBOX_CLIENT_ID: 'test-client-sandbox',
      AUTHORITY_SANDBOX_CLIENT_SECRET: 'test-secret',
      AUTHORITY_SANDBOX_RATE_FACTOR: '0',
      SECRETS_KEY: 'a-key-for-tests-of-at-least-32-characters',
    }),
  });
  const ended = { exitCode: -1, out: '', error: '' };
  ended.exitCode = await runCli(configuration, ['queue', ...words], {
    out: (text) => (ended.out += text),
    error: (text) => (ended.error += text),
  });
  return ended;
}

async function released<T>(...words: string[]): Promise<T> {
  const ended = await queue(['release', ...words, '--json']);
  expect(ended).toMatchObject({ exitCode: 0, error: '' });
  return JSON.parse(ended.out) as T;
}

async function refusedRelease(message: string | RegExp, ...words: string[]): Promise<void> {
  const ended = await queue(['release', ...words]);
  expect(ended).toMatchObject({ exitCode: 1, out: '' });
  expect(ended.error).toMatch(message);
}

interface Doubt {
  submissionId: string;
  referenceIds: string[];
  nextLookAt: string | null;
  sends: number;
}

async function findDoubt(referenceId: string): Promise<Doubt | undefined> {
  const { doubts } = JSON.parse((await queue(['show', '--json'])).out) as { doubts: Doubt[] };
  return doubts.find(({ referenceIds }) => referenceIds.includes(referenceId));
}

interface Stuck {
  readonly documents: readonly Record<string, unknown>[];
  readonly referenceIds: string[];
  readonly submissionId: string;
  read(): Promise<readonly DocumentStatusDto[]>;
}

/** Documents with a lost response that no lookup has found within the lookup period. */
async function stuck(prefixes: readonly string[], { isTaken }: { isTaken: boolean }): Promise<Stuck> {
  await service.control('settings', NO_SEARCH);
  const referenceIds = prefixes.map((prefix) => reference(prefix));
  const documents = referenceIds.map((referenceId) => invoice({ referenceId }));
  const { submissionBatchId } = await accept(service, tenant, documents);
  const fault = isTaken ? 'drop-after' : 'http-500-before';
  await service.control('faults', [{ when: { api: 'submit' }, fault, times: 1 }]);
  await service.tick('submit');
  await endLookups(service);
  const { submissionId } = (await findDoubt(referenceIds[0])) ?? { submissionId: '' };
  return {
    documents,
    referenceIds,
    submissionId,
    read: async () => (await readStatus(service, tenant, submissionBatchId)).documents,
  };
}

async function listUuids(referenceIds: readonly string[]): Promise<string[]> {
  const log = await service.wireLog();
  return referenceIds.map((referenceId) => log.findLast(({ number }) => number === referenceId)?.uuid ?? '');
}

async function takenTimes(referenceId: string): Promise<number> {
  return (await service.wireLog()).filter(({ number }) => number === referenceId).length;
}

/** Status changes of a document in the append-only history. */
async function readHistory(referenceId: string): Promise<string[]> {
  const events = await service.owner.query<{ move: string }[]>(
    `SELECT e.cause || ': ' || e.from_state || ' to ' || e.to_state AS move
       FROM status_event e JOIN document_transaction t ON t.tenant_id = e.tenant_id AND t.id = e.transaction_id
      WHERE t.reference_id = $1 ORDER BY t.attempt, e.version`,
    [referenceId],
  );
  return events.map(({ move }) => move);
}

describe('a call in doubt after the lookup period', () => {
  it('is not resent or searched again', async () => {
    await service.control('settings', { ...NO_SEARCH, duplicateRules: false });
    const referenceId = reference();
    await accept(service, tenant, [invoice({ referenceId })]);
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'http-500-before', times: 1_000 }]);
    let sendsInTime = 0;
    for (let minute = 0; minute < RESEND_MINUTES_MAX; minute += 5) {
      await service.tick('submit');
      await service.tick('reconcile');
      sendsInTime = (await findDoubt(referenceId))?.sends ?? 0;
      await service.advance(5 * MINUTE_SECONDS);
    }
    await endLookups(service);
    const doubt = await findDoubt(referenceId);
    expect(doubt).toMatchObject({ referenceIds: [referenceId], nextLookAt: null, sends: sendsInTime });
    expect(sendsInTime).toBeGreaterThan(5);
    await service.advance(12 * 60 * MINUTE_SECONDS);
    for (const loop of ['reconcile', 'submit', 'hold', 'housekeeping'] as const) await service.tick(loop);
    expect(await findDoubt(referenceId)).toEqual(doubt);
    expect(await takenTimes(referenceId)).toBe(0);
    expect((await queue(['show'])).out).toContain('none: "queue release" decides');
  });

  it('is found by a late lookup', async () => {
    await service.control('settings', NO_SEARCH);
    const referenceId = reference();
    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId })]);
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    await service.tick('submit');
    await service.advance((RESEND_MINUTES_MAX + 20) * MINUTE_SECONDS);
    await service.control('settings', { searchLagMs: 0 });
    await service.tick('reconcile');
    await service.settle();
    expect((await readStatus(service, tenant, submissionBatchId)).status).toBe('Valid');
    expect(await takenTimes(referenceId)).toBe(1);
  });
});

describe('queue release of a call with continuing lookups', () => {
  it('is rejected with the time from which an operator may decide', async () => {
    await service.control('settings', { searchLagMs: 10 * MINUTE_SECONDS * 1_000 });
    const referenceId = reference();
    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId })]);
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    await service.tick('submit');
    const doubt = await findDoubt(referenceId);
    for (const decision of ['--resend', '--fail']) {
      await refusedRelease(
        `is still looked up by the service, next at ${doubt?.nextLookAt}. Wait until "queue show" lists the decision`,
        doubt?.submissionId ?? '',
        decision,
      );
    }
    expect(await findDoubt(referenceId)).toEqual(doubt);
    await service.advance(30 * MINUTE_SECONDS);
    await service.tick('reconcile');
    await service.settle();
    expect((await readStatus(service, tenant, submissionBatchId)).status).toBe('Valid');
    expect(await takenTimes(referenceId)).toBe(1);
  });

  it('is rejected after a recent resend', async () => {
    await service.control('settings', { ...NO_SEARCH, duplicateRules: false });
    const referenceId = reference();
    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId })]);
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'http-500-before', times: 1 }]);
    await service.tick('submit');
    await service.advance((RESEND_MINUTES_MAX - 2) * MINUTE_SECONDS);
    await service.tick('reconcile');
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    await service.advance(MINUTE_SECONDS + 30);
    await service.tick('reconcile');
    expect(await findDoubt(referenceId)).toMatchObject({ sends: 2 });
    // The first lookup after the last send happens when it is too late for another send.
    for (let minute = 0; minute < 12; minute += 1) {
      await service.advance(MINUTE_SECONDS);
      await service.tick('reconcile');
      const { submissionId } = (await findDoubt(referenceId)) ?? { submissionId: '' };
      for (const decision of ['--resend', '--fail']) await refusedRelease('is still looked up', submissionId, decision);
    }
    await service.control('settings', { searchLagMs: 0 });
    await service.advance(MINUTE_SECONDS);
    await service.tick('reconcile');
    await service.settle();
    expect((await readStatus(service, tenant, submissionBatchId)).status).toBe('Valid');
    expect(await takenTimes(referenceId)).toBe(1);
  });

  it('is accepted after the lookup period even without any lookup', async () => {
    const referenceId = reference();
    await accept(service, tenant, [invoice({ referenceId })]);
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'http-500-before', times: 1 }]);
    await service.tick('submit');
    await service.advance((LOOKUP_MINUTES_MAX + 1) * MINUTE_SECONDS);
    const doubt = await findDoubt(referenceId);
    expect(doubt).toMatchObject({ nextLookAt: null, decisions: ['resend', 'adopt', 'outcome', 'fail'] });
    await refusedRelease('No dispatcher has looked up submission', doubt?.submissionId ?? '', '--fail');
    // A call to the authority confirms the elapsed time.
    await service.restart();
    await accept(service, tenant, [invoice()]);
    await service.tick('submit');
    await released(doubt?.submissionId ?? '', '--fail');
  });
});

describe('queue release --resend', () => {
  it('queues the documents at their old position and records the operator in the history', async () => {
    const { submissionId, referenceIds, read } = await stuck(['INV', 'INV'], { isTaken: false });
    const credits = await readBalance(service, tenant);
    expect(await released(submissionId, '--resend')).toMatchObject({
      submissionId,
      tenantId: tenant.tenantId,
      environment: 'sandbox',
      decision: 'resend',
      documents: referenceIds.map((referenceId) => ({ documentType: 'invoice', referenceId, authorityUuid: null })),
      stillInDoubt: null,
    });
    for (const document of await read()) expect(document).toMatchObject({ submissionStatus: 'Queued', waiting: null });
    await service.settle();
    for (const document of await read()) expect(document).toMatchObject({ authorityStatus: 'Valid' });
    for (const referenceId of referenceIds) {
      expect(await takenTimes(referenceId)).toBe(1);
      expect(await readHistory(referenceId)).toEqual([
        'claimed: queued to processing',
        'operator_resend: processing to queued',
        'claimed: queued to processing',
        'submit_accepted: processing to submitted',
        'poll: submitted to valid',
      ]);
    }
    expect(await readBalance(service, tenant)).toBe(credits);
    await refusedRelease(
      'is not in doubt: it was not accepted, or an operator has decided it already',
      submissionId,
      '--fail',
    );
  });

  it('rebuilds documents that are too old for the authority', async () => {
    const { submissionId, read } = await stuck(['INV'], { isTaken: false });
    await service.advance(80 * 60 * MINUTE_SECONDS);
    await released(submissionId, '--resend');
    await service.settle();
    expect(await read()).toMatchObject([{ authorityStatus: 'Valid' }]);
  });
});

describe('queue release --fail', () => {
  it('fails the documents with a reason and frees their numbers', async () => {
    const { submissionId, documents, referenceIds, read } = await stuck(['INV'], { isTaken: false });
    const credits = await readBalance(service, tenant);
    const note = await accept(service, tenant, [creditNote({ referenceId: referenceIds[0] })]);
    await released(submissionId, '--fail');
    expect(await read()).toMatchObject([
      {
        submissionStatus: 'SubmitFailed',
        authorityStatus: null,
        waiting: null,
        errors: [{ code: 'in_doubt_given_up', message: expect.stringMatching(/lost/) as string }],
      },
    ]);
    expect(await readHistory(referenceIds[0])).toContain('operator_fail: processing to submitFailed');
    await service.tick('hold');
    expect((await readStatus(service, tenant, note.submissionBatchId)).status).toBe('SubmitFailed');
    expect(await readBalance(service, tenant)).toBe(credits - 1);
    expect((await submit(service, tenant, documents)).status).toBe(200);
    await service.settle();
    expect(await read(), 'the attempt that was given up stays as it is').toMatchObject([
      { submissionStatus: 'SubmitFailed' },
    ]);
    expect(await takenTimes(referenceIds[0])).toBe(1);
  });
});

describe('queue release --adopt', () => {
  it('adopts uuids in the order of the documents', async () => {
    const { submissionId, referenceIds, read } = await stuck(['INV', 'SIM-INVALID-CV302'], { isTaken: true });
    const uuids = await listUuids(referenceIds);
    expect(await released(submissionId, '--adopt', ...uuids)).toMatchObject({
      decision: 'adopt',
      documents: referenceIds.map((referenceId, index) => ({ referenceId, authorityUuid: uuids[index] })),
    });
    expect(await read()).toMatchObject(
      uuids.map((authorityUuid) => ({ authorityUuid, submissionStatus: 'Submitted' })),
    );
    await service.settle();
    expect(await read()).toMatchObject([{ authorityStatus: 'Valid' }, { authorityStatus: 'Invalid' }]);
    expect(await readHistory(referenceIds[0])).toContain('operator_adopt: processing to submitted');
    for (const referenceId of referenceIds) expect(await takenTimes(referenceId)).toBe(1);
  });

  it('adopts documents by their numbers and keeps the others in doubt', async () => {
    const { submissionId, referenceIds, read } = await stuck(['INV', 'A=B', 'INV'], { isTaken: true });
    const uuids = await listUuids(referenceIds);
    const { stillInDoubt } = await released<{ stillInDoubt: string }>(
      submissionId,
      '--adopt',
      `${referenceIds[1]}=${uuids[1]}`,
      `${referenceIds[0]}=${uuids[0]}`,
    );
    expect(await findDoubt(referenceIds[2])).toMatchObject({ submissionId: stillInDoubt, nextLookAt: null });
    await released(stillInDoubt, '--adopt', uuids[2]);
    await service.settle();
    for (const document of await read()) expect(document).toMatchObject({ authorityStatus: 'Valid' });
  });

  it('rejects the uuid of another document', async () => {
    const [foreign] = (await issue(service, tenant, invoice())).documents;
    const [{ authorityUuid: others }] = (await issue(service, await createTenant(service), invoice())).documents;
    const { submissionId, referenceIds } = await stuck(['INV', 'INV'], { isTaken: true });
    const [first, second] = await listUuids(referenceIds);
    await refusedRelease(`is not invoice ${referenceIds[0]}`, submissionId, '--adopt', second, first);
    await refusedRelease(
      `is not invoice ${referenceIds[0]}`,
      submissionId,
      '--adopt',
      `${foreign.authorityUuid}`,
      second,
    );
    await refusedRelease('The authority has no document', submissionId, '--adopt', `${others}`, second);
    await refusedRelease('1 uuids were given for 2 documents', submissionId, '--adopt', first);
    await refusedRelease('is not one of the documents in doubt', submissionId, '--adopt', `X=${first}`);
    await refusedRelease('is not a uuid of the authority', submissionId, '--adopt', 'short', first);
    await refusedRelease('is given twice', submissionId, '--adopt', first, first);
    expect(await findDoubt(referenceIds[0])).toMatchObject({ submissionId, referenceIds, nextLookAt: null });
    await released(submissionId, '--adopt', first, second);
  });

  it('rejects a uuid of another attempt', async () => {
    const [holder] = (await issue(service, tenant, invoice())).documents;
    const { submissionId, referenceIds } = await stuck(['INV'], { isTaken: true });
    const [uuid] = await listUuids(referenceIds);
    const hold = 'UPDATE document_transaction SET authority_uuid = $2 WHERE id = $1';
    await service.owner.query(hold, [holder.transactionId, uuid]);
    await refusedRelease('already belongs to another attempt', submissionId, '--adopt', uuid);
    await service.owner.query(hold, [holder.transactionId, holder.authorityUuid]);
    await released(submissionId, '--adopt', uuid);
  });

  it('adopts nothing without a response from the authority', async () => {
    const { submissionId, referenceIds } = await stuck(['INV'], { isTaken: true });
    const uuids = await listUuids(referenceIds);
    const blind = await queue(['release', submissionId, '--adopt', ...uuids], { knowsAuthority: false });
    expect(blind).toMatchObject({ exitCode: 1, error: expect.stringContaining('AUTHORITY_SANDBOX_API_URL') as string });
    await service.control('faults', [{ when: { api: 'details' }, fault: 'http-503', times: 1 }]);
    await refusedRelease('did not return', submissionId, '--adopt', ...uuids);
    expect(await findDoubt(referenceIds[0])).toMatchObject({ submissionId });
    await service.advance(MINUTE_SECONDS);
    await released(submissionId, '--adopt', ...uuids);
  });
});

describe('queue release', () => {
  it('rejects a call that is not in doubt and states why', async () => {
    await issue(service, tenant, invoice(), invoice({ referenceId: reference('SIM-INVALID-CV302') }));
    await issue(service, tenant, invoice({ referenceId: reference('SIM-REJECT-CF349') }));
    const submissions = await service.owner.query<{ id: string; state: string }[]>(
      `SELECT DISTINCT ON (state) id, state FROM authority_submission WHERE state IN ('accepted', 'failed', 'settled')`,
    );
    expect(submissions.map(({ state }) => state)).toEqual(['accepted', 'settled']);
    for (const { id } of submissions) {
      for (const decision of ['--resend', '--fail'])
        await refusedRelease(/is not in doubt: .+ No data was changed/, id, decision);
    }
    await refusedRelease('There is no submission', '01a1fc01-f679-73f2-a76f-9edb7fad0b4c', '--resend');
  });

  it('rejects a call that is being sent after waiting for its locks', async () => {
    const { submissionId, referenceIds } = await stuck(['INV'], { isTaken: false });
    const holder = service.owner.createQueryRunner();
    await holder.startTransaction();
    await holder.query(`UPDATE authority_submission SET state = 'sending' WHERE id = $1`, [submissionId]);
    const ended = queue(['release', submissionId, '--resend']);
    await service.blockedBy(holder);
    await holder.commitTransaction();
    await holder.release();
    expect(await ended).toMatchObject({ exitCode: 1, error: expect.stringContaining('it is being sent') as string });
    expect(await readHistory(referenceIds[0])).toEqual(['claimed: queued to processing']);
    await service.owner.query(`UPDATE authority_submission SET state = 'unknown' WHERE id = $1`, [submissionId]);
    await released(submissionId, '--fail');
  });

  it('rejects an unknown decision', async () => {
    const id = '01a1fc01-f679-73f2-a76f-9edb7fad0b4c';
    await refusedRelease('Give exactly one of --resend', id);
    await refusedRelease('Give exactly one of --resend', id, '--resend', '--fail');
    await refusedRelease('SUBMISSION must be an id', 'INV-1', '--fail');
    await refusedRelease("missing required argument 'submission'", '--fail');
    await refusedRelease('argument missing', id, '--adopt');
  });
});
