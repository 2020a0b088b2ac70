import { describe, expect, it } from 'vitest';
import {
  accept,
  type ApiResponse,
  cancel,
  createKey,
  createTenant,
  issue,
  post,
  refused,
  readStatus,
  submit,
} from '../support/client.js';
import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { creditNote, invoice, recipient, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService({
  environments: ['sandbox', 'production'],
  simulator: { unknownParents: 'accepted' },
});
const tenant = await createTenant(service);

/** Returns the uuid in the note's reference to its parent, as the authority received it. */
async function readParentUuid(referenceId: string): Promise<string> {
  const [{ document }] = await service.owner.query<{ document: string }[]>(
    `SELECT convert_from(a.bytes, 'UTF8') AS document FROM authority_document a
       JOIN document_transaction t ON t.tenant_id = a.tenant_id AND t.id = a.transaction_id
      WHERE t.reference_id = $1 AND t.document_type = 'credit_note' ORDER BY t.id DESC LIMIT 1`,
    [referenceId],
  );
  return /"UUID":\[\{"_":"([^"]+)"\}\]/.exec(document)?.[1] ?? '';
}

/** Returns the note's whole reference to its parent. */
async function readParent(referenceId: string): Promise<unknown> {
  const sent = (await service.wireLog()).find(({ number }) => number === referenceId);
  const [{ bytes }] = await service.owner.query<{ bytes: Buffer }[]>(
    `SELECT a.bytes FROM authority_document a JOIN document_transaction t ON t.id = a.transaction_id
      WHERE t.reference_id = $1 AND a.sha256 = $2`,
    [referenceId, sent?.sha256],
  );
  const { Invoice } = JSON.parse(bytes.toString('utf8'));
  return Invoice[0].BillingReference[0].InvoiceDocumentReference[0];
}

function noteFor(
  parent: { referenceId: string; authorityUuid?: string },
  overrides: object = {},
): Promise<ApiResponse> {
  return submit(service, tenant, [creditNote(parent, { ...overrides })]);
}

describe('accepted credit note', () => {
  it('can reference a Valid invoice by number alone', async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    const referenceId = reference('CN');
    const status = await issue(service, tenant, creditNote({ referenceId: invoiced.referenceId }, { referenceId }));
    expect(status.status).toBe('Valid');
    expect(await readParentUuid(referenceId)).toBe(invoiced.authorityUuid);
  });

  it.each([
    ['26 letters and digits', 'F9D425P6DS7D8IU0123456789A'],
    ['an RFC 4122 UUID', '0f8fad5b-d9cb-469f-a165-70867728950e'],
  ])('can reference an invoice issued elsewhere by authorityUuid (%s)', async (_, authorityUuid) => {
    const referenceId = reference('CN');
    const parent = { referenceId: reference('ELSEWHERE'), authorityUuid };
    await issue(service, tenant, creditNote(parent, { referenceId }));
    expect(await readParentUuid(referenceId)).toBe(authorityUuid);
  });

  it('references the newer attempt of an invoice that was cancelled and issued again', async () => {
    const original = invoice();
    const [first] = (await issue(service, tenant, original)).documents;
    await cancel(service, tenant, { documentId: first.documentId });
    await service.settle();
    const [second] = (await issue(service, tenant, original)).documents;
    const referenceId = reference('CN');
    await issue(service, tenant, creditNote({ referenceId: second.referenceId }, { referenceId }));
    expect(await readParentUuid(referenceId)).toBe(second.authorityUuid);
    expect(second.authorityUuid).not.toBe(first.authorityUuid);
  });

  it("accepts authorityUuid in any case and sends the authority's spelling", async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    const referenceId = reference('CN');
    const parent = { referenceId: invoiced.referenceId, authorityUuid: invoiced.authorityUuid?.toLowerCase() ?? '' };
    expect((await issue(service, tenant, creditNote(parent, { referenceId }))).status).toBe('Valid');
    expect(await readParentUuid(referenceId)).toBe(invoiced.authorityUuid);
  });

  it('accepts the lower-case authorityUuid of an invoice issued elsewhere and sends upper case', async () => {
    const referenceId = reference('CN');
    const parent = { referenceId: reference('ELSEWHERE'), authorityUuid: 'f9d425p6ds7d8iu0123456789b' };
    await issue(service, tenant, creditNote(parent, { referenceId }));
    expect(await readParentUuid(referenceId)).toBe('F9D425P6DS7D8IU0123456789B');
  });

  it('is held while the invoice with its uuid is in validation', async () => {
    const referenceId = reference('SIM-SLOW-60');
    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId })]);
    const uuid = async (): Promise<string | null> =>
      (await readStatus(service, tenant, submissionBatchId)).documents[0].authorityUuid;
    while ((await service.tick('submit')) > 0);
    await service.advance(5);
    while ((await service.tick('poll')) > 0);
    const parent = { referenceId, authorityUuid: (await uuid()) ?? '' };
    const note = await accept(service, tenant, [creditNote(parent)]);
    const readNoteStatus = (): ReturnType<typeof readStatus> => readStatus(service, tenant, note.submissionBatchId);
    expect((await readNoteStatus()).documents[0].heldFor).toEqual({ documentType: 'invoice', referenceId });
    await service.settle();
    expect((await readNoteStatus()).status).toBe('Valid');
  });

  it('can share a batch with an invoice that has the same number as its parent', async () => {
    const sent = invoice();
    const parent = { referenceId: String(sent.referenceId), authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    expect((await submit(service, tenant, [sent, creditNote(parent)])).status).toBe(200);
  });
});

describe('credit note for an invoice issued before e-invoicing', () => {
  it.each(['NA', ' na '])('becomes Valid with authorityUuid %j and is sent with UUID NA', async (uuid) => {
    await service.control('settings', { unknownParents: 'invalid' });
    const referenceId = reference('CN');
    const parent = { referenceId: reference('PAPER'), authorityUuid: uuid };
    const response = await noteFor(parent, { referenceId });
    expect(response.status, response.text).toBe(200);
    expect(response.body.warnings).toEqual([]);
    await service.settle();
    await service.control('settings', { unknownParents: 'accepted' });
    expect((await readStatus(service, tenant, response.body.submissionBatchId)).status).toBe('Valid');
    expect(await readParent(referenceId)).toEqual({ ID: [{ _: parent.referenceId }], UUID: [{ _: 'NA' }] });
  });

  it('can have any date and buyer', async () => {
    const buyer = { ...recipient, tin: 'C1111111110' };
    expect((await noteFor({ referenceId: 'PAPER-2', authorityUuid: 'NA' }, { recipient: buyer })).status).toBe(200);
  });

  it('is rejected if the request contains an invoice with the same number', async () => {
    const sent = invoice();
    const note = creditNote({ referenceId: String(sent.referenceId), authorityUuid: 'NA' });
    const response = await refused(service, tenant, () => submit(service, tenant, [sent, note]));
    expect([response.status, getRule(response)]).toEqual([400, 'related_invoice_not_before_e_invoicing']);
  });

  it.each([
    ['Valid', 'INV', 'leave authorityUuid out'],
    ['Invalid', 'SIM-INVALID-CV302', 'submit the invoice again with the right amounts; it then needs no credit note'],
  ])('is rejected if the service has an invoice with the same number that is %s', async (status, prefix, hint) => {
    const referenceId = reference(prefix);
    await issue(service, tenant, invoice({ referenceId }));
    const response = await refused(service, tenant, () => noteFor({ referenceId, authorityUuid: 'NA' }));
    expect(response.status).toBe(400);
    expect(response.body.details[0]).toMatchObject({
      pointer: '/documents/0/relatedInvoice/authorityUuid',
      rule: 'related_invoice_not_before_e_invoicing',
      message: `must not be NA for invoice ${referenceId} (${status}), which was submitted through this service`,
      hint,
    });
  });

  it('is accepted if the number is used only in another tenant, environment or document type', async () => {
    const referenceId = reference('SHARED');
    await issue(service, await createTenant(service), invoice({ referenceId }));
    const production = { ...tenant, apiKey: await createKey(service, tenant.tenantId, 'production') };
    await issue(service, production, invoice({ referenceId }));
    await issue(service, tenant, creditNote({ referenceId: 'PAPER-3', authorityUuid: 'NA' }, { referenceId }));
    expect((await noteFor({ referenceId, authorityUuid: 'NA' })).status).toBe(200);
  });
});

describe('warning about the parent of a credit note', () => {
  it.each([
    ['NA', 'case'],
    ['F9D425P6DS7D8IU0123456789A', 'width'],
  ])('is returned for authorityUuid %s if an invoice number differs only by %s', async (uuid, difference) => {
    const referenceId = reference('INV');
    await accept(service, tenant, [invoice({ referenceId })]);
    const similar = difference === 'case' ? referenceId.toLowerCase() : referenceId.replace('I', 'Ｉ');
    const response = await submit(service, tenant, [
      invoice(),
      creditNote({ referenceId: similar, authorityUuid: uuid }, { referenceId: reference('CN') }),
    ]);
    expect(response.status).toBe(200);
    expect(response.body.warnings).toMatchObject([
      {
        pointer: '/documents/1/relatedInvoice/referenceId',
        rule: 'related_invoice_alike',
        hint: `to refer to that invoice, use ${referenceId} and leave authorityUuid out`,
      },
    ]);
  });

  it("is returned if the credit note references the organisation's invoice with a wrong uuid", async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    const parent = { referenceId: invoiced.referenceId, authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    const response = await noteFor(parent);
    expect(response.status).toBe(200);
    expect(response.body.warnings).toMatchObject([
      { pointer: '/documents/0/relatedInvoice/authorityUuid', rule: 'related_invoice_other_uuid' },
    ]);
    const own = await noteFor({ ...parent, authorityUuid: invoiced.authorityUuid ?? '' });
    expect(own.body.warnings).toEqual([]);
  });
});

describe('credit note that exceeds the rest of its invoice', () => {
  const priced = (unitPrice: number): Record<string, unknown> => ({
    lineItems: [{ description: 'Chair', quantity: 1, unitPrice, discount: 0, taxAmount: 0 }],
  });
  const EXCEEDED = 'related_invoice_exceeded';

  async function warnings(document: object, { query = '', by = tenant } = {}): Promise<unknown[]> {
    const body = { submission_type: 'non-consolidated', documents: [document] };
    const response = await post(service, by, { path: `/v1/einvoice/submit${query}`, body });
    expect(response.status, response.text).toBe(200);
    return response.body.warnings as unknown[];
  }

  it('is accepted with a warning, which ignores failed credit notes', async () => {
    const [{ referenceId }] = (await issue(service, tenant, invoice(priced(100)))).documents;
    const note = (amount: number, more: object = {}): object =>
      creditNote({ referenceId }, { ...priced(amount), ...more });
    expect(await warnings(note(60))).toEqual([]);
    const failed = note(100, { referenceId: reference('SIM-INVALID-CF358') });
    const expected = {
      pointer: '/documents/0/relatedInvoice/referenceId',
      rule: EXCEEDED,
      message: `documents[0].relatedInvoice.referenceId names invoice ${referenceId}, which has RM 40.00 left to credit, less than the RM 100.00 of this credit note`,
      hint: expect.stringMatching(/^check whether the invoice has been credited already; credit at most RM \d+\.\d\d$/),
    };
    expect(await warnings(failed, { query: '?dryRun=true' })).toMatchObject([expected]);
    expect(await warnings(failed)).toMatchObject([expected]);
    await service.settle();
    expect(await warnings(note(40.01), { query: '?dryRun=true' })).toMatchObject([{ rule: EXCEEDED }]);
    expect(await warnings(note(40))).toEqual([]);
    await service.settle();
    expect(await warnings(note(0.01))).toMatchObject([
      { message: expect.stringContaining('which has RM 0.00 left to credit, less than the RM 0.01') },
    ]);
  });

  it('is detected even if its invoice has no outcome or is in the same request', async () => {
    const [{ referenceId, authorityUuid }] = (await issue(service, tenant, invoice(priced(10)))).documents;
    const byUuid = { referenceId, authorityUuid: authorityUuid?.toLowerCase() };
    expect(await warnings(creditNote(byUuid, priced(11)))).toMatchObject([{ rule: EXCEEDED }]);
    const later = reference('INV');
    await accept(service, tenant, [invoice({ ...priced(10), referenceId: later })]);
    expect(await warnings(creditNote({ referenceId: later }, priced(6)))).toEqual([]);
    expect(await warnings(creditNote({ referenceId: later }, priced(6)))).toMatchObject([{ rule: EXCEEDED }]);
    const together = reference('INV');
    const notes = [4, 4, 4].map((amount) => creditNote({ referenceId: together }, priced(amount)));
    const response = await submit(service, tenant, [invoice({ ...priced(10), referenceId: together }), ...notes]);
    expect(response.body.warnings).toMatchObject([
      { pointer: '/documents/3/relatedInvoice/referenceId', rule: EXCEEDED },
    ]);
  });

  it('causes no warning if its invoice has too many notes to add up', async () => {
    const rich = await createTenant(service, { credits: 2_000 });
    const [{ referenceId }] = (await issue(service, rich, invoice(priced(5)))).documents;
    const notes = (count: number): object[] =>
      Array.from({ length: count }, () => creditNote({ referenceId }, priced(0.01)));
    for (let accepted = 0; accepted < 1_000; accepted += 100) await accept(service, rich, notes(100));
    expect(await warnings(notes(1)[0], { by: rich })).toMatchObject([{ rule: EXCEEDED }]);
    expect(await warnings(notes(1)[0], { by: rich })).toEqual([]);
  });

  it('causes no warning for an invoice of another organisation or service', async () => {
    const [{ referenceId, authorityUuid }] = (await issue(service, tenant, invoice(priced(1)))).documents;
    const stranger = await createTenant(service);
    const note = creditNote({ referenceId, authorityUuid: authorityUuid ?? '' }, priced(500));
    expect(await warnings(note, { by: stranger })).toEqual([]);
    expect(await warnings(creditNote({ referenceId: 'OLD-1', authorityUuid: 'NA' }, priced(500)))).toEqual([]);
  });
});

describe('credit note dated before its invoice', () => {
  const EARLIER = 'document_date_before_related_invoice';
  const [TODAY, YESTERDAY] = [0, 1].map((days) => toMalaysianDate(new Date(Date.now() - days * 86_400_000)));

  async function listRules(documents: object[], by = tenant): Promise<unknown[]> {
    const body = { submission_type: 'non-consolidated', documents };
    const response = await post(service, by, { path: '/v1/einvoice/submit/dry-run', body });
    expect(response.status, response.text).toBe(200);
    return (response.body.warnings as { rule: string }[]).map(({ rule }) => rule);
  }

  it('is accepted with a warning that contains the date of the invoice', async () => {
    const [{ referenceId, authorityUuid }] = (await issue(service, tenant, invoice())).documents;
    const earlier = { document_date: undefined, documentDate: YESTERDAY };
    const { status, body } = await submit(service, tenant, [creditNote({ referenceId }, earlier)]);
    expect(status).toBe(200);
    expect(body.warnings).toMatchObject([
      {
        pointer: '/documents/0/documentDate',
        rule: EARLIER,
        message: `documents[0].documentDate is before ${TODAY}, the date of invoice ${referenceId}, which the credit note corrects`,
      },
    ]);
    const byUuid = { referenceId, authorityUuid: authorityUuid ?? '' };
    expect(await listRules([creditNote(byUuid, { document_date: YESTERDAY })])).toContain(EARLIER);
    expect(await listRules([creditNote({ referenceId }, { document_date: TODAY })])).not.toContain(EARLIER);
  });

  it('causes a warning if the invoice is in the same request', async () => {
    const referenceId = reference('INV');
    const note = creditNote({ referenceId }, { document_date: YESTERDAY });
    expect(await listRules([note, invoice({ referenceId })])).toContain(EARLIER);
    expect(await listRules([note, invoice({ referenceId, document_date: YESTERDAY })])).not.toContain(EARLIER);
  });

  it('causes no warning for an invoice of another organisation or service', async () => {
    const [{ referenceId, authorityUuid }] = (await issue(service, tenant, invoice())).documents;
    const stranger = await createTenant(service);
    const note = creditNote({ referenceId, authorityUuid: authorityUuid ?? '' }, { document_date: YESTERDAY });
    expect(await listRules([note], stranger)).not.toContain(EARLIER);
  });
});

describe('credit note', () => {
  async function expectRefused(
    parent: { referenceId: string; authorityUuid?: string },
    rule: string,
    member = 'referenceId',
  ): Promise<void> {
    const response = await refused(service, tenant, () => noteFor(parent));
    expect(response.status, response.text).toBe(400);
    expect(response.body.details).toEqual([
      {
        pointer: `/documents/0/relatedInvoice/${member}`,
        documentIndex: 0,
        referenceId: expect.stringMatching(/^CN-/),
        rule,
        message: expect.any(String),
        hint: expect.any(String),
      },
    ]);
    expect(response.body.errors).toEqual([response.body.message]);
    expect(response.body.message.startsWith(`documents[0].relatedInvoice.${member} `)).toBe(true);
  }

  it('is rejected if its invoice is unknown', () =>
    expectRefused({ referenceId: 'NEVER-SENT' }, 'related_invoice_unknown'));

  it('is rejected if its invoice belongs to another tenant', async () => {
    const other = await createTenant(service);
    const [foreign] = (await issue(service, other, invoice())).documents;
    await expectRefused({ referenceId: foreign.referenceId }, 'related_invoice_unknown');
  });

  it('is rejected if its invoice belongs to the other environment', async () => {
    const production = { ...tenant, apiKey: await createKey(service, tenant.tenantId, 'production') };
    const [live] = (await issue(service, production, invoice())).documents;
    await expectRefused({ referenceId: live.referenceId }, 'related_invoice_unknown');
  });

  it.each([
    ['by a uuid as the authority writes it', (uuid: string) => uuid],
    ['by a uuid in lower case', (uuid: string) => uuid.toLowerCase()],
  ])('is rejected if it references an Invalid invoice %s', async (_, spelled) => {
    const referenceId = reference('SIM-INVALID-CV302');
    const [invoiced] = (await issue(service, tenant, invoice({ referenceId }))).documents;
    const authorityUuid = spelled(invoiced.authorityUuid ?? '');
    expect(authorityUuid).toHaveLength(26);
    await expectRefused({ referenceId, authorityUuid }, 'related_invoice_ended');
  });

  it('is rejected if its uuid belongs to a cancelled attempt of a Valid invoice', async () => {
    const original = invoice();
    const [first] = (await issue(service, tenant, original)).documents;
    await cancel(service, tenant, { documentId: first.documentId });
    await service.settle();
    expect((await issue(service, tenant, original)).status).toBe('Valid');
    const parent = { referenceId: first.referenceId, authorityUuid: first.authorityUuid ?? '' };
    await expectRefused(parent, 'related_invoice_ended');
    expect((await noteFor(parent)).body.details[0].hint).toContain('leave authorityUuid out');
  });

  it('is rejected if its uuid and number belong to different invoices', async () => {
    const [one, other] = (await issue(service, tenant, invoice(), invoice())).documents;
    const parent = { referenceId: one.referenceId, authorityUuid: other.authorityUuid ?? '' };
    await expectRefused(parent, 'related_invoice_other_reference');
    await expectRefused({ ...parent, referenceId: 'NEVER-SENT' }, 'related_invoice_other_reference');
  });

  it('is rejected if its uuid belongs to a credit note', async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    const [note] = (await issue(service, tenant, creditNote({ referenceId: invoiced.referenceId }))).documents;
    const parent = { referenceId: note.referenceId, authorityUuid: note.authorityUuid ?? '' };
    await expectRefused(parent, 'related_invoice_other_type', 'authorityUuid');
  });

  it('is rejected together with another note that has the uuid of the same cancelled invoice', async () => {
    const [{ documentId, referenceId, authorityUuid }] = (await issue(service, tenant, invoice())).documents;
    await cancel(service, tenant, { documentId });
    await service.settle();
    const parent = { referenceId, authorityUuid: authorityUuid ?? '' };
    const notes = [creditNote(parent), creditNote({ ...parent, authorityUuid: parent.authorityUuid.toLowerCase() })];
    const response = await refused(service, tenant, () => submit(service, tenant, notes));
    expect(response.body.details).toMatchObject(
      [0, 1].map((documentIndex) => ({ documentIndex, rule: 'related_invoice_ended' })),
    );
  });

  it.each([
    ['Invalid', 'SIM-INVALID-CV302'],
    ['SubmitFailed', 'SIM-REJECT-CF349'],
  ])('is rejected if its invoice is %s', async (state, prefix) => {
    const referenceId = reference(prefix);
    expect((await issue(service, tenant, invoice({ referenceId }))).status).toBe(state);
    await expectRefused({ referenceId }, 'related_invoice_ended');
  });

  it('is rejected if its invoice was cancelled', async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    await cancel(service, tenant, { documentId: invoiced.documentId });
    await service.settle();
    await expectRefused({ referenceId: invoiced.referenceId }, 'related_invoice_ended');
  });

  it.each(['by reference', 'by authorityUuid'])(
    'is rejected while its invoice, referenced %s, is being cancelled',
    async (way) => {
      const [invoiced] = (await issue(service, tenant, invoice())).documents;
      await cancel(service, tenant, { documentId: invoiced.documentId });
      const { referenceId, authorityUuid } = invoiced;
      const parent = way === 'by reference' ? { referenceId } : { referenceId, authorityUuid: authorityUuid ?? '' };
      await expectRefused(parent, 'related_invoice_being_cancelled');
      await service.settle();
    },
  );

  it.each(['by reference', 'by authorityUuid'])(
    'is rejected if its invoice, referenced %s, has a different buyer (DR308)',
    async (way) => {
      const [invoiced] = (await issue(service, tenant, invoice({ recipient: { ...recipient, tin: 'C1111111110' } })))
        .documents;
      const { referenceId, authorityUuid } = invoiced;
      const parent = way === 'by reference' ? { referenceId } : { referenceId, authorityUuid: authorityUuid ?? '' };
      await expectRefused(parent, 'related_invoice_other_buyer');
    },
  );

  it('is rejected if it is consolidated and its invoice has a named buyer', async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    const note = creditNote({ referenceId: invoiced.referenceId });
    const response = await refused(service, tenant, () =>
      submit(service, tenant, [note], { submissionType: 'consolidated' }),
    );
    expect(getRule(response)).toBe('related_invoice_other_buyer');
  });

  it('is rejected with the whole batch, with one problem per note', async () => {
    const documents = [creditNote({ referenceId: 'NO-1' }), invoice(), creditNote({ referenceId: 'NO-2' })];
    const response = await refused(service, tenant, () => submit(service, tenant, documents));
    expect(response.body.details.map(({ documentIndex }: { documentIndex: number }) => documentIndex)).toEqual([0, 2]);
  });
});

it('consolidated credit note is accepted for a consolidated invoice', async () => {
  const consolidated = { submissionType: 'consolidated' };
  const referenceId = reference();
  await accept(service, tenant, [invoice({ referenceId })], consolidated);
  await service.settle();
  expect((await submit(service, tenant, [creditNote({ referenceId })], consolidated)).status).toBe(200);
});

function getRule(response: ApiResponse): string {
  return response.body.details?.[0]?.rule ?? response.text;
}
