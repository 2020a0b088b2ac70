import { describe, expect, it } from 'vitest';
import { accept, type ApiResponse, cancel, createKey, createTenant, get, request } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { isFirst, until } from '../support/until.js';

// docs/rules.md#status-response

// There are fewer connections than waiting callers.
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
  it('cause a 304 without a body while the batch is unchanged', async () => {
    const { batchId, tag } = await submitted(invoice());
    expect(tag).toMatch(/^(?:W\/)?"[^"]+"$/);
    const response = await poll(batchId, { 'If-None-Match': tag });
    expect(response.status).toBe(304);
    expect(response.text).toBe('');
    expect(response.headers.get('etag')).toBe(tag);
    expect(response.headers.get('retry-after')).toBe('2');
    // Some clients would wait for a body of the stated length.
    for (const name of ['content-length', 'content-type', 'transfer-encoding'])
      expect(response.headers.get(name), name).toBeNull();
    await service.settle();
  });

  it('cause a 200 after every change of a document', async () => {
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

  it('are unaffected by the time', async () => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    await service.advance(120);
    expect(await readTag(batchId)).toBe(tag);
  });

  it.each([
    ['a list with the current tag', (tag: string) => `"other", ${tag}`, 304],
    ['the strong form of the tag', (tag: string) => tag.replace('W/', ''), 304],
    ['a wildcard', () => '*', 304],
    ['another tag', () => '"other"', 200],
    ['a malformed tag', () => 'nonsense', 200],
  ])('support %s', async (_, header, expected) => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    expect((await poll(batchId, { 'If-None-Match': header(tag) })).status).toBe(expected);
  });
});

describe('Prefer: wait', () => {
  /** Polls an unchanging batch for 20 seconds. */
  async function pollUnchanged(): Promise<ApiResponse> {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    return poll(batchId, { 'If-None-Match': tag, Prefer: 'wait=20' });
  }

  it('delays the response until the batch changes', async () => {
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
    // The response follows the first change of a slow tick.
    expect(response.body.status).toMatch(/^(?:Processing|Submitted)$/);
  });

  it('causes a 304 at the end of the wait', async () => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    const started = performance.now();
    const response = await poll(batchId, { 'If-None-Match': tag, Prefer: 'wait=1' });
    expect(response.status).toBe(304);
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  it('causes an immediate response unless If-None-Match has the current ETag', async () => {
    const { batchId } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    const unchanged = pollUnchanged();
    const responses = Promise.all([
      poll(batchId, { Prefer: 'wait=20' }),
      poll(batchId, { Prefer: 'wait=20', 'If-None-Match': '"old"' }),
    ]);
    expect(await isFirst(responses, unchanged)).toBe(true);
    expect((await responses).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('causes an immediate response if the batch is terminal', async () => {
    // settle() would wait for the documents of other tests.
    const { batchId } = await submitted(invoice({ referenceId: reference('SIM-REJECT-CF349') }));
    await service.tick('submit');
    const unchanged = pollUnchanged();
    const response = poll(batchId, { 'If-None-Match': await readTag(batchId), Prefer: 'wait=20' });
    expect(await isFirst(response, unchanged)).toBe(true);
    expect((await response).status).toBe(304);
  });

  it('limits the wait even if the database does not respond', async () => {
    const { batchId, tag } = await submitted(invoice({ referenceId: reference('SIM-STUCK') }));
    const before = await lockingStatus();
    const waiting = poll(batchId, { 'If-None-Match': tag, Prefer: 'wait=3' });
    // The first read waits for this lock. The next lock is granted after it, so only later reads wait.
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
  ])('causes a 401 if the key is %s during the wait', async (_, change, code) => {
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

  it('uses no database connection during the wait', async () => {
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

/** Opens a database transaction that blocks all reads of statuses. */
async function lockingStatus(): Promise<ReturnType<typeof service.owner.createQueryRunner>> {
  const holder = service.owner.createQueryRunner();
  await holder.startTransaction();
  await holder.query('LOCK TABLE document_transaction IN ACCESS EXCLUSIVE MODE');
  return holder;
}

describe('nextPollAfterSeconds', () => {
  it('grows with the age of the batch from 2 to 60 seconds', async () => {
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

  it('is short while a cancellation is in progress', async () => {
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

  it('is null if the batch is terminal', async () => {
    const { batchId } = await submitted(invoice({ referenceId: reference('SIM-REJECT-CF349') }));
    while ((await service.tick('submit')) > 0);
    const response = await poll(batchId);
    expect(response.body).toMatchObject({ terminal: true, nextPollAfterSeconds: null });
    expect(response.headers.get('retry-after')).toBeNull();
  });
});
