import { describe, expect, it } from 'vitest';
import { consolidatedInvoice, consolidatedNote } from '../documents.js';
import { validBatch } from '../fixtures.js';
import {
  accept,
  cancel,
  client,
  dryRun,
  expectBroken,
  expectRefused,
  hasNoSecondKey,
  key,
  number,
  once,
  readBalance,
  readStatus,
  settings,
  statusPath,
  submit,
  UNKNOWN_ID,
} from '../suite.js';

const CONSOLIDATED = { type: 'consolidated' } as const;
const DOCUMENTS_MAX = 100;
const second = { apiKey: settings.secondKey };

/** A submit of the second organisation with a document number and an idempotency key of the first. */
const twin = once(async () => {
  const { referenceId } = (await validBatch()).documents.plain;
  const idempotencyKey = key();
  const first = await accept([consolidatedInvoice(number())], { ...CONSOLIDATED, key: idempotencyKey });
  const balance = await readBalance();
  const response = await submit([consolidatedInvoice(referenceId)], {
    ...CONSOLIDATED,
    ...second,
    key: idempotencyKey,
  });
  return { first, response, balance };
});

describe.skipIf(hasNoSecondKey)('another organisation with a second key', () => {
  it('gets the same 404 for a foreign batch as for an unknown one', async () => {
    const { submissionBatchId } = await validBatch();
    const foreign = await client.call({ path: statusPath(submissionBatchId), ...second });
    const unknown = await client.call({ path: statusPath(UNKNOWN_ID), ...second });
    expectRefused(foreign, 404, 'submission_batch_not_found');
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
  });

  it('gets the same 404 for a foreign document as for an unknown one', async () => {
    const { documentId } = (await validBatch()).documents.plain;
    const foreign = await cancel({ documentId }, second);
    const unknown = await cancel({ documentId: UNKNOWN_ID }, second);
    expectRefused(foreign, 404, 'document_not_found');
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
    const { documents } = await readStatus((await validBatch()).submissionBatchId);
    expect(documents[0]).toMatchObject({ documentId, authorityStatus: 'Valid', cancellation: null });
  });

  it('can use the same document number and idempotency-key', async () => {
    const { first, response } = await twin();
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('idempotent-replayed')).toBeNull();
    expect(response.body.submissionBatchId).not.toBe(first.submissionBatchId);
  });

  it('pays with its own credits', async () => {
    const { response, balance } = await twin();
    expect(response.headers.get('x-credits-charged')).toBe('1');
    expect(await readBalance()).toBe(balance);
  });

  it('cannot reference a foreign invoice in a credit note', async () => {
    const { referenceId } = (await validBatch()).documents.noted;
    const response = await dryRun([consolidatedNote(number('CN'), { referenceId })], { ...CONSOLIDATED, ...second });
    expectBroken(response, '/documents/0/relatedInvoice/referenceId', 'related_invoice_unknown');
  });
});

describe.skipIf(hasNoSecondKey)('submit with a second key and too few credits', () => {
  it('returns 402 with the required and remaining credits', async ({ skip }) => {
    const before = await readBalance(settings.secondKey ?? undefined);
    skip(before >= DOCUMENTS_MAX, 'needs a second organisation with fewer than 100 credits');
    const documents = Array.from({ length: DOCUMENTS_MAX }, () => consolidatedInvoice(number()));
    const response = await submit(documents, { ...CONSOLIDATED, ...second });
    expect(expectRefused(response, 402, 'insufficient_credits')).toMatchObject({
      requiredCredits: DOCUMENTS_MAX,
      remainingCredits: before,
      shortBy: DOCUMENTS_MAX - before,
      documentCount: DOCUMENTS_MAX,
    });
    expect(response.headers.get('x-credits-remaining')).toBe(String(before));
    expect(await readBalance(settings.secondKey ?? undefined)).toBe(before);
    expect((await dryRun(documents.slice(0, 1), { ...CONSOLIDATED, ...second })).status).toBe(200);
  });
});
