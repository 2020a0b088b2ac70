import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { countCallsToDecide } from '../../src/dispatcher/monitoring/figures.sql.js';
import type { OverdueCalls } from '../../src/dispatcher/queue/overdue-calls.js';
import type { QueueReport } from '../../src/dispatcher/operations/queue-report.js';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { runCli, runDiagnosis } from '../../src/processes/cli.js';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, cancel, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { endLookups } from '../support/lookups.js';
import { startResetService } from '../support/file-service.js';
import { type DispatcherReplica, dispatcherSettings, startReplica } from './replica.js';

// docs/operations.md#change-the-client-id: only a dispatcher with the client id of a call may process it, because the
// authority may show a document only to the client id that submitted it. The simulator does the same. The authority's
// duplicate rules are off, so that only this service prevents duplicates.

const OTHER_CLIENT = 'other-client-sandbox';
const LOOKUP_SECONDS = 61;
const OVERDUE_SECONDS = 301;
const DECIDABLE_SECONDS = 116 * 60;

const service = await startResetService({
  simulator: { duplicateRules: false, validationDelayMs: 0, visibilityDelayMs: 0, tokenSeconds: 86_400 },
});
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(service);
});

/** A dispatcher with a different client id than the service. */
async function startOther(settings: Record<string, string> = {}): Promise<DispatcherReplica> {
  const other = { AUTHORITY_SANDBOX_CLIENT_ID: OTHER_CLIENT, ...settings };
  const replica = await startReplica(dispatcherSettings(service, service.simulator.url, other));
  onTestFinished(() => replica.close());
  return replica;
}

interface Sent {
  readonly documentId: string;
  readonly referenceId: string;
  read(): Promise<DocumentStatusDto>;
}

/** Queues one document and has a dispatcher send it. */
async function sentBy(
  dispatcher: Pick<DispatcherReplica, 'tick'>,
  { isLost, owner = tenant }: { isLost: boolean; owner?: TestTenant },
): Promise<Sent> {
  const referenceId = reference();
  const { submissionBatchId, documents } = await accept(service, owner, [invoice({ referenceId })]);
  if (isLost) await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
  // A failed call delays the next one.
  await service.advance(10);
  await dispatcher.tick('submit');
  const read = async (): Promise<DocumentStatusDto> =>
    (await readStatus(service, owner, submissionBatchId)).documents[0];
  return { documentId: documents[0].documentId, referenceId, read };
}

async function runFor(dispatcher: Pick<DispatcherReplica, 'tick'>, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await service.advance(LOOKUP_SECONDS);
    for (const loop of ['reconcile', 'poll', 'cancel']) while ((await dispatcher.tick(loop)) > 0);
  }
}

async function countTaken(referenceId: string): Promise<number> {
  return (await service.wireLog()).filter(({ number }) => number === referenceId).length;
}

function cliSettings(clientId: string): Record<string, string> {
  return {
    DATABASE_OWNER_URL: service.database.ownerUrl,
    AUTHORITY_SANDBOX_API_URL: service.simulator.url,
    AUTHORITY_SANDBOX_CLIENT_ID: clientId,
    AUTHORITY_SANDBOX_CLIENT_SECRET: 'test-secret',
    AUTHORITY_SANDBOX_RATE_FACTOR: '0',
    SECRETS_KEY: 'a-key-for-tests-of-at-least-32-characters',
  };
}

async function queue(
  words: readonly string[],
  clientId = 'test-client-sandbox',
): Promise<{ exitCode: number; out: string; error: string }> {
  const ended = { exitCode: -1, out: '', error: '' };
  ended.exitCode = await runCli(readConfiguration('operator', cliSettings(clientId)), ['queue', ...words], {
    out: (text) => (ended.out += text),
    error: (text) => (ended.error += text),
  });
  return ended;
}

async function readOverdue(): Promise<OverdueCalls[]> {
  return (JSON.parse((await queue(['show', '--json'])).out) as { overdue: OverdueCalls[] }).overdue;
}

async function diagnose(): Promise<Finding[]> {
  let out = '';
  const output = { out: (text: string) => void (out += text), error: () => undefined };
  const environment = { ...service.settings, ...cliSettings('test-client-sandbox') };
  await runDiagnosis({ environment, problem: null }, ['doctor', '--json'], output);
  return (JSON.parse(out) as { findings: Finding[] }).findings.filter(({ check }) => check === 'client ids');
}

function collectErrors(): string[] {
  const errors: string[] = [];
  Logger.overrideLogger({ log: () => undefined, warn: () => undefined, error: (line) => errors.push(String(line)) });
  onTestFinished(() => Logger.overrideLogger(false));
  return errors;
}

async function readSubmissionId(referenceId: string): Promise<string> {
  const [{ id }] = await service.owner.query<{ id: string }[]>(
    'SELECT authority_submission_id AS id FROM document_transaction WHERE reference_id = $1',
    [referenceId],
  );
  return id;
}

describe('two dispatchers with different client ids', () => {
  it('make every document Valid with a single copy despite lost responses', async () => {
    const other = await startOther();
    const sent: Sent[] = [];
    for (let round = 0; round < 4; round += 1) {
      const owner = await createTenant(service);
      sent.push(await sentBy(service, { isLost: round % 2 === 0, owner }));
      sent.push(await sentBy(other, { isLost: round % 2 === 1, owner }));
    }
    await runFor(service, 3);
    await runFor(other, 3);
    for (const { referenceId, read } of sent) {
      expect(await read()).toMatchObject({ authorityStatus: 'Valid' });
      expect(await countTaken(referenceId)).toBe(1);
    }
  });

  it('process only their own calls', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: false });
    await runFor(service, 1);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Submitted' });
    await runFor(other, 1);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Valid' });
    expect(await readOverdue()).toEqual([]);
    expect(await diagnose()).toMatchObject([{ result: 'good' }]);
  });

  it('leave a cancellation to the dispatcher that submitted the document', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: false });
    await runFor(other, 1);
    expect((await cancel(service, tenant, { documentId: document.documentId })).status).toBe(202);
    await runFor(service, 1);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Valid', cancellation: { status: 'Queued' } });
    await runFor(other, 1);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Cancelled' });
  });
});

describe('a cancellation without a dispatcher for its client id', () => {
  it('shows the client id as its reason in "queue show"', async () => {
    const other = await startOther();
    const { documentId } = await sentBy(other, { isLost: false });
    await runFor(other, 1);
    await cancel(service, tenant, { documentId });
    await service.advance(2 * OVERDUE_SECONDS);
    await service.tick('housekeeping');
    await service.tick('cancel');
    const { tenantQueues } = JSON.parse((await queue(['show', '--json'])).out) as QueueReport;
    expect(tenantQueues).toMatchObject([{ operation: 'cancel', waiting: 1, waitingCode: 'other_client_id' }]);
  });
});

describe('a call in doubt without a dispatcher for its client id', () => {
  it('stays in doubt until a dispatcher with the client id finishes it', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: true });
    await runFor(service, 10);
    expect(await document.read()).toMatchObject({ submissionStatus: 'Processing', waiting: { code: 'in_doubt' } });
    expect(await countTaken(document.referenceId)).toBe(1);
    await runFor(other, 2);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Valid' });
    expect(await countTaken(document.referenceId)).toBe(1);
  });

  it('is reported to operators', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: true });
    await service.advance(LOOKUP_SECONDS + OVERDUE_SECONDS);
    const submissionId = await readSubmissionId(document.referenceId);
    expect(await readOverdue()).toMatchObject([
      { environment: 'sandbox', clientId: OTHER_CLIENT, inDoubt: 1, unpolled: 0, submissionIds: [submissionId] },
    ]);
    expect((await queue(['show'])).out).toContain(OTHER_CLIENT);
    expect(await diagnose()).toMatchObject([
      { result: 'problem', found: expect.stringContaining(`client id ${OTHER_CLIENT}: 1 calls in doubt`) as string },
    ]);
    const { manager } = service.owner;
    expect(await countCallsToDecide(manager, ['sandbox'], ['test-client-sandbox'])).toMatchObject([{ toDecide: 1 }]);
    expect(await countCallsToDecide(manager, ['sandbox'], [OTHER_CLIENT])).toMatchObject([{ toDecide: 0 }]);
    const errors = collectErrors();
    await service.tick('housekeeping');
    expect(errors).toEqual([expect.stringContaining('1 calls in doubt')]);
    expect(errors.join()).not.toContain(OTHER_CLIENT);
  });

  it('keeps its client id for documents that a lookup does not find', async () => {
    const other = await startOther();
    const rejected = reference('SIM-REJECT-CF349');
    const { submissionBatchId } = await accept(service, tenant, [invoice(), invoice({ referenceId: rejected })]);
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    await other.tick('submit');
    await service.advance(LOOKUP_SECONDS);
    await other.tick('reconcile');
    await runFor(service, 5);
    const { documents } = await readStatus(service, tenant, submissionBatchId);
    expect(documents.map(({ submissionStatus }) => submissionStatus)).toEqual(['Submitted', 'Processing']);
    const [{ clientId, sends }] = await service.owner.query<{ clientId: string; sends: number }[]>(
      'SELECT client_id AS "clientId", sends FROM authority_submission WHERE id = $1',
      [await readSubmissionId(rejected)],
    );
    expect({ clientId, sends }).toEqual({ clientId: OTHER_CLIENT, sends: 1 });
  });

  it('can be failed by an operator after the lookup period', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: true });
    const submissionId = await readSubmissionId(document.referenceId);
    expect(await queue(['release', submissionId, '--fail'])).toMatchObject({ exitCode: 1 });
    await service.advance(DECIDABLE_SECONDS);
    expect(await queue(['release', submissionId, '--fail'])).toMatchObject({ exitCode: 1 });
    // A call of the service's own dispatcher confirms the elapsed time.
    await service.restart();
    await accept(service, tenant, [invoice()]);
    await service.tick('submit');
    expect(await queue(['release', submissionId, '--fail'])).toMatchObject({ exitCode: 0 });
    expect(await document.read()).toMatchObject({ submissionStatus: 'SubmitFailed' });
    expect(await readOverdue()).toEqual([]);
  });

  it('stays undecided until an authority call confirms the elapsed time', async () => {
    const document = await sentBy(service, { isLost: true });
    const submissionId = await readSubmissionId(document.referenceId);
    await service.advance(DECIDABLE_SECONDS);
    await service.control('faults', [{ when: { api: 'search' }, fault: 'drop-before', times: 1 }]);
    await service.tick('reconcile');
    for (const decision of ['--fail', '--resend']) {
      const { error } = await queue(['release', submissionId, decision]);
      expect(error).toContain('No call to the authority has confirmed');
    }
    expect(await document.read()).toMatchObject({ submissionStatus: 'Processing', waiting: { code: 'in_doubt' } });
    await runFor(service, 3);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Valid' });
  });

  it('is adopted with the client id of its submission', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: true });
    const submissionId = await readSubmissionId(document.referenceId);
    const [{ uuid }] = await service.wireLog();
    const words = ['release', submissionId, '--adopt', uuid];
    const refused = await queue(words);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.error).toContain(`AUTHORITY_SANDBOX_CLIENT_ID=${OTHER_CLIENT}`);
    expect(await queue(words, OTHER_CLIENT)).toMatchObject({ exitCode: 0 });
    await runFor(other, 1);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Valid' });
  });
});

it('polls an adopted document with the client id that found it', async () => {
  const document = await sentBy(service, { isLost: true });
  await service.owner.query(`UPDATE authority_submission SET client_id = 'former'`);
  const submissionId = await readSubmissionId(document.referenceId);
  const [{ uuid }] = await service.wireLog();
  expect(await queue(['release', submissionId, '--adopt', uuid])).toMatchObject({ exitCode: 0 });
  await runFor(service, 1);
  expect(await document.read()).toMatchObject({ authorityStatus: 'Valid' });
});

interface Listed {
  submissionId: string;
  referenceIds: string[];
  reason: string;
  decisions: string[];
}

async function readListed(): Promise<Listed[]> {
  return (JSON.parse((await queue(['show', '--json'])).out) as { doubts: Listed[] }).doubts;
}

async function readActions(): Promise<string[]> {
  const entries = await service.owner.query<{ action: string }[]>(
    'SELECT action FROM audit_entry WHERE tenant_id = $1 ORDER BY at, id',
    [tenant.tenantId],
  );
  return entries.map(({ action }) => action).filter((action) => action.startsWith('in_doubt.'));
}

/**
 * Advances the clock until an operator may decide, and has the service's own dispatcher confirm the time with a call.
 */
async function untilDecidable(): Promise<void> {
  await service.advance(DECIDABLE_SECONDS);
  await service.restart();
  await accept(service, await createTenant(service), [invoice()]);
  await service.tick('submit');
}

describe('documents without a dispatcher for their client id', () => {
  it('are listed with the possible decisions after the lookup period', async () => {
    const other = await startOther();
    const [lost, accepted] = [await sentBy(other, { isLost: true }), await sentBy(other, { isLost: false })];
    await service.advance(DECIDABLE_SECONDS / 2);
    expect(await readListed()).toMatchObject([{ referenceIds: [lost.referenceId], decisions: ['adopt'] }]);
    await service.advance(DECIDABLE_SECONDS / 2);
    const reason = expect.stringContaining(`client id ${OTHER_CLIENT}`) as string;
    expect(await readListed()).toMatchObject([
      { referenceIds: [lost.referenceId], reason, decisions: ['resend', 'adopt', 'outcome', 'fail'] },
      { referenceIds: [accepted.referenceId], reason, decisions: ['adopt', 'outcome'] },
    ]);
    const { out } = await queue(['show']);
    expect(out).toContain('--fail: the portal has none of the documents');
    expect(out).toContain('--outcome: no dispatcher with the client id');
  });

  it.each([
    ['valid', 'Valid'],
    ['invalid', 'Invalid'],
    ['cancelled', 'Cancelled'],
  ])('get the outcome %s from an operator', async (outcome, authorityStatus) => {
    const other = await startOther();
    const documents = [await sentBy(other, { isLost: true }), await sentBy(other, { isLost: false })];
    await untilDecidable();
    const log = await service.wireLog();
    for (const { referenceId, read } of documents) {
      const uuid = log.find(({ number }) => number === referenceId)?.uuid;
      const submissionId = await readSubmissionId(referenceId);
      const unconfirmed = await queue(['release', submissionId, '--outcome', `${referenceId}=${outcome}`]);
      if (outcome !== 'invalid') {
        expect(unconfirmed.error).toContain(`${referenceId}=${outcome}:UUID`);
        const words = ['release', submissionId, '--outcome', `${referenceId}=${outcome}:${uuid}`];
        expect(await queue(words)).toMatchObject({ exitCode: 0, error: '' });
      }
      expect(await read()).toMatchObject({
        submissionStatus: 'Submitted',
        authorityStatus,
        authorityUuid: outcome === 'invalid' ? null : uuid,
        errors: outcome === 'invalid' ? [{ code: 'in_doubt_given_up' }] : [],
        waiting: null,
      });
    }
    expect(await readActions()).toEqual(['in_doubt.outcome', 'in_doubt.outcome']);
    expect(await readListed()).toEqual([]);
    await runFor(other, 5);
    expect(await documents[0].read()).toMatchObject({ authorityStatus });
  });

  it('count as submitted at the time of the lost call', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: true });
    await untilDecidable();
    const submissionId = await readSubmissionId(document.referenceId);
    await queue(['release', submissionId, '--outcome', `${document.referenceId}=invalid`]);
    const [{ sentAt }] = await service.owner.query<[{ sentAt: Date }]>(
      'SELECT sent_at AS "sentAt" FROM authority_submission WHERE id = $1',
      [submissionId],
    );
    expect((await document.read()).submittedAt).toBe(sentAt.toISOString());
  });

  it.each<[string, (referenceId: string, uuid: string) => string[], string]>([
    ['is entered twice', (number) => [`${number}=invalid`, `${number}=invalid`], 'is given twice'],
    ['has the uuid of another document', (number, uuid) => [`${number}=valid:${uuid}`], 'belongs to another attempt'],
    [
      'has the uuid of another document in lower case',
      (number, uuid) => [`${number}=valid:${uuid.toLowerCase()}`],
      'belongs to another attempt',
    ],
    ['has a malformed uuid', (number) => [`${number}=valid:short`], 'is not a uuid of the authority'],
    ['belongs to a document of another call', () => ['OTHER-1=invalid'], 'is not one of the undecided documents'],
  ])('stay in doubt if an outcome %s', async (_, state, error) => {
    const other = await startOther();
    const taken = await sentBy(service, { isLost: false });
    await runFor(service, 1);
    const uuid = (await taken.read()).authorityUuid ?? '';
    const document = await sentBy(other, { isLost: true });
    await untilDecidable();
    const submissionId = await readSubmissionId(document.referenceId);
    const refused = await queue(['release', submissionId, '--outcome', ...state(document.referenceId, uuid)]);
    expect(refused).toMatchObject({ exitCode: 1, error: expect.stringContaining(error) as string });
    expect(await document.read()).toMatchObject({ submissionStatus: 'Processing', waiting: { code: 'in_doubt' } });
  });

  it('keep a uuid that the authority has shown', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: false });
    await runFor(other, 1);
    await cancel(service, tenant, { documentId: document.documentId });
    await untilDecidable();
    const { authorityUuid } = await document.read();
    const submissionId = await readSubmissionId(document.referenceId);
    const otherUuid = 'A'.repeat(26);
    const words = ['release', submissionId, '--outcome', `${document.referenceId}=valid:${otherUuid}`];
    expect((await queue(words)).error).toContain(`The authority has shown ${document.referenceId} under`);
    expect(await document.read()).toMatchObject({ authorityUuid, cancellation: { status: 'Queued' } });
  });

  it('stay in doubt if an operator decides other documents of the same call', async () => {
    const other = await startOther();
    const references = [reference(), reference()];
    const { submissionBatchId } = await accept(
      service,
      tenant,
      references.map((referenceId) => invoice({ referenceId })),
    );
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'drop-after', times: 1 }]);
    await other.tick('submit');
    await untilDecidable();
    const submissionId = await readSubmissionId(references[0]);
    expect(await queue(['release', submissionId, '--outcome', `${references[0]}=invalid`])).toMatchObject({
      exitCode: 0,
    });
    const { documents } = await readStatus(service, tenant, submissionBatchId);
    expect(documents).toMatchObject([
      { authorityStatus: 'Invalid', waiting: null },
      { submissionStatus: 'Processing', waiting: { code: 'in_doubt' } },
    ]);
    expect(await readListed()).toMatchObject([{ referenceIds: [references[1]], decisions: { length: 4 } }]);
  });

  it('accept an outcome after an earlier operator decision', async () => {
    await service.control('settings', { searchLagMs: 100 * 3_600_000 });
    const document = await sentBy(service, { isLost: true });
    await endLookups(service);
    expect(await readListed()).toMatchObject([{ decisions: ['resend', 'adopt', 'fail'] }]);
    await service.owner.query(`UPDATE authority_submission SET client_id = 'former'`);
    expect(await readListed()).toMatchObject([{ decisions: ['resend', 'adopt', 'outcome', 'fail'] }]);
    const submissionId = await readSubmissionId(document.referenceId);
    const words = ['release', submissionId, '--outcome', `${document.referenceId}=invalid`];
    expect(await queue(words)).toMatchObject({ exitCode: 0, error: '' });
    expect(await document.read()).toMatchObject({ authorityStatus: 'Invalid' });
  });

  it('reject an operator decision while a dispatcher processes them', async () => {
    const document = await sentBy(service, { isLost: false });
    const submissionId = await readSubmissionId(document.referenceId);
    const words = ['release', submissionId, '--outcome', `${document.referenceId}=invalid`];
    expect(await queue(words)).toMatchObject({ exitCode: 1 });
    await service.owner.query(`UPDATE authority_submission SET state = 'unknown'`);
    expect((await queue(words)).error).toContain('only for calls that no dispatcher handles');
    expect(await document.read()).toMatchObject({ authorityStatus: 'Submitted' });
  });

  it('get no outcome after a jump of the database clock', async () => {
    await sentBy(service, { isLost: false, owner: await createTenant(service) });
    const document = await sentBy(service, { isLost: true });
    const submissionId = await readSubmissionId(document.referenceId);
    await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [2 * DECIDABLE_SECONDS]);
    const release = () => queue(['release', submissionId, '--outcome', `${document.referenceId}=invalid`]);
    const refused = { exitCode: 1, error: expect.stringContaining('No dispatcher has looked up') as string };
    expect(await release()).toMatchObject(refused);
    // Another call reveals the jump.
    await service.restart();
    await sentBy(service, { isLost: false, owner: await createTenant(service) });
    expect(await release()).toMatchObject(refused);
    await service.owner.query('DELETE FROM authority_clock');
    expect(await release()).toMatchObject(refused);
    expect(await document.read()).toMatchObject({ submissionStatus: 'Processing', waiting: { code: 'in_doubt' } });
  });

  it('cannot be marked as failed or resent once accepted', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: false });
    await untilDecidable();
    const submissionId = await readSubmissionId(document.referenceId);
    for (const decision of ['--fail', '--resend']) {
      expect((await queue(['release', submissionId, decision])).error).toContain('--outcome');
    }
    expect(await document.read()).toMatchObject({ authorityStatus: 'Submitted' });
  });

  it('are polled with the client id that adopted them', async () => {
    const document = await sentBy(service, { isLost: false });
    await service.owner.query(`UPDATE authority_submission SET client_id = 'former'`);
    await untilDecidable();
    const submissionId = await readSubmissionId(document.referenceId);
    const [{ uuid }] = await service.wireLog();
    expect(await queue(['release', submissionId, '--adopt', uuid])).toMatchObject({ exitCode: 0, error: '' });
    expect(await readActions()).toEqual(['in_doubt.adopt']);
    await runFor(service, 1);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: uuid });
  });

  it('are polled in the submission that the authority returned during their adoption', async () => {
    await service.control('faults', [{ when: { api: 'submit' }, fault: 'unknown-submission-uid', times: 1 }]);
    const document = await sentBy(service, { isLost: false });
    await service.owner.query(`UPDATE authority_submission SET client_id = 'former'`);
    await untilDecidable();
    const submissionId = await readSubmissionId(document.referenceId);
    const [{ uuid, submissionUid }] = await service.wireLog();
    expect(await queue(['release', submissionId, '--adopt', uuid])).toMatchObject({ exitCode: 0, error: '' });
    await runFor(service, 1);
    expect(await document.read()).toMatchObject({
      authorityStatus: 'Valid',
      authorityUuid: uuid,
      authoritySubmissionUid: submissionUid,
    });
  });

  it.each([
    ['cancelled', 'Cancelled', 'Completed'],
    ['valid', 'Valid', 'Failed'],
  ])('complete their cancellation with the outcome %s from an operator', async (outcome, authorityStatus, status) => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: false });
    await runFor(other, 1);
    await cancel(service, tenant, { documentId: document.documentId });
    await untilDecidable();
    const [listed] = await readListed();
    expect(listed).toMatchObject({ referenceIds: [document.referenceId], decisions: ['adopt', 'outcome'] });
    const release = (stated: string) =>
      queue(['release', listed.submissionId, '--outcome', `${document.referenceId}=${stated}`]);
    expect((await release('invalid')).error).toContain('never becomes invalid');
    expect(await release(outcome)).toMatchObject({ exitCode: 0, error: '' });
    expect(await document.read()).toMatchObject({ authorityStatus, cancellation: { status } });
    expect(await readListed()).toEqual([]);
  });

  it('are not reported as overdue after their last possible change', async () => {
    const other = await startOther();
    await sentBy(other, { isLost: false });
    await runFor(other, 1);
    await service.advance(OVERDUE_SECONDS + 3_600);
    expect(await readOverdue()).toMatchObject([{ unpolled: 1 }]);
    await service.advance(80 * 3_600);
    expect(await readOverdue()).toEqual([]);
  });

  it('are not reported as overdue after an operator has entered every outcome', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: false });
    await untilDecidable();
    expect(await readOverdue()).toMatchObject([{ unpolled: 1 }]);
    const [{ uuid }] = (await service.wireLog()).filter(({ number }) => number === document.referenceId);
    const submissionId = await readSubmissionId(document.referenceId);
    // An operator may enter the uuid in lower case.
    const stated = `${document.referenceId}=valid:${uuid.toLowerCase()}`;
    expect(await queue(['release', submissionId, '--outcome', stated])).toMatchObject({ error: '' });
    expect(await document.read()).toMatchObject({ authorityStatus: 'Valid', authorityUuid: uuid });
    expect(await readOverdue()).toEqual([]);
    expect(await diagnose()).toMatchObject([{ result: 'good' }]);
    await cancel(service, tenant, { documentId: document.documentId });
    await service.advance(OVERDUE_SECONDS);
    // On a slow machine, the other document is also overdue.
    expect(await readOverdue()).toContainEqual(expect.objectContaining({ clientId: OTHER_CLIENT, cancellations: 1 }));
  });

  it('are reported while no dispatcher polls them', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: false });
    await runFor(service, 7);
    expect(await document.read()).toMatchObject({ authorityStatus: 'Submitted' });
    expect(await readOverdue()).toMatchObject([{ clientId: OTHER_CLIENT, inDoubt: 0, unpolled: 1 }]);
    expect(await diagnose()).toMatchObject([{ result: 'problem' }]);
  });

  it('are reported with their overdue cancellations', async () => {
    const other = await startOther();
    const document = await sentBy(other, { isLost: false });
    await runFor(other, 1);
    await cancel(service, tenant, { documentId: document.documentId });
    await runFor(service, 6);
    expect(await readOverdue()).toMatchObject([{ clientId: OTHER_CLIENT, cancellations: 1 }]);
  });
});

describe('a dispatcher with DISPATCH_QUEUED=off', () => {
  it('finishes the calls of its client id', async () => {
    const before = await startOther();
    const documents = [await sentBy(before, { isLost: true }), await sentBy(before, { isLost: false })];
    const finishing = await startOther({ DISPATCH_QUEUED: 'off' });
    await runFor(finishing, 3);
    for (const { referenceId, read } of documents) {
      expect(await read()).toMatchObject({ authorityStatus: 'Valid' });
      expect(await countTaken(referenceId)).toBe(1);
    }
  });

  it('sends no queued document', async () => {
    const finishing = await startOther({ DISPATCH_QUEUED: 'off' });
    const { read } = await sentBy(finishing, { isLost: false });
    expect(await read()).toMatchObject({ submissionStatus: 'Queued' });
  });

  it('lets other dispatchers send while the authority rejects its client id', async () => {
    const before = await startOther();
    await sentBy(before, { isLost: false });
    const finishing = await startOther({ DISPATCH_QUEUED: 'off' });
    await service.owner.query(
      `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until, blocked_since, blocked_reason)
       VALUES ($1, 'sandbox', 'login', service_now(), service_now(), service_now(), 'client_refused')
       ON CONFLICT (client_id, environment, api) DO UPDATE
          SET blocked_until = excluded.blocked_until, blocked_since = excluded.blocked_since,
              blocked_reason = excluded.blocked_reason`,
      [OTHER_CLIENT],
    );
    await service.control('settings', { clientId: 'test-client-sandbox' });
    const referenceId = reference();
    await accept(service, await createTenant(service), [invoice({ referenceId })]);
    await finishing.tick('credentials');
    await service.tick('submit');
    expect(await countTaken(referenceId)).toBe(1);
  });
});
