import { describe, expect, it } from 'vitest';
import { readNumber } from '../client.js';
import { consolidatedInvoice } from '../documents.js';
import { reservedBatch, validBatch } from '../fixtures.js';
import {
  accept,
  cancel,
  expectBroken,
  expectRefused,
  follow,
  freeOfCharge,
  hasNoSimulator,
  key,
  number,
  once,
  readBalance,
  readStatus,
  submit,
  UNKNOWN_ID,
  UUID,
} from '../suite.js';

const POST = 'POST /v1/einvoice/cancel';
const REASON = 'Wrong buyer details';

/** An accepted cancellation with its statuses during and after processing. */
const cancelled = once(async () => {
  const { submissionBatchId, documents } = await validBatch();
  const { documentId, transactionId } = documents.cancelled;
  const before = await readBalance();
  const request = { documentId, cancellationReason: REASON };
  const idempotencyKey = key();
  const response = await cancel(request, { key: idempotencyKey });
  const again = await cancel(request);
  const early = await readStatus(submissionBatchId);
  const status = await follow(submissionBatchId);
  const document = status.documents.find((one) => one.documentId === documentId);
  return { before, request, idempotencyKey, response, again, early, status, document, attempt: transactionId };
});

describe(POST, () => {
  it.each<[title: string, body: object, pointer: string]>([
    ['without documentId', {}, '/documentId'],
    ['with a documentId that is not a UUID', { documentId: 'INV-1' }, '/documentId'],
    ['with a documentId that is a number', { documentId: 5 }, '/documentId'],
    [
      'with two documentIds that differ',
      { documentId: UNKNOWN_ID, document_id: UNKNOWN_ID.replace('4', '5') },
      '/document_id',
    ],
    [
      'with a reason of 301 characters',
      { documentId: UNKNOWN_ID, cancellationReason: 'x'.repeat(301) },
      '/cancellationReason',
    ],
    ['with a reason that is not a string', { documentId: UNKNOWN_ID, cancellationReason: {} }, '/cancellationReason'],
    ['with a misspelt field', { documentId: UNKNOWN_ID, cancelationReason: 'x' }, '/cancelationReason'],
  ])('rejects a request %s', async (_, body, pointer) => {
    expectBroken(await cancel(body), pointer);
  });

  it('rejects a request that contains a field twice', async () => {
    const text = `{"documentId":"${UNKNOWN_ID}","documentId":"${UNKNOWN_ID}"}`;
    expectRefused(await cancel(text), 400, 'validation_failed');
  });

  it('rejects an unknown field with Prefer: handling=strict', async () => {
    const body = { documentId: UNKNOWN_ID, colour: 'red' };
    expectBroken(await cancel(body, { headers: { Prefer: 'handling=strict' } }), '/colour', 'member_unknown');
  });

  it('returns 404 for an unknown document', async () => {
    expectRefused(await freeOfCharge(() => cancel({ documentId: UNKNOWN_ID })), 404, 'document_not_found');
  });

  it('returns 409 for a document that is not valid yet', async () => {
    const { documents } = await accept([consolidatedInvoice(number())], { type: 'consolidated' });
    const response = await cancel({ documentId: documents[0].documentId });
    expectRefused(response, 409, 'document_not_valid');
    expect(response.body).toHaveProperty('authorityStatus');
    expect(response.headers.get('x-credits-charged') ?? '0').toBe('0');
  });
});

describe(POST, () => {
  it('queues the cancellation of a valid document and returns 202', async () => {
    const { request, response, attempt } = await cancelled();
    expect(response.status, response.text).toBe(202);
    expect(response.body.documentId).toBe(request.documentId);
    expect(response.body.transactionId).toMatch(UUID);
    expect(response.body.transactionId).not.toBe(attempt);
  });

  it('charges one credit for a cancellation', async () => {
    const { before, response } = await cancelled();
    expect(readNumber(response.headers, 'x-credits-charged')).toBe(1);
    expect(readNumber(response.headers, 'x-credits-remaining')).toBe(before - 1);
  });

  it('rejects a second cancellation of the document', async () => {
    const { again, request } = await cancelled();
    expect(again.status).toBe(409);
    expect(['cancellation_in_progress', 'document_not_valid']).toContain(again.body.code);
    expectRefused(await cancel(request), 409, 'document_not_valid');
  });

  it('keeps the batch non-terminal until the cancellation has finished', async () => {
    const { early, document, response } = await cancelled();
    const queued = early.documents.find(({ documentId }) => documentId === document?.documentId);
    const isDone = queued?.cancellation?.status === 'Completed';
    expect(early.terminal).toBe(isDone);
    expect(queued?.cancellation).toMatchObject({ transactionId: response.body.transactionId, reason: REASON });
  });

  it('changes only the cancelled document', async () => {
    const { status, document } = await cancelled();
    expect(document).toMatchObject({ authorityStatus: 'Cancelled', cancellation: { status: 'Completed', errors: [] } });
    expect(document?.cancelledAt).toBeTruthy();
    expect(status.documents.find(({ referenceId }) => referenceId.includes('plain'))).toMatchObject({
      authorityStatus: 'Valid',
      cancellation: null,
    });
  });

  it('replays the response to the same key and body free of charge', async () => {
    const { request, idempotencyKey, response } = await cancelled();
    const replay = await freeOfCharge(() => cancel(request, { key: idempotencyKey }));
    expect(replay).toMatchObject({ status: 202, text: response.text });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.headers.get('x-credits-charged')).toBe('0');
  });

  it('rejects the same key with a different body', async () => {
    const { request, idempotencyKey } = await cancelled();
    const response = await cancel({ ...request, cancellationReason: 'Another' }, { key: idempotencyKey });
    expectRefused(response, 409, 'idempotency_key_reused');
  });

  it('allows the document to be resubmitted in a new transaction', async () => {
    const { document, request } = await cancelled();
    const response = await submit([consolidatedInvoice(String(document?.referenceId))], { type: 'consolidated' });
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('x-credits-charged')).toBe('1');
    expect(response.body.documents[0].documentId).toBe(request.documentId);
    const { documents } = await readStatus(response.body.submissionBatchId);
    expect(documents[0].transactionId).not.toBe(document?.transactionId);
  });

  it('accepts document_id and cancellation_reason', async () => {
    const { submissionBatchId, documents } = await validBatch();
    const { documentId } = documents.cancelledByAlias;
    const { status, text, body } = await cancel({
      document_id: documentId,
      cancellation_reason: REASON,
      colour: 'red',
    });
    expect(status, text).toBe(202);
    expect(body.warnings).toMatchObject([{ rule: 'member_unknown', pointer: '/colour' }]);
    const found = (await follow(submissionBatchId)).documents.find((one) => one.documentId === documentId);
    expect(found).toMatchObject({ authorityStatus: 'Cancelled', cancellation: { reason: REASON } });
  });
});

describe.skipIf(hasNoSimulator)(`${POST} (simulator only)`, () => {
  it.each(['invalid', 'rejected'] as const)('rejects a document that is %s', async (name) => {
    const { documents } = await reservedBatch();
    expectRefused(await cancel({ documentId: documents[name].documentId }), 409, 'document_not_valid');
  });

  const refusedByAuthority = once(async () => {
    const { submissionBatchId, documents } = await reservedBatch();
    const { documentId } = documents.lateToCancel;
    const response = await cancel({ documentId });
    const status = await follow(submissionBatchId);
    const document = status.documents.find((one) => one.documentId === documentId);
    return { documentId, response, document, balance: await readBalance() };
  });

  it('ends as Failed if the authority rejects the cancellation', async () => {
    const { response, document } = await refusedByAuthority();
    expect(response.status).toBe(202);
    expect(document).toMatchObject({ authorityStatus: 'Valid', cancellation: { status: 'Failed' } });
    expect(document?.cancellation?.errors[0].code).toBe('cancellation_window_closed');
  });

  it('does not refund a cancellation that the authority rejects', async () => {
    const { response, balance } = await refusedByAuthority();
    expect(balance).toBe(readNumber(response.headers, 'x-credits-remaining'));
  });

  it('rejects a second cancellation if the first was too late', async () => {
    const { documentId, document } = await refusedByAuthority();
    expect(document?.cancellableUntil).toBeNull();
    expectRefused(await cancel({ documentId }), 409, 'cancellation_window_closed');
  });
});
