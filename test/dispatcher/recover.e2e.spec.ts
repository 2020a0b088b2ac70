import { beforeEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { runCli } from '../../src/processes/cli.js';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Simulates a restore to an earlier time by changing rows. `npm run check -- restore` restores a real server.

const service = await startFileService({ simulator: { duplicateRules: false } });
const GRACE_SECONDS = 61;
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await createTenant(service);
});

function recover(...words: string[]): Promise<{ exitCode: number; out: string; error: string }> {
  return runOperator('recover', ...words, '--json');
}

function runOperator(...words: string[]): Promise<{ exitCode: number; out: string; error: string }> {
  return runOperatorWith({}, ...words);
}

async function runOperatorWith(
  settings: Record<string, string>,
  ...words: string[]
): Promise<{ exitCode: number; out: string; error: string }> {
  const environment = { ...service.settings, DATABASE_OWNER_URL: service.database.ownerUrl, ...settings };
  const ended = { exitCode: -1, out: '', error: '' };
  const output = { out: (text: string) => (ended.out += text), error: (text: string) => (ended.error += text) };
  ended.exitCode = await runCli(readConfiguration('operator', environment), words, output);
  return ended;
}

async function recovered<Result = unknown>(...words: string[]): Promise<Result> {
  const { exitCode, out, error } = await recover(...words);
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
  return JSON.parse(out) as Result;
}

interface Report {
  readonly documents: readonly {
    readonly referenceId: string;
    readonly authorityUuid: string;
    readonly state: string;
  }[];
}

async function begin(): Promise<void> {
  await recovered('begin');
  await service.advance(GRACE_SECONDS);
}

async function releaseAll(): Promise<void> {
  const tenants = await service.owner.query<{ id: string }[]>(
    `SELECT tenant_id AS id FROM tenant WHERE NOT EXISTS (
       SELECT FROM recovery_tenant x JOIN recovery r ON r.id = x.recovery_id
        WHERE r.ended_at IS NULL AND x.tenant_id = tenant.tenant_id AND x.released_at IS NOT NULL)`,
  );
  await recovered('search', ...tenants.map(({ id }) => id));
  await recovered('release', ...tenants.map(({ id }) => id));
}

async function countSends(referenceId: string): Promise<number> {
  return (await service.wireLog()).filter(({ number }) => number === referenceId).length;
}

async function queue(referenceId: string, owner = tenant): Promise<string> {
  return (await accept(service, owner, [invoice({ referenceId })])).submissionBatchId;
}

async function readDocument(batchId: string, owner = tenant): Promise<Record<string, unknown>> {
  const [document] = (await readStatus(service, owner, batchId)).documents;
  return Object.fromEntries(Object.entries(document));
}

/** Resets the attempt to its state before the first send: without bytes, call and uuid. */
async function setBackToQueued(referenceId: string): Promise<void> {
  await service.owner.query(
    `WITH attempt AS (SELECT tenant_id, id FROM document_transaction WHERE reference_id = $1),
          built AS (DELETE FROM authority_document a USING attempt WHERE (a.tenant_id, a.transaction_id) = (attempt.tenant_id, attempt.id))
     UPDATE document_transaction t
        SET submission_status = 'Queued', authority_status = NULL, authority_uuid = NULL, authority_submission_id = NULL,
            issued_at = NULL, submitted_at = NULL, due_at = created_at, version = version + 100
       FROM attempt WHERE (t.tenant_id, t.id) = (attempt.tenant_id, attempt.id)`,
    [referenceId],
  );
}

it('stops all work of a tenant during a recovery and makes it due afterwards', async () => {
  const [polled, waiting] = [reference(), reference()];
  const submitted = await queue(polled);
  await service.tick('submit');
  expect(await readDocument(submitted)).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Submitted' });
  const queued = await queue(waiting);
  await begin();
  for (let round = 0; round < 3; round += 1) {
    for (const loop of ['submit', 'poll', 'cancel', 'reconcile']) expect(await service.tick(loop), loop).toBe(0);
    await service.advance(600);
  }
  expect(await readDocument(submitted)).toMatchObject({ authorityStatus: 'Submitted' });
  expect(await readDocument(queued)).toMatchObject({ waiting: { code: 'in_doubt' } });
  const { out } = await runOperator('queue', 'show');
  expect(out).toMatch(/\d+ tenants wait for a recovery after a restore: see "recover report"/);
  expect(out.split('\n').find((line) => line.includes(tenant.tenantId))).toMatch(/ recovery *$/);
  // Applies however late the next poll was scheduled at the restored time.
  await service.owner.query(
    `UPDATE authority_submission SET due_at = service_now() + interval '1 year', polls = 40 WHERE tenant_id = $1`,
    [tenant.tenantId],
  );
  await releaseAll();
  expect((await runOperator('queue', 'show')).out).not.toMatch(/ recovery *$/m);
  await service.settle();
  expect(await readDocument(submitted)).toMatchObject({ authorityStatus: 'Valid' });
  expect(await readDocument(queued)).toMatchObject({ authorityStatus: 'Valid' });
  expect([await countSends(polled), await countSends(waiting)]).toEqual([1, 1]);
});

it('adopts a document by its content if it was sent after the restored time', async () => {
  const number = reference();
  const batch = await queue(number);
  await service.settle();
  const { authorityUuid } = await readDocument(batch);
  await setBackToQueued(number);
  await begin();
  await releaseAll();
  await service.settle();
  expect(await readDocument(batch)).toMatchObject({ authorityStatus: 'Valid', authorityUuid });
  expect(await countSends(number)).toBe(1);
});

it('adopts a document whose uuid an unconfirmed response assigned to another document', async () => {
  const [number, holder] = [reference(), reference()];
  const batch = await queue(number);
  await service.settle();
  const { authorityUuid } = await readDocument(batch);
  const held = await queue(holder);
  await service.tick('submit');
  await setBackToQueued(number);
  await service.owner.query('UPDATE document_transaction SET authority_uuid = $2 WHERE reference_id = $1', [
    holder,
    authorityUuid,
  ]);
  await begin();
  await releaseAll();
  await service.settle();
  expect(await readDocument(batch)).toMatchObject({ authorityStatus: 'Valid', authorityUuid });
  expect(await readDocument(held)).toMatchObject({ authorityStatus: 'Valid' });
  expect([await countSends(number), await countSends(holder)]).toEqual([1, 1]);
});

it('reports a recovery as incomplete until every tenant is searched', async () => {
  await begin();
  const report = async (): Promise<string> => (await runOperator('recover', 'report', '--tenant', tenant.tenantId)).out;
  expect(await report()).toContain('1 tenants are not searched');
  expect(await report()).not.toContain('The authority has no documents that are missing here');
  await recovered('search', tenant.tenantId);
  expect(await report()).toContain('The authority has no documents that are missing here');
  expect(await report()).not.toContain('not searched');
  await releaseAll();
});

it('disputes a document with the same number and different content until an operator dismisses it', async () => {
  const number = reference();
  const batch = await queue(number);
  await service.settle();
  await setBackToQueued(number);
  await service.owner.query(
    `UPDATE document_transaction SET payload = jsonb_set(payload, '{recipient,name}', '"Other Sdn Bhd"') WHERE reference_id = $1`,
    [number],
  );
  await begin();
  await recovered('search', tenant.tenantId);
  const { documents } = await recovered<Report>('report', '--tenant', tenant.tenantId);
  expect(documents).toMatchObject([{ referenceId: number, state: 'disputed' }]);
  expect(await recover('release', tenant.tenantId)).toMatchObject({ exitCode: 1 });
  await recovered('dismiss', documents[0].authorityUuid);
  await releaseAll();
  await service.settle();
  expect(await readDocument(batch)).toMatchObject({ authorityStatus: 'Valid' });
  expect(await countSends(number)).toBe(2);
});

it('requires an operator decision on two attempts with the same TIN, type and number', async () => {
  const number = reference();
  const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
    tenant.tenantId,
  ]);
  const twin = await createTenant(service, { profile: { tin } });
  const batch = await queue(number);
  await service.settle();
  await setBackToQueued(number);
  const other = await queue(number, twin);
  await begin();
  await recovered('search', tenant.tenantId, twin.tenantId);
  const { documents } = await recovered<Report>('report');
  const disputed = documents.filter(({ referenceId }) => referenceId === number);
  expect(disputed).toMatchObject([{ state: 'disputed' }]);
  const { transactionId } = await readDocument(batch);
  await recovered('adopt', disputed[0].authorityUuid, '--transaction', String(transactionId));
  await releaseAll();
  await service.settle();
  expect(await readDocument(batch)).toMatchObject({
    authorityUuid: disputed[0].authorityUuid,
    authorityStatus: 'Valid',
  });
  expect(await readDocument(other, twin)).toMatchObject({ authorityStatus: 'Valid' });
});

it('explains why a new document waits for the adoption of a missing document with its number', async () => {
  const number = reference();
  const [{ uuid }] = await sendAndForget(number);
  await begin();
  await releaseAll();
  const { documents } = await recovered<Report>('report', '--tenant', tenant.tenantId);
  expect(documents).toMatchObject([{ referenceId: number, authorityUuid: uuid, state: 'missing' }]);
  const again = await queue(number);
  const others = reference();
  const other = await queue(others);
  await service.tick('submit');
  expect(await readDocument(other)).toMatchObject({ submissionStatus: 'Submitted', waiting: null });
  for (let round = 0; round < 3; round += 1) {
    for (const loop of ['submit', 'poll', 'reconcile', 'housekeeping']) await service.tick(loop);
    await service.advance(3_600);
  }
  // The client sees its actual state: sent, with a lost response.
  expect(await readDocument(again)).toMatchObject({ submissionStatus: 'Queued', waiting: { code: 'in_doubt' } });
  const search = `recover search ${tenant.tenantId}`;
  expect((await runOperator('queue', 'show')).out).toContain(search);
  await recovered('search', tenant.tenantId);
  expect((await runOperator('queue', 'show')).out).not.toContain('recover search');
  await service.settle();
  expect(await readDocument(again)).toMatchObject({
    authorityStatus: 'Valid',
    authorityUuid: uuid,
    waiting: null,
  });
  expect(await countSends(number)).toBe(1);
});

/** A document that the tenant sent and the database then lost, like one accepted after the restored time. */
async function sendAndForget(number: string): Promise<readonly { readonly uuid: string }[]> {
  await queue(number);
  await service.settle();
  const sent = (await service.wireLog()).filter((each) => each.number === number);
  await forget(number);
  return sent;
}

it('promptly polls a call to which an adopted document was added', async () => {
  const [first, second] = [reference(), reference()];
  const numbers = [first, second].map((referenceId) => invoice({ referenceId }));
  await accept(service, tenant, numbers);
  await service.settle();
  await forget(second);
  await begin();
  await releaseAll();
  await service.settle();
  const again = await queue(second);
  await recovered('search', tenant.tenantId);
  expect(await readDocument(again)).toMatchObject({ authorityStatus: 'Submitted' });
  await service.tick('poll');
  expect(await readDocument(again)).toMatchObject({ authorityStatus: 'Valid' });
  expect(await countSends(second)).toBe(1);
});

/** Makes the document look as if it had been accepted after the restored time. */
async function forget(number: string): Promise<void> {
  await service.owner.query(
    `UPDATE document_transaction SET reference_id = 'GONE-' || reference_id, authority_uuid = NULL WHERE reference_id = $1`,
    [number],
  );
  await service.owner.query(`UPDATE document SET reference_id = 'GONE-' || reference_id WHERE reference_id = $1`, [
    number,
  ]);
  await service.owner.query(
    `UPDATE authority_document SET reference_id = 'GONE-' || reference_id WHERE reference_id = $1`,
    [number],
  );
}

it('starts a recovery for another database cluster but not for a promoted standby', async () => {
  const setTimeline = (timeline: string): Promise<unknown> =>
    service.owner.query('UPDATE database_server SET timeline = $1', [timeline]);
  const countOpen = async (): Promise<number> =>
    (await service.owner.query<[]>('SELECT FROM recovery WHERE ended_at IS NULL')).length;
  const number = reference();
  await queue(number);
  await setTimeline('0000000F');
  expect(await service.tick('submit'), 'a server that is not recognised is not served').toBe(0);
  await service.tick('recover');
  expect(await countOpen()).toBe(0);
  expect(await service.tick('submit')).toBe(1);
  await service.owner.query(`UPDATE database_server SET system_identifier = '1'`);
  await service.tick('recover');
  expect(await countOpen()).toBe(1);
  await releaseTenantsAfterGrace();
  expect(await countOpen()).toBe(0);
});

async function releaseTenantsAfterGrace(): Promise<void> {
  await service.advance(GRACE_SECONDS);
  await releaseAll();
}

it('accepts only PostgreSQL timestamps as the start of a recovery', async () => {
  const [{ printed, since }] = await service.owner.query<[{ printed: string; since: Date }]>(
    `SELECT date_trunc('second', service_now() - interval '1 hour')::text AS printed,
            date_trunc('second', service_now() - interval '1 hour') AS since`,
  );
  const { recovery } = await recovered<{ recovery: { since: string } }>('begin', '--since', printed);
  expect(recovery.since).toBe(since.toISOString());
  const { exitCode, error } = await recover('begin', '--since', printed.slice(0, 'YYYY-MM-DD hh:mm:ss'.length));
  expect(exitCode).toBe(1);
  expect(error).toContain('must be a valid timestamp with its offset from UTC');
  await recovered('search', tenant.tenantId);
  await releaseTenantsAfterGrace();
});

it('releases a tenant from recovery only after a sufficiently late search', async () => {
  await recovered('begin');
  expect((await recover('release', tenant.tenantId)).error).toContain('is not searched yet');
  await recovered('search', tenant.tenantId);
  expect((await recover('release', tenant.tenantId)).error).toContain('Search it again');
  await releaseTenantsAfterGrace();
});

it('keeps a tenant in recovery if the clock has jumped ahead', async () => {
  const jump = (seconds: number): Promise<unknown> =>
    service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
  await recovered('search', tenant.tenantId);
  await recovered('begin');
  await jump(GRACE_SECONDS);
  await recovered('search', tenant.tenantId);
  expect((await recover('release', tenant.tenantId)).error).toContain('Search it again');
  await jump(-GRACE_SECONDS);
  await service.advance(GRACE_SECONDS);
  await releaseTenantsAfterGrace();
});

describe('a recovery that began before the clock was set back', () => {
  const setBack = (seconds: number): Promise<unknown> =>
    service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds - $1', [seconds]);
  const readBeginning = async (): Promise<Date> => {
    const [{ at }] = await service.owner.query<[{ at: Date }]>(
      'SELECT began_at AS at FROM recovery WHERE ended_at IS NULL',
    );
    return at;
  };

  it('keeps its start time and requires a new "recover begin"', async () => {
    await begin();
    const beganAt = await readBeginning();
    await setBack(7_200);
    await service.tick('housekeeping');
    expect(await readBeginning()).toEqual(beganAt);
    await recovered('search', tenant.tenantId);
    expect((await recover('release', tenant.tenantId)).error).toContain('was set back after the recovery began');
    await recovered('begin');
    await recovered('search', tenant.tenantId);
    expect((await recover('release', tenant.tenantId)).error).toContain('Search it again');
    await setBack(-7_200);
    await service.advance(GRACE_SECONDS);
    await releaseTenantsAfterGrace();
  });
});

it('does not count a search while the clocks differ by more than a day', async () => {
  const day = 25 * 3_600;
  const move = (seconds: number): Promise<unknown> =>
    service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
  await begin();
  await service.owner.query('DELETE FROM authority_clock');
  await move(-day);
  await recovered('begin', '--since', new Date(Date.now() - 3 * day * 1_000).toISOString());
  await move(GRACE_SECONDS);
  const { exitCode, out } = await recover('search', tenant.tenantId);
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: expect.stringContaining('by more than a day') as string });
  expect((await recover('release', tenant.tenantId)).error).toContain('is not searched yet');
  await move(day);
  await service.owner.query('DELETE FROM authority_clock');
  await releaseTenantsAfterGrace();
});

it('stops reading the recovery for a status once all found documents are decided', async () => {
  const isLookedFor = async (): Promise<boolean> => {
    const [{ isSo }] = await service.owner.query<[{ isSo: boolean }]>('SELECT has_recovered() AS "isSo"');
    return isSo;
  };
  await service.owner.query(`UPDATE found_document SET state = 'dismissed' WHERE state IN ('missing', 'disputed')`);
  await recovered('begin');
  expect(await isLookedFor()).toBe(true);
  await releaseTenantsAfterGrace();
  expect(await service.owner.query('SELECT FROM recovery WHERE ended_at IS NULL')).toEqual([]);
  expect(await isLookedFor()).toBe(false);
});

it('rejects a command whose SECRETS_KEY differs from that of the running processes', async () => {
  const readTokens = (): Promise<unknown> =>
    service.owner.query('SELECT ciphertext FROM authority_token WHERE tenant_id = $1', [tenant.tenantId]);
  await queue(reference());
  await service.settle();
  await begin();
  await service.tick('report');
  const before = await readTokens();
  const settings = { SECRETS_KEY: 'another-key-for-tests-of-32-characters-or-more' };
  for (const tokens of ['kept', 'gone']) {
    const { exitCode, error } = await runOperatorWith(settings, 'recover', 'search', tenant.tenantId);
    expect(exitCode).toBe(1);
    expect(error).toMatch(/^SECRETS_KEY differs from that of the running APIs and dispatchers/);
    if (tokens === 'kept') expect(await readTokens()).toEqual(before);
    await service.owner.query('DELETE FROM authority_token WHERE tenant_id = $1', [tenant.tenantId]);
  }
  expect(await readTokens()).toEqual([]);
  await service.owner.query('DELETE FROM service_process');
  expect(await runOperatorWith(settings, 'recover', 'search', tenant.tenantId)).toMatchObject({ exitCode: 0 });
  await releaseAll();
});
