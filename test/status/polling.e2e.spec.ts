import { describe, expect, it } from 'vitest';
import { accept, type ApiResponse, cancel, createKey, createTenant, get, request } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { isFirst, until } from '../support/until.js';

// Interface, Events: polling is how outcomes are learned. docs/rules.md#status-response: what makes it cheap.

// Fewer connections than callers that wait below.
const service = await startFileService({ environment: { DATABASE_POOL_SIZE: '2' } });
const tenant = await createTenant(service);

function poll(submissionBatchId: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return get(service, tenant, `/v1/saas/submissions/${submissionBatchId}/status`, headers);
}

async function submitted(...documents: unknown[]): Promise<{ batchId: string; documentId: string; tag: string }> {
  const { submissionBatchId: batchId, documents: accepted } = await accept(service, tenant, documents);
  return { batchId, documentId: accepted[0].documentId, tag: await readTag(batchId) };
}

async function readTag(batchId: string): Promise<string> {
  return (await poll(batchId)).headers.get('etag') ?? '';
}

describe('ETag and If-None-Match', () => {
  it('respond with 304 without a body while nothing has changed', async () => {
    const { batchId, tag } = await submitted(invoice());
    expect(tag).toMatch(/^(?:W\/)?"[^"]+"$/);
    const response = await poll(batchId, { 'If-None-Match': tag });
    expect(response.status).toBe(304);
    expect(response.text).toBe('');
    expect(response.headers.get('etag')).toBe(tag);
    expect(response.headers.get('retry-after')).toBe('2');
    // A length of a body that never comes makes careful clients wait for it.
    for (const name of ['content-length', 'content-type', 'transfer-encoding'])
      expect(response.headers.get(name), name).toBeNull();
    await service.settle();
  });

  it('respond with 200 and another ETag after every change of a document', async () => {
    const { batchId, documentId, tag } = await submitted(invoice(), invoice({ referenceId: reference('SIM-SLOW-60') }));
    const tags = [tag];
    const steps: (() => Promise<unknown>)[] = [
      () => service.tick('submit'),
      () => service.advance(10).then(() => service.tick('poll')),
      () => cancel(service, tenant, { documentId }),
      () => service.tick('cancel'),
      () => service.settle(),
    ];
    for (const step of steps) {
      await step();
      const response = await poll(batchId, { 'If-None-Match': tags.join(', ') });
      expect(response.status).toBe(200);
      tags.push(response.headers.get('etag') ?? '');
    }
    expect(new Set(tags).size).toBe(steps.length + 1);
  });

  it('do not change because time passes', async () => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    await service.advance(120);
    expect(await readTag(batchId)).toBe(tag);
  });

  it.each([
    ['a list with the current one', (tag: string) => `"other", ${tag}`, 304],
    ['the strong form', (tag: string) => tag.replace('W/', ''), 304],
    ['any', () => '*', 304],
    ['another one', () => '"other"', 200],
    ['what is no entity tag', () => 'nonsense', 200],
  ])('take %s', async (_, header, expected) => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    expect((await poll(batchId, { 'If-None-Match': header(tag) })).status).toBe(expected);
  });
});

describe('Prefer: wait', () => {
  /** A poll of another batch, which is held for its whole wait of 20 seconds. */
  async function pollUnchanged(): Promise<ApiResponse> {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    return poll(batchId, { 'If-None-Match': tag, Prefer: 'wait=20' });
  }

  it('holds the answer and gives it as soon as something changes', async () => {
    const { batchId, tag } = await submitted(invoice());
    const unchanged = pollUnchanged();
    let isAnswered = false;
    const waiting = poll(batchId, { 'If-None-Match': tag, Prefer: 'wait=20' }).finally(() => (isAnswered = true));
    expect((await poll(batchId, { 'If-None-Match': tag })).status).toBe(304);
    expect(isAnswered).toBe(false);
    await service.tick('submit');
    expect(await isFirst(waiting, unchanged)).toBe(true);
    const response = await waiting;
    expect(response.status).toBe(200);
    // Of a tick that takes long, its first change.
    expect(response.body.status).toMatch(/^(?:Processing|Submitted)$/);
  });

  it('responds with 304 when the wait is over, not before', async () => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    const started = performance.now();
    const response = await poll(batchId, { 'If-None-Match': tag, Prefer: 'wait=1' });
    expect(response.status).toBe(304);
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  it('responds immediately without If-None-Match, and when the tag is another one', async () => {
    const { batchId } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    const unchanged = pollUnchanged();
    const responses = Promise.all([
      poll(batchId, { Prefer: 'wait=20' }),
      poll(batchId, { Prefer: 'wait=20', 'If-None-Match': '"old"' }),
    ]);
    expect(await isFirst(responses, unchanged)).toBe(true);
    expect((await responses).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('responds immediately when the batch has ended', async () => {
    // The documents of other tests that stay at the authority would keep settle() busy.
    const { batchId } = await submitted(invoice({ referenceId: reference('SIM-REJECT-CF349') }));
    await service.tick('submit');
    const unchanged = pollUnchanged();
    const response = poll(batchId, { 'If-None-Match': await readTag(batchId), Prefer: 'wait=20' });
    expect(await isFirst(response, unchanged)).toBe(true);
    expect((await response).status).toBe(304);
  });

  it('ends a second after its time at the latest, though the database answers no look', async () => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    const before = await lockingStatus();
    const waiting = poll(batchId, { 'If-None-Match': tag, Prefer: 'wait=3' });
    // Its first read waits for this lock, and the next lock for that read: after it, only later ones wait.
    await service.blockedBy(before);
    const after = lockingStatus();
    await before.rollbackTransaction();
    await before.release();
    const holder = await after;
    expect((await waiting).status).toBe(304);
    await holder.rollbackTransaction();
    await holder.release();
  });

  it.each([
    ['revoked', 'revoked_at = service_now()', 'api_key_revoked'],
    ['expired', 'expires_at = service_now()', 'api_key_expired'],
  ])('ends with a 401 when its key is %s', async (_, change, code) => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    const apiKey = await createKey(service, tenant.tenantId);
    const [{ id }] = await service.owner.query<{ id: string }[]>('SELECT max(id::text) AS id FROM api_key');
    const headers = { 'X-API-Key': apiKey, 'If-None-Match': tag, Prefer: 'wait=3' };
    const waiting = request(service, `/v1/saas/submissions/${batchId}/status`, { headers });
    await until('the key was taken', async () => {
      const [{ isUsed }] = await service.owner.query<{ isUsed: boolean }[]>(
        'SELECT last_used_at IS NOT NULL AS "isUsed" FROM api_key WHERE id = $1',
        [id],
      );
      return isUsed;
    });
    await service.owner.query(`UPDATE api_key SET ${change} WHERE id = $1`, [id]);
    const response = await waiting;
    expect(response.status, response.text).toBe(401);
    expect(response.body.code).toBe(code);
    expect(response.headers.get('x-environment')).toBeNull();
  });

  it('keeps no connection to the database: others are served while many wait', async () => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    let answered = 0;
    const waiting = Array.from({ length: 20 }, async () => {
      const response = await poll(batchId, { 'If-None-Match': tag, Prefer: 'wait=3' });
      answered += 1;
      return response;
    });
    for (let call = 0; call < 10; call += 1) expect((await poll(batchId)).status).toBe(200);
    expect(answered).toBe(0);
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(304);
  });
});

/** A transaction of the test that has locked the documents: no status is read meanwhile. */
async function lockingStatus(): Promise<ReturnType<typeof service.owner.createQueryRunner>> {
  const holder = service.owner.createQueryRunner();
  await holder.startTransaction();
  await holder.query('LOCK TABLE document_transaction IN ACCESS EXCLUSIVE MODE');
  return holder;
}

describe('when to poll again', () => {
  it('is 2 seconds when young, grows with the age of the batch, and is never more than 60', async () => {
    const { batchId } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    const seconds: number[] = [];
    for (const age of [0, 30, 60, 300, 600, 3_600, 86_400]) {
      await service.advance(age);
      const response = await poll(batchId);
      expect(response.headers.get('retry-after')).toBe(String(response.body.nextPollAfterSeconds));
      seconds.push(response.body.nextPollAfterSeconds);
    }
    expect(seconds[0]).toBe(2);
    expect(seconds.at(-1)).toBe(60);
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
    expect(new Set(seconds).size).toBeGreaterThan(3);
  });

  it('is soon while a cancellation is under way, and the batch is not terminal until it has ended', async () => {
    const { batchId, documentId } = await submitted(invoice());
    await service.tick('submit');
    await until('the document is Valid', async () => {
      await service.advance(10);
      await service.tick('poll');
      return (await poll(batchId)).body.status === 'Valid';
    });
    expect((await poll(batchId)).body).toMatchObject({ terminal: true, nextPollAfterSeconds: null });
    await service.advance(3_600);
    await cancel(service, tenant, { documentId });
    const response = await poll(batchId);
    expect(response.body).toMatchObject({ status: 'Valid', terminal: false, nextPollAfterSeconds: 2 });
    expect(response.headers.get('retry-after')).toBe('2');
    while ((await service.tick('cancel')) > 0);
    expect((await poll(batchId)).body).toMatchObject({
      status: 'Cancelled',
      terminal: true,
      nextPollAfterSeconds: null,
    });
  });

  it('is null, without Retry-After, when the batch has ended', async () => {
    const { batchId } = await submitted(invoice({ referenceId: reference('SIM-REJECT-CF349') }));
    while ((await service.tick('submit')) > 0);
    const response = await poll(batchId);
    expect(response.body).toMatchObject({ terminal: true, nextPollAfterSeconds: null });
    expect(response.headers.get('retry-after')).toBeNull();
  });
});
