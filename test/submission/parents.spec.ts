import { describe, expect, it } from 'vitest';
import { accept, type Answer, cancel, createKey, createTenant, issue, refused, submit } from '../support/client.js';
import { creditNote, invoice, recipient, reference } from '../support/documents.js';
import { serviceOfFile } from '../support/service-of-file.js';

// Interface, relatedInvoice object; D6: which invoice a credit note may refer to.

const service = await serviceOfFile({
  environments: ['sandbox', 'production'],
  simulator: { unknownParents: 'accepted' },
});
const tenant = await createTenant(service);

/** What the note says of its parent at the authority. */
async function parentUuidOf(referenceId: string): Promise<string> {
  const [{ document }] = await service.owner.query<{ document: string }[]>(
    `SELECT convert_from(a.bytes, 'UTF8') AS document FROM authority_document a
       JOIN document_transaction t ON t.tenant_id = a.tenant_id AND t.id = a.transaction_id
      WHERE t.reference_id = $1 AND t.document_type = 'credit_note' ORDER BY t.id DESC LIMIT 1`,
    [referenceId],
  );
  return /"UUID":\[\{"_":"([^"]+)"\}\]/.exec(document)?.[1] ?? '';
}

function noteFor(parent: { referenceId: string; authorityUuid?: string }, overrides: object = {}): Promise<Answer> {
  return submit(service, tenant, [creditNote(parent, { ...overrides })]);
}

describe('a credit note is accepted', () => {
  it('by reference alone when its invoice is Valid; the service looks the authority uuid up', async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    const referenceId = reference('CN');
    const status = await issue(service, tenant, creditNote({ referenceId: invoiced.referenceId }, { referenceId }));
    expect(status.status).toBe('Valid');
    expect(await parentUuidOf(referenceId)).toBe(invoiced.authorityUuid);
  });

  it.each([
    ['26 letters and digits', 'F9D425P6DS7D8IU0123456789A'],
    ['an RFC 4122 UUID', '0f8fad5b-d9cb-469f-a165-70867728950e'],
  ])('by authorityUuid (%s) when its invoice was issued elsewhere', async (_, authorityUuid) => {
    const referenceId = reference('CN');
    const parent = { referenceId: reference('ELSEWHERE'), authorityUuid };
    await issue(service, tenant, creditNote(parent, { referenceId }));
    expect(await parentUuidOf(referenceId)).toBe(authorityUuid);
  });

  it('by authorityUuid of an invoice that went through the service', async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    const parent = { referenceId: invoiced.referenceId, authorityUuid: invoiced.authorityUuid ?? '' };
    expect((await issue(service, tenant, creditNote(parent))).status).toBe('Valid');
  });

  it('by reference of an invoice that was cancelled and issued again: the newer one counts', async () => {
    const original = invoice();
    const [first] = (await issue(service, tenant, original)).documents;
    await cancel(service, tenant, { documentId: first.documentId });
    await service.settle();
    const [second] = (await issue(service, tenant, original)).documents;
    const referenceId = reference('CN');
    await issue(service, tenant, creditNote({ referenceId: second.referenceId }, { referenceId }));
    expect(await parentUuidOf(referenceId)).toBe(second.authorityUuid);
    expect(second.authorityUuid).not.toBe(first.authorityUuid);
  });

  it('in one batch with an invoice of that reference, when authorityUuid says which one is meant', async () => {
    const sent = invoice();
    const parent = { referenceId: String(sent.referenceId), authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    expect((await submit(service, tenant, [sent, creditNote(parent)])).status).toBe(200);
  });
});

describe('a credit note is refused with 400', () => {
  async function expectRefused(parent: { referenceId: string; authorityUuid?: string }, rule: string): Promise<void> {
    const answer = await refused(service, tenant, () => noteFor(parent));
    expect(answer.status).toBe(400);
    expect(answer.body.details).toEqual([
      {
        pointer: '/documents/0/relatedInvoice/referenceId',
        documentIndex: 0,
        referenceId: expect.stringMatching(/^CN-/),
        rule,
        message: expect.any(String),
        hint: expect.any(String),
      },
    ]);
    expect(answer.body.errors).toEqual([answer.body.message]);
    expect(answer.body.message).toMatch(/^documents\[0\]\.relatedInvoice\.referenceId /);
  }

  it('when there is no such invoice', () => expectRefused({ referenceId: 'NEVER-SENT' }, 'related_invoice_unknown'));

  it("when the invoice is another tenant's", async () => {
    const other = await createTenant(service);
    const [foreign] = (await issue(service, other, invoice())).documents;
    await expectRefused({ referenceId: foreign.referenceId }, 'related_invoice_unknown');
  });

  it('when the invoice is of the other environment (D1)', async () => {
    const production = { ...tenant, apiKey: await createKey(service, tenant.tenantId, 'production') };
    const [live] = (await issue(service, production, invoice())).documents;
    await expectRefused({ referenceId: live.referenceId }, 'related_invoice_unknown');
  });

  it.each([
    ['Invalid', 'SIM-INVALID-CV302'],
    ['SubmitFailed', 'SIM-REJECT-CF349'],
  ])('when the invoice ended %s', async (state, prefix) => {
    const referenceId = reference(prefix);
    expect((await issue(service, tenant, invoice({ referenceId }))).status).toBe(state);
    await expectRefused({ referenceId }, 'related_invoice_ended');
  });

  it('when the invoice was Cancelled', async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    await cancel(service, tenant, { documentId: invoiced.documentId });
    await service.settle();
    await expectRefused({ referenceId: invoiced.referenceId }, 'related_invoice_ended');
  });

  it.each(['by reference', 'by authorityUuid'])('while the invoice is being cancelled, named %s', async (way) => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    await cancel(service, tenant, { documentId: invoiced.documentId });
    const { referenceId, authorityUuid } = invoiced;
    const parent = way === 'by reference' ? { referenceId } : { referenceId, authorityUuid: authorityUuid ?? '' };
    await expectRefused(parent, 'related_invoice_being_cancelled');
    await service.settle();
  });

  it.each(['by reference', 'by authorityUuid'])(
    "when its buyer is not the invoice's, named %s (DR308)",
    async (way) => {
      const [invoiced] = (await issue(service, tenant, invoice({ recipient: { ...recipient, tin: 'C1111111110' } })))
        .documents;
      const { referenceId, authorityUuid } = invoiced;
      const parent = way === 'by reference' ? { referenceId } : { referenceId, authorityUuid: authorityUuid ?? '' };
      await expectRefused(parent, 'related_invoice_other_buyer');
    },
  );

  it('when a consolidated note names an invoice to a buyer of its own', async () => {
    const [invoiced] = (await issue(service, tenant, invoice())).documents;
    const note = creditNote({ referenceId: invoiced.referenceId });
    const answer = await refused(service, tenant, () =>
      submit(service, tenant, [note], { submissionType: 'consolidated' }),
    );
    expect(ruleOf(answer)).toBe('related_invoice_other_buyer');
  });

  it('naming every note whose parent is wrong, and storing nothing of the batch', async () => {
    const documents = [creditNote({ referenceId: 'NO-1' }), invoice(), creditNote({ referenceId: 'NO-2' })];
    const answer = await refused(service, tenant, () => submit(service, tenant, documents));
    expect(answer.body.details.map(({ documentIndex }: { documentIndex: number }) => documentIndex)).toEqual([0, 2]);
  });
});

it('accepts a consolidated credit note on a consolidated invoice', async () => {
  const consolidated = { submissionType: 'consolidated' };
  const referenceId = reference();
  await accept(service, tenant, [invoice({ referenceId })], consolidated);
  await service.settle();
  expect((await submit(service, tenant, [creditNote({ referenceId })], consolidated)).status).toBe(200);
});

function ruleOf(answer: Answer): string {
  return answer.body.details?.[0]?.rule ?? answer.text;
}
