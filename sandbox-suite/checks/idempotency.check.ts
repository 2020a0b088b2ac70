import { describe, expect, it } from 'vitest';
import { consolidatedInvoice } from '../documents.js';
import {
  accept,
  cancel,
  dryRun,
  expectRefused,
  freeOfCharge,
  key,
  number,
  once,
  post,
  readBalance,
  submit,
  SUBMIT,
  UNKNOWN_ID,
} from '../suite.js';

const CONSOLIDATED = { type: 'consolidated' } as const;
const KEY_CHARACTERS_MAX = 255;

/** An accepted request that the checks replay. */
const first = once(async () => {
  const idempotencyKey = key();
  const documents = [consolidatedInvoice(number())];
  const response = await submit(documents, { ...CONSOLIDATED, key: idempotencyKey });
  expect(response.status, response.text).toBe(200);
  return { idempotencyKey, documents, response };
});

describe('a replayed request', () => {
  it('returns the same status and bytes', async () => {
    const { idempotencyKey, documents, response } = await first();
    const replay = await submit(documents, { ...CONSOLIDATED, key: idempotencyKey });
    expect(replay.status).toBe(200);
    expect(replay.text).toBe(response.text);
  });

  it('is marked as a replay', async () => {
    const { idempotencyKey, documents, response } = await first();
    const replay = await submit(documents, { ...CONSOLIDATED, key: idempotencyKey });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(response.headers.get('idempotent-replayed')).toBeNull();
  });

  it('charges nothing', async () => {
    const { idempotencyKey, documents } = await first();
    const replay = await freeOfCharge(() => submit(documents, { ...CONSOLIDATED, key: idempotencyKey }));
    expect(replay.headers.get('x-credits-charged')).toBe('0');
  });

  it('is recognised regardless of member order, whitespace and number notation', async () => {
    const { idempotencyKey, documents, response } = await first();
    const [document] = documents;
    const reversed = Object.fromEntries(Object.entries(document).reverse());
    const text = JSON.stringify({ documents: [reversed], submission_type: 'consolidated' }, null, 3);
    const replay = await post(SUBMIT, text.replace('"unitPrice": 100', '"unitPrice": 100.0'), { key: idempotencyKey });
    expect(replay.text).toBe(response.text);
  });

  it('is processed and charged once when sent five times concurrently', async () => {
    const idempotencyKey = key();
    const before = await readBalance();
    const documents = [consolidatedInvoice(number())];
    const requests = Array.from({ length: 5 }, () => submit(documents, { ...CONSOLIDATED, key: idempotencyKey }));
    const responses = await Promise.all(requests);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectRefused(response, 409, 'idempotency_key_in_progress');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const batches = responses.filter(({ status }) => status === 200).map(({ body }) => body.submissionBatchId);
    expect(new Set(batches).size).toBe(1);
    expect(await readBalance()).toBe(before - 1);
  });
});

describe('idempotency-key', () => {
  it('is rejected with a different body', async () => {
    const { idempotencyKey } = await first();
    const other = [consolidatedInvoice(number())];
    const response = await freeOfCharge(() => submit(other, { ...CONSOLIDATED, key: idempotencyKey }));
    expectRefused(response, 409, 'idempotency_key_reused');
  });

  it('is rejected as reused even with an invalid body', async () => {
    const { idempotencyKey } = await first();
    expectRefused(await submit([], { key: idempotencyKey }), 409, 'idempotency_key_reused');
  });

  it.each([
    ['submit', (options: object) => submit([consolidatedInvoice(number())], { ...CONSOLIDATED, ...options })],
    ['cancel', (options: object) => cancel({ documentId: UNKNOWN_ID }, options)],
  ])('is required by %s', async (_, call) => {
    const { message } = expectRefused(await call({ key: null }), 400, 'idempotency_key_invalid');
    expect(message).toContain('idempotency-key');
    expect(message).toContain(String(KEY_CHARACTERS_MAX));
  });

  it.each([
    ['submit', (options: object) => submit([consolidatedInvoice(number())], { ...CONSOLIDATED, ...options })],
    ['cancel', (options: object) => cancel({ documentId: UNKNOWN_ID }, options)],
  ])('must not be longer than 255 characters: %s', async (_, call) => {
    const response = await call({ key: key().padEnd(KEY_CHARACTERS_MAX + 1, 'x') });
    expectRefused(response, 400, 'idempotency_key_invalid');
  });

  it('must contain only visible ASCII characters', async () => {
    const options = { ...CONSOLIDATED, key: 'januari\u00e9' };
    expectRefused(await submit([consolidatedInvoice(number())], options), 400, 'idempotency_key_invalid');
  });

  it('may have 255 characters', async () => {
    await accept([consolidatedInvoice(number())], { ...CONSOLIDATED, key: key().padEnd(KEY_CHARACTERS_MAX, 'x') });
  });

  it('can be reused after an error response', async () => {
    const idempotencyKey = key();
    expect((await submit([], { key: idempotencyKey })).status).toBe(400);
    await accept([consolidatedInvoice(number())], { ...CONSOLIDATED, key: idempotencyKey });
  });

  it('is not consumed by a dry run', async () => {
    const { documents } = await first();
    const idempotencyKey = key();
    const other = [consolidatedInvoice(number())];
    expect((await dryRun(other, { ...CONSOLIDATED, key: idempotencyKey })).status).toBe(200);
    expectRefused(await submit(documents, { ...CONSOLIDATED, key: idempotencyKey }), 409, 'duplicate_document');
  });

  it('can be used for both a submit and a cancel', async () => {
    const { idempotencyKey } = await first();
    expectRefused(await cancel({ documentId: UNKNOWN_ID }, { key: idempotencyKey }), 404, 'document_not_found');
  });
});
