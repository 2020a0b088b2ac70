import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accept, cancel, createKey, createTenant, issue, refused, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// docs/rules.md#cancellation

const WINDOW_SECONDS = 72 * 3_600;

const service = await startFileService({ environments: ['sandbox', 'production'] });
const tenant = await createTenant(service);

async function validDocument(
  owner = tenant,
): Promise<{ documentId: string; referenceId: string; authorityUuid: string }> {
  const [{ documentId, referenceId, authorityUuid }] = (await issue(service, owner, invoice())).documents;
  return { documentId, referenceId, authorityUuid: authorityUuid ?? '' };
}

async function setTin(owner: TestTenant, tin: string | null): Promise<void> {
  await service.owner.query('UPDATE tenant SET tin = $2 WHERE tenant_id = $1', [owner.tenantId, tin]);
}

describe('a cancel request', () => {
  const id = randomUUID();
  const bodies: [title: string, body: unknown, pointer: string][] = [
    ['without documentId', {}, '/documentId'],
    ['with a documentId of null', { documentId: null }, '/documentId'],
    ['with an empty documentId', { documentId: '' }, '/documentId'],
    ['with a malformed documentId', { documentId: 'INV-1' }, '/documentId'],
    ['with a documentId that is a number', { documentId: 5 }, '/documentId'],
    ['with characters after the documentId', { documentId: `${id}0` }, '/documentId'],
    ['with two different documentIds', { documentId: id, document_id: randomUUID() }, '/document_id'],
    ['with a reason of 301 characters', { documentId: id, cancellationReason: 'x'.repeat(301) }, '/cancellationReason'],
    ['with a reason that is not a string', { documentId: id, cancellation_reason: {} }, '/cancellation_reason'],
    ['with a reason with a NUL character', { documentId: id, cancellationReason: 'a\0b' }, '/cancellationReason'],
  ];

  it.each(bodies)('is rejected with 400 %s', async (_, body, pointer) => {
    const response = await refused(service, tenant, () => cancel(service, tenant, body));
    expect(response.status, response.text).toBe(400);
    expect(response.body).toMatchObject({ code: 'validation_failed', message: response.body.errors[0] });
    expect(response.body.details[0].pointer).toBe(pointer);
  });

  it('is rejected with 400 without an idempotency-key', async () => {
    const { documentId } = await validDocument();
    const response = await refused(service, tenant, () => cancel(service, tenant, { documentId }, { key: '' }));
    expect(response.status).toBe(400);
    expect(response.body.code).toBe('idempotency_key_invalid');
  });

  it('is rejected with 400 for a tenant without a TIN', async () => {
    const owner = await createTenant(service);
    const { documentId } = await validDocument(owner);
    await setTin(owner, null);
    const response = await refused(service, owner, () => cancel(service, owner, { documentId }));
    expect(response.status).toBe(400);
    expect(response.body.code).toBe('supplier_profile_incomplete');
    expect(response.body.message).toContain('TIN');
  });
});

describe('a cancel request for an unavailable document', () => {
  it('is rejected with the same 404 whether or not another tenant has it', async () => {
    const { documentId } = await validDocument();
    const stranger = await createTenant(service);
    const production = { ...tenant, apiKey: await createKey(service, tenant.tenantId, 'production') };
    const responses = [
      await refused(service, stranger, () => cancel(service, stranger, { documentId })),
      await refused(service, production, () => cancel(service, production, { documentId })),
      await refused(service, tenant, () => cancel(service, tenant, { documentId: randomUUID() })),
    ];
    for (const response of responses) {
      expect(response.status).toBe(404);
      expect({ ...response.body, requestId: '' }).toEqual({ ...responses[0].body, requestId: '' });
    }
  });
});

describe('a cancel request for a document that is not valid', () => {
  const stages: [prefix: string, submissionStatus: string, authorityStatus: string | null][] = [
    ['SIM-DROP', 'Processing', null],
    ['SIM-SLOW-60', 'Submitted', 'Submitted'],
    ['SIM-INVALID-CV302', 'Submitted', 'Invalid'],
    ['SIM-REJECT-CF349', 'SubmitFailed', null],
  ];

  it.each(stages)('is rejected with 409: %s, %s, %s', async (prefix, submissionStatus, authorityStatus) => {
    const batch = await accept(service, tenant, [invoice({ referenceId: reference(prefix) })]);
    const [{ documentId }] = batch.documents;
    await service.tick('submit');
    if (authorityStatus === 'Invalid') await service.settle();
    await expectNotValid(documentId, { submissionStatus, authorityStatus });
    await service.settle();
  });

  it('is rejected with 409: Queued', async () => {
    const [{ documentId }] = (await accept(service, tenant, [invoice()])).documents;
    await expectNotValid(documentId, { submissionStatus: 'Queued', authorityStatus: null });
    await service.settle();
  });

  it('is rejected with 409: Cancelled', async () => {
    const { documentId } = await validDocument();
    await cancel(service, tenant, { documentId });
    await service.settle();
    await expectNotValid(documentId, { submissionStatus: 'Submitted', authorityStatus: 'Cancelled' });
  });

  it('is rejected with 409: Queued after a resubmission', async () => {
    const document = invoice();
    const [{ documentId }] = (await issue(service, tenant, document)).documents;
    await cancel(service, tenant, { documentId });
    await service.settle();
    await accept(service, tenant, [document]);
    await expectNotValid(documentId, { submissionStatus: 'Queued', authorityStatus: null });
    await service.settle();
  });

  async function expectNotValid(documentId: string, statuses: object): Promise<void> {
    const response = await refused(service, tenant, () => cancel(service, tenant, { documentId }));
    expect(response.status).toBe(409);
    expect(response.body).toEqual({
      message: expect.any(String),
      code: 'document_not_valid',
      requestId: expect.any(String),
      helpUrl: '/docs/errors/document_not_valid',
      ...statuses,
    });
  }
});

describe('a cancel request for a valid document', () => {
  it('is rejected with cancellation_in_progress during another cancellation', async () => {
    const { documentId } = await validDocument();
    const first = await cancel(service, tenant, { documentId });
    const response = await refused(service, tenant, () => cancel(service, tenant, { documentId }));
    expect(response.status).toBe(409);
    expect(response.body).toMatchObject({
      code: 'cancellation_in_progress',
      transactionId: first.body.transactionId,
    });
    await service.settle();
  });

  it('is rejected with cancellation_window_closed after 72 hours', async () => {
    const owner = await createTenant(service);
    const [document] = (await issue(service, owner, invoice())).documents;
    const [late] = (await issue(service, owner, invoice())).documents;
    await service.advance(WINDOW_SECONDS - 120);
    expect((await cancel(service, owner, { documentId: late.documentId })).status).toBe(202);
    await service.settle();
    await service.advance(120);
    const response = await refused(service, owner, () => cancel(service, owner, { documentId: document.documentId }));
    expect(response.status).toBe(409);
    expect(response.body).toMatchObject({
      code: 'cancellation_window_closed',
      cancellableUntil: document.cancellableUntil,
      message: expect.stringMatching(/credit note/i),
    });
  });

  it('is rejected with cancellation_window_closed after the authority refuses a late cancellation', async () => {
    const [document] = (await issue(service, tenant, invoice({ referenceId: reference('SIM-NOCANCEL') }))).documents;
    const { documentId } = document;
    await cancel(service, tenant, { documentId });
    await service.settle();
    await service.advance(60);
    const response = await refused(service, tenant, () => cancel(service, tenant, { documentId }));
    expect([response.status, response.body.code]).toEqual([409, 'cancellation_window_closed']);
    expect(response.body.message).toMatch(/credit note/i);
    const until = Date.parse(response.body.cancellableUntil);
    expect(until, 'when the authority refused').toBeLessThan(Date.parse(document.cancellableUntil ?? ''));
    expect(until).toBeGreaterThan(Date.parse(document.validatedAt ?? ''));
  });

  it.each(['by reference', 'by authorityUuid'])(
    'is rejected with active_referencing_documents while a credit note references it %s',
    async (way) => {
      const { documentId, referenceId, authorityUuid } = await validDocument();
      const parent = way === 'by reference' ? { referenceId } : { referenceId, authorityUuid };
      const note = creditNote(parent);
      const [sent] = (await accept(service, tenant, [note])).documents;
      const attempt = (): ReturnType<typeof cancel> => cancel(service, tenant, { documentId });
      for (const settle of [false, true]) {
        if (settle) await service.settle();
        const response = await refused(service, tenant, attempt);
        expect(response.status).toBe(409);
        expect(response.body.code).toBe('active_referencing_documents');
        expect(response.body.referencingDocuments).toEqual([note.referenceId]);
      }
      expect((await cancel(service, tenant, { documentId: sent.documentId })).status).toBe(202);
      await service.settle();
      expect((await attempt()).status).toBe(202);
      await service.settle();
    },
  );

  it('is rejected with active_referencing_documents if a credit note spells its uuid in lower case', async () => {
    const { documentId, referenceId, authorityUuid } = await validDocument();
    const note = creditNote({ referenceId, authorityUuid: authorityUuid.toLowerCase() });
    await accept(service, tenant, [note]);
    const response = await refused(service, tenant, () => cancel(service, tenant, { documentId }));
    expect(response.body).toMatchObject({
      code: 'active_referencing_documents',
      referencingDocuments: [note.referenceId],
    });
    await service.settle();
  });

  it('is rejected with active_referencing_documents if a stored credit note has a lower-case uuid', async () => {
    const { documentId, referenceId, authorityUuid } = await validDocument();
    const note = creditNote({ referenceId, authorityUuid });
    const [{ documentId: noteId }] = (await accept(service, tenant, [note])).documents;
    await service.owner.query(
      'UPDATE document_transaction SET parent_authority_uuid = lower(parent_authority_uuid) WHERE document_id = $1',
      [noteId],
    );
    const response = await refused(service, tenant, () => cancel(service, tenant, { documentId }));
    expect(response.body.code).toBe('active_referencing_documents');
    await service.settle();
  });

  it('is accepted if a held credit note references an invoice with the same number', async () => {
    const shared = reference();
    const { referenceId } = await validDocument();
    const [toCancel] = (await issue(service, tenant, creditNote({ referenceId }, { referenceId: shared }))).documents;
    await accept(service, tenant, [invoice({ referenceId: shared }), creditNote({ referenceId: shared })]);
    const response = await cancel(service, tenant, { documentId: toCancel.documentId });
    expect(response.status, response.text).toBe(202);
    await service.settle();
  });

  it.each(['SIM-INVALID-CV302', 'SIM-REJECT-CF349'])(
    'is accepted after the failure of its credit note: %s',
    async (prefix) => {
      const { documentId, referenceId } = await validDocument();
      await issue(service, tenant, creditNote({ referenceId }, { referenceId: reference(prefix) }));
      expect((await cancel(service, tenant, { documentId })).status).toBe(202);
      await service.settle();
    },
  );
});

describe('a cancel request without credits', () => {
  it('is rejected with 402', async () => {
    const owner = await createTenant(service, { credits: 1 });
    const { documentId } = await validDocument(owner);
    const response = await refused(service, owner, () => cancel(service, owner, { documentId }));
    expect(response.status).toBe(402);
    expect(response.body).toMatchObject({
      code: 'insufficient_credits',
      requiredCredits: 1,
      remainingCredits: 0,
      shortBy: 1,
      documentCount: 1,
    });
    expect(response.headers.get('x-credits-remaining')).toBe('0');
  });
});

describe('a cancel request with two problems', () => {
  it('reports an invalid body before a missing TIN', async () => {
    const owner = await createTenant(service, { profile: { tin: null } });
    const response = await refused(service, owner, () => cancel(service, owner, { documentId: 'x' }));
    expect(response.body.code).toBe('validation_failed');
  });

  it('reports a missing TIN before an unknown document', async () => {
    const owner = await createTenant(service, { profile: { tin: null } });
    const response = await refused(service, owner, () => cancel(service, owner, { documentId: randomUUID() }));
    expect(response.body.code).toBe('supplier_profile_incomplete');
  });

  it('reports an unknown document before missing credits', async () => {
    const owner = await createTenant(service, { credits: 0 });
    const response = await refused(service, owner, () => cancel(service, owner, { documentId: randomUUID() }));
    expect(response.status).toBe(404);
  });

  it('reports an invalid document before a cancellation in progress', async () => {
    const { documentId, authorityUuid } = await validDocument();
    await cancel(service, tenant, { documentId });
    await service.control('portal', { uuid: authorityUuid, action: 'cancel' });
    await service.advance(3_600);
    while ((await service.tick('poll')) > 0);
    expect(await codeFor(tenant, documentId)).toBe('document_not_valid');
    await service.settle();
  });

  it('reports a cancellation in progress before a closed window', async () => {
    const { documentId } = await validDocument();
    await service.advance(WINDOW_SECONDS - 60);
    await cancel(service, tenant, { documentId });
    await service.advance(120);
    expect(await codeFor(tenant, documentId)).toBe('cancellation_in_progress');
    await service.settle();
  });

  it('reports a closed window before an open credit note', async () => {
    const { documentId, referenceId } = await validDocument();
    await issue(service, tenant, creditNote({ referenceId }));
    await service.advance(WINDOW_SECONDS);
    expect(await codeFor(tenant, documentId)).toBe('cancellation_window_closed');
  });

  it('reports an open credit note before missing credits', async () => {
    const owner = await createTenant(service, { credits: 2 });
    const { documentId, referenceId } = await validDocument(owner);
    await accept(service, owner, [creditNote({ referenceId })]);
    expect(await codeFor(owner, documentId)).toBe('active_referencing_documents');
    await service.settle();
  });

  async function codeFor(owner: TestTenant, documentId: string): Promise<string> {
    return (await refused(service, owner, () => cancel(service, owner, { documentId }))).body.code;
  }
});
