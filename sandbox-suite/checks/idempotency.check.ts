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

/** An accepted request that the checks repeat. */
const first = once(async () => {
  const idempotencyKey = key();
  const documents = [consolidatedInvoice(number())];
  const response = await submit(documents, { ...CONSOLIDATED, key: idempotencyKey });
  expect(response.status, response.text).toBe(200);
  return { idempotencyKey, documents, response };
});

describe('the same key with the same body', () => {
  it('gets the same status and the same bytes again', async () => {
    const { idempotencyKey, documents, response } = await first();
    const replay = await submit(documents, { ...CONSOLIDATED, key: idempotencyKey });
    expect(replay.status).toBe(200);
    expect(replay.text).toBe(response.text);
  });

  it('is marked as a replay, which the first response is not', async () => {
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

  it('is recognised whatever the order of members, the white space and the form of numbers', async () => {
    const { idempotencyKey, documents, response } = await first();
    const [document] = documents;
    const reversed = Object.fromEntries(Object.entries(document).reverse());
    const text = JSON.stringify({ documents: [reversed], submission_type: 'consolidated' }, null, 3);
    const replay = await post(SUBMIT, text.replace('"unitPrice": 100', '"unitPrice": 100.0'), { key: idempotencyKey });
    expect(replay.text).toBe(response.text);
  });

  it('sent five times at the same time is done and charged once', async () => {
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

describe('an idempotency-key', () => {
  it('with another body is refused, free of charge', async () => {
    const { idempotencyKey } = await first();
    const other = [consolidatedInvoice(number())];
    const response = await freeOfCharge(() => submit(other, { ...CONSOLIDATED, key: idempotencyKey }));
    expectRefused(response, 409, 'idempotency_key_reused');
  });

  it('with a body that breaks rules is refused as used, if it has a response', async () => {
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
  ])('of 256 characters is refused by %s', async (_, call) => {
    const response = await call({ key: key().padEnd(KEY_CHARACTERS_MAX + 1, 'x') });
    expectRefused(response, 400, 'idempotency_key_invalid');
  });

  it('with a character that is not visible ASCII is refused', async () => {
    const options = { ...CONSOLIDATED, key: 'januari\u00e9' };
    expectRefused(await submit([consolidatedInvoice(number())], options), 400, 'idempotency_key_invalid');
  });

  it('of 255 characters is taken', async () => {
    await accept([consolidatedInvoice(number())], { ...CONSOLIDATED, key: key().padEnd(KEY_CHARACTERS_MAX, 'x') });
  });

  it('stays free after a refusal', async () => {
    const idempotencyKey = key();
    expect((await submit([], { key: idempotencyKey })).status).toBe(400);
    await accept([consolidatedInvoice(number())], { ...CONSOLIDATED, key: idempotencyKey });
  });

  it('stays free after a dry run', async () => {
    const { documents } = await first();
    const idempotencyKey = key();
    const other = [consolidatedInvoice(number())];
    expect((await dryRun(other, { ...CONSOLIDATED, key: idempotencyKey })).status).toBe(200);
    expectRefused(await submit(documents, { ...CONSOLIDATED, key: idempotencyKey }), 409, 'duplicate_document');
  });

  it('of a submit can be used by a cancel', async () => {
    const { idempotencyKey } = await first();
    expectRefused(await cancel({ documentId: UNKNOWN_ID }, { key: idempotencyKey }), 404, 'document_not_found');
  });
});
