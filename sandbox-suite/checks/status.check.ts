import { describe, expect, it } from 'vitest';
import { consolidatedInvoice } from '../documents.js';
import { reservedBatch, stuckBatch, validBatch } from '../fixtures.js';
import {
  accept,
  client,
  expectRefused,
  hasNoSimulator,
  number,
  once,
  readStatus,
  statusPath,
  UNKNOWN_ID,
  UUID,
} from '../suite.js';

const GET = 'GET /v1/saas/submissions/{submissionBatchId}/status';
const SECOND_MS = 1_000;
/** The simulator validates within seconds. */
const CHANGE_MS_MAX = (hasNoSimulator ? 120 : 30) * SECOND_MS;

/** A batch immediately after its acceptance. */
const young = once(async () => {
  const sent = [consolidatedInvoice(number('Z')), consolidatedInvoice(number('A'))];
  const accepted = await accept(sent, { type: 'consolidated' });
  return { accepted, response: await client.call({ path: statusPath(accepted.submissionBatchId) }) };
});

async function poll(
  id: string,
  headers: Record<string, string>,
): Promise<{ status: number; ms: number; text: string }> {
  const startedAt = performance.now();
  const { status, text } = await client.call({ path: statusPath(id), headers });
  return { status, text, ms: performance.now() - startedAt };
}

async function readTag(id: string): Promise<string> {
  return (await client.call({ path: statusPath(id) })).headers.get('etag') ?? '';
}

describe(GET, () => {
  it.each(['1', 'not-a-uuid', `${UNKNOWN_ID}0`])('rejects an id that is not a UUID: %s', async (id) => {
    expectRefused(await client.call({ path: statusPath(id) }), 400, 'submission_batch_id_invalid');
  });

  it('returns 404 for an unknown batch', async () => {
    expectRefused(await client.call({ path: statusPath(UNKNOWN_ID) }), 404, 'submission_batch_not_found');
  });

  it('lists the documents in the order of the request', async () => {
    const { accepted, response } = await young();
    const expected = accepted.documents.map(({ documentId, referenceId }) => ({ documentId, referenceId }));
    expect(response.body.documents).toMatchObject(expected);
    expect(response.body).toMatchObject({ submissionBatchId: accepted.submissionBatchId, documentCount: 2 });
  });

  it('returns a separate transaction for each document', async () => {
    const ids = (await young()).response.body.documents.map(({ transactionId }) => String(transactionId));
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(2);
  });

  it('states the environment and the submission type', async () => {
    expect((await young()).response.body).toMatchObject({ environment: 'sandbox', submissionType: 'consolidated' });
  });

  it('states the time of the next poll in the body and in Retry-After', async () => {
    const { body, headers } = (await young()).response;
    expect(body.terminal).toBe(false);
    expect(['Queued', 'Processing', 'Submitted']).toContain(body.status);
    expect(body.nextPollAfterSeconds).toBeGreaterThan(0);
    expect(headers.get('retry-after')).toBe(String(body.nextPollAfterSeconds));
  });

  it('counts the documents by their status', async () => {
    const { counts } = (await young()).response.body as unknown as { counts: Record<string, number> };
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(2);
  });

  it('is Valid and terminal once every document is valid', async () => {
    const { submissionBatchId } = await validBatch();
    const { body, headers } = await client.call({ path: statusPath(submissionBatchId) });
    expect(body).toMatchObject({ status: 'Valid', terminal: true, nextPollAfterSeconds: null });
    expect(headers.get('retry-after')).toBeNull();
  });

  it("includes the authority's ids, times and public address of a valid document", async () => {
    const { plain } = (await validBatch()).documents;
    expect(plain).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Valid', errors: [] });
    expect(plain.authorityUuid).toMatch(/^[0-9A-Z]{26}$/);
    expect(plain.validationUrl).toContain(plain.authorityUuid);
    for (const member of ['authoritySubmissionUid', 'authorityLongId', 'issuedAt', 'submittedAt', 'validatedAt']) {
      expect(plain[member], member).toBeTruthy();
    }
  });

  it('states a cancellation deadline 72 hours after validation', async () => {
    const { plain } = (await validBatch()).documents;
    const hours = (Date.parse(String(plain.cancellableUntil)) - Date.parse(String(plain.validatedAt))) / 3_600_000;
    expect(hours).toBeCloseTo(72, 1);
  });

  it('returns null for unknown values', async () => {
    const { plain } = (await validBatch()).documents;
    expect(plain).toMatchObject({ cancelledAt: null, rejectionRequestedAt: null, heldFor: null, waiting: null });
    expect((await young()).response.body.documents[0]).toMatchObject({ authorityUuid: null, cancellation: null });
  });

  it('returns 304 for the current ETag', async () => {
    const { submissionBatchId } = await validBatch();
    const tag = await readTag(submissionBatchId);
    expect(tag).not.toBe('');
    expect(await poll(submissionBatchId, { 'If-None-Match': tag })).toMatchObject({ status: 304, text: '' });
  });

  it('returns a new ETag after a change', async () => {
    const { accepted, response } = await young();
    await expect
      .poll(() => readTag(accepted.submissionBatchId), { timeout: CHANGE_MS_MAX, interval: 500 })
      .not.toBe(response.headers.get('etag'));
  });

  it('responds immediately for a terminal batch', async () => {
    const { submissionBatchId } = await validBatch();
    const headers = { 'If-None-Match': await readTag(submissionBatchId), Prefer: 'wait=20' };
    expect((await poll(submissionBatchId, headers)).ms).toBeLessThan(10 * SECOND_MS);
  });

  it('responds immediately to an outdated ETag', async () => {
    const { submissionBatchId } = await validBatch();
    const { status, ms } = await poll(submissionBatchId, { 'If-None-Match': '"other"', Prefer: 'wait=20' });
    expect(status).toBe(200);
    expect(ms).toBeLessThan(10 * SECOND_MS);
  });
});

describe.skipIf(hasNoSimulator)(`${GET} (simulator only)`, () => {
  it('is PartiallyValid and terminal if only some documents are valid', async () => {
    const { status } = await reservedBatch();
    expect(status).toMatchObject({ status: 'PartiallyValid', terminal: true, nextPollAfterSeconds: null });
    expect(status.counts).toMatchObject({ valid: 3, invalid: 3, submitFailed: 3 });
  });

  it('holds the response with Prefer: wait until the batch changes', async () => {
    const { submissionBatchId } = await stuckBatch();
    const tag = await readTag(submissionBatchId);
    const { status, ms } = await poll(submissionBatchId, { 'If-None-Match': tag, Prefer: 'wait=2' });
    expect(status).toBe(304);
    expect(ms).toBeGreaterThan(1.5 * SECOND_MS);
  });

  it('stays Submitted while the authority validates', async () => {
    const status = await readStatus((await stuckBatch()).submissionBatchId);
    expect(status).toMatchObject({ status: 'Submitted', terminal: false, counts: { submitted: 1 } });
    expect(status.nextPollAfterSeconds).toBeGreaterThan(0);
  });
});
