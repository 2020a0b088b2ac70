import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accept, createTenant, post, refused, submit } from '../support/client.js';
import { creditNote, invoice, line, recipient } from '../support/documents.js';
import { rawRequest } from '../support/raw-http.js';
import { startFileService } from '../support/file-service.js';

// Every row in the error table of submit, and the common fields of docs/rules.md#error-responses.

const SUBMIT = '/api/v1/einvoice/submit';

const service = await startFileService();
const tenant = await createTenant(service);

describe('400 for an invalid body', () => {
  it('returns the first error as message and all errors as details', async () => {
    const documents = [
      invoice({ recipient: { ...recipient, postcode: '4000' }, lineItems: [{ ...line, quantity: 0 }] }),
      invoice(),
      invoice({ referenceId: 'R-3', document_date: '2026-02-30' }),
    ];
    const response = await refused(service, tenant, () => submit(service, tenant, documents));
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ message: response.body.errors[0], code: 'validation_failed' });
    expect(Object.keys(response.body).sort()).toEqual(['code', 'details', 'errors', 'helpUrl', 'message', 'requestId']);
    // The order of errors within one document is not guaranteed.
    expect(response.body.errors.toSorted()).toEqual([
      expect.stringMatching(/^documents\[0\]\.lineItems\[0\]\.quantity /),
      'documents[0].recipient.postcode must be 5 digits',
      expect.stringMatching(/^documents\[2\]\.document_date /),
    ]);
    const details = response.body.details as Record<string, unknown>[];
    for (const detail of details) {
      expect(Object.keys(detail).sort()).toEqual([
        'documentIndex',
        'hint',
        'message',
        'pointer',
        'referenceId',
        'rule',
      ]);
      expect(detail.rule).toMatch(/^[a-z0-9_]+$/);
    }
    expect(details.find(({ documentIndex }) => documentIndex === 2)).toMatchObject({
      pointer: '/documents/2/document_date',
      referenceId: 'R-3',
    });
  });
});

describe('400 for an invalid idempotency-key', () => {
  const refusals: [title: string, headers: [string, string][]][] = [
    ['missing', []],
    ['empty', [['idempotency-key', '']]],
    ['of 256 characters', [['idempotency-key', 'k'.repeat(256)]]],
    [
      'sent twice',
      [
        ['idempotency-key', 'one'],
        ['Idempotency-Key', 'two'],
      ],
    ],
    [
      'sent twice with the same value',
      [
        ['idempotency-key', 'one'],
        ['idempotency-key', 'one'],
      ],
    ],
    ['with a space in it', [['idempotency-key', 'one two']]],
    ['with a tab in it', [['idempotency-key', 'one\ttwo']]],
    ['not ASCII', [['idempotency-key', 'schlüssel']]],
  ];

  it.each(refusals)('names the header and its limit of 255 characters: %s', async (_, headers) => {
    const response = await refused(service, tenant, () =>
      rawRequest(service, {
        path: SUBMIT,
        headers: [['X-API-Key', tenant.apiKey], ['Content-Type', 'application/json'], ...headers],
        body: JSON.stringify({ submission_type: 'non-consolidated', documents: [invoice()] }),
      }),
    );
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      code: 'idempotency_key_invalid',
      message: expect.stringMatching(/required.*255/),
    });
    expect(response.body.message).toContain('idempotency-key');
  });

  it.each([
    ['1 character', 'k'],
    ['255 characters', 'k'.repeat(255)],
    [
      'every visible ASCII character',
      Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join(''),
    ],
  ])('is not returned for a key of %s', async (_, key) => {
    expect((await submit(service, tenant, [invoice()], { key })).status).toBe(200);
  });
});

describe('402 for insufficient credits', () => {
  it('returns required, remaining and missing credits', async () => {
    const poor = await createTenant(service, { credits: 2 });
    const response = await refused(service, poor, () => submit(service, poor, [invoice(), invoice(), invoice()]));
    expect(response.status).toBe(402);
    expect(response.body).toEqual({
      message: expect.any(String),
      code: 'insufficient_credits',
      requestId: expect.any(String),
      helpUrl: '/docs/errors/insufficient_credits',
      requiredCredits: 3,
      remainingCredits: 2,
      shortBy: 1,
      documentCount: 3,
    });
    expect(response.headers.get('x-credits-remaining')).toBe('2');
    expect(response.headers.get('x-credits-charged')).toBeNull();
  });
});

describe('409', () => {
  it('returns Retry-After: 1 while the first call with the key is running', async () => {
    const key = randomUUID();
    const documents = [invoice()];
    const holder = service.owner.createQueryRunner();
    await holder.startTransaction();
    // The first call waits here in its database transaction.
    await holder.query('SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE', [tenant.tenantId]);
    const first = submit(service, tenant, documents, { key });
    await service.blockedBy(holder);
    const second = await submit(service, tenant, documents, { key });
    expect(second.status).toBe(409);
    expect(second.body.code).toBe('idempotency_key_in_progress');
    expect(second.headers.get('retry-after')).toBe('1');
    await holder.rollbackTransaction();
    await holder.release();
    expect((await first).status).toBe(200);
    const third = await submit(service, tenant, documents, { key });
    expect(third.text).toBe((await first).text);
  });

  it('describes the existing document', async () => {
    const document = invoice();
    const batch = await accept(service, tenant, [document]);
    const response = await refused(service, tenant, () => submit(service, tenant, [document]));
    expect(response.status).toBe(409);
    const existing = {
      documentType: 'invoice',
      referenceId: document.referenceId,
      submissionStatus: 'Queued',
      authorityStatus: null,
      documentId: batch.documents[0].documentId,
      submissionBatchId: batch.submissionBatchId,
    };
    expect(response.body).toEqual({
      message: expect.any(String),
      code: 'duplicate_document',
      requestId: expect.any(String),
      helpUrl: '/docs/errors/duplicate_document',
      ...existing,
      details: [
        {
          ...existing,
          pointer: '/documents/0/referenceId',
          documentIndex: 0,
          rule: 'duplicate_document',
          message: 'is the number of an existing invoice, which is Queued',
          hint: expect.stringContaining(batch.submissionBatchId),
        },
      ],
    });
  });

  it.each(['', '?dryRun=true'])('lists every duplicate in the batch: submit%s', async (query) => {
    const [first, second] = [invoice(), invoice()];
    await accept(service, tenant, [first, second]);
    // The parent is looked up before the documents of the batch.
    const note = creditNote({ referenceId: String(second.referenceId) });
    const documents = [invoice(), second, note, first];
    const body = { submission_type: 'non-consolidated', documents };
    const response = await refused(service, tenant, () =>
      post(service, tenant, { path: `/v1/einvoice/submit${query}`, body }),
    );
    expect(response.status).toBe(409);
    expect(response.body.referenceId).toBe(second.referenceId);
    expect(response.body.details).toMatchObject([
      { documentIndex: 1, referenceId: second.referenceId },
      { documentIndex: 3, referenceId: first.referenceId },
    ]);
  });
});

describe('500', () => {
  it('reveals no details of an internal error', async () => {
    const key = randomUUID();
    const documents = [invoice()];
    await service.owner.query('ALTER TABLE document_transaction RENAME TO document_transaction_away');
    const response = await submit(service, tenant, documents, { key });
    await service.owner.query('ALTER TABLE document_transaction_away RENAME TO document_transaction');
    expect(response.status).toBe(500);
    expect(response.body).toEqual({
      message: 'Internal error',
      code: 'internal_error',
      requestId: response.headers.get('x-request-id'),
      helpUrl: '/docs/errors/internal_error',
    });
    expect((await submit(service, tenant, documents, { key })).status).toBe(200);
  });
});
