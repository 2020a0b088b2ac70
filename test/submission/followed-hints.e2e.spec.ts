import { describe, expect, it } from 'vitest';
import { type ApiResponse, cancel, createTenant, issue, post, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, line, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Follows hints literally (docs/rules.md#body-rules). Hints for single fields are tested
// in src/submission/followed-hints.spec.ts.

const service = await startFileService();
const tenant = await createTenant(service);

function dryRun(documents: unknown[], of: TestTenant = tenant): Promise<ApiResponse> {
  const body = { submission_type: 'non-consolidated', documents };
  return post(service, of, { path: '/v1/einvoice/submit?dryRun=true', body });
}

async function readHint(documents: unknown[]): Promise<string> {
  const { status, body, text } = await submit(service, tenant, documents);
  expect(status, text).toBeGreaterThanOrEqual(400);
  return body.details[0].hint as string;
}

describe('hint for an invoice with a line "less deposit"', () => {
  it('results in a document that bills the remainder', async () => {
    const work = { description: 'Renovation', quantity: 1, unitPrice: 1_000 };
    const deposit = { description: 'Less deposit', quantity: 1, unitPrice: -200 };
    expect(await readHint([invoice({ lineItems: [work, deposit] })])).toBe(
      'put a reduction into discount or totalDiscountAmount, and a return into a credit note, whose amounts are positive',
    );
    const ways = [{ lineItems: [{ ...work, discount: 200 }] }, { lineItems: [work], totalDiscountAmount: 200 }];
    const { body } = await dryRun(ways.map((way) => invoice(way)));
    expect(body.documents).toMatchObject(ways.map(() => ({ totals: { totalPayableAmount: 800 } })));
  });
});

describe('hint for a line total below the other amounts', () => {
  it('suggests the discount that results in the line total', async () => {
    const wrong = { ...line, lineTotal: 180 };
    const hint = await readHint([invoice({ lineItems: [wrong] })]);
    expect(hint).toBe('if the line is reduced to 180, add 10 to its discount; if 190 is right, leave lineTotal out');
    const ways = [
      { ...wrong, discount: line.discount + 10 },
      { ...wrong, lineTotal: undefined },
    ];
    const { body } = await dryRun(ways.map((way) => invoice({ lineItems: [way] })));
    expect(body.documents).toMatchObject([
      { totals: { totalExcludingTax: 180 } },
      { totals: { totalExcludingTax: 190 } },
    ]);
  });
});

describe('hint for a rejected credit note', () => {
  it('suggests the buyer of its invoice, which is accepted', async () => {
    const [{ referenceId }] = (await issue(service, tenant, invoice())).documents;
    const other = { ...recipient, tin: 'C1234567890' };
    expect(await readHint([creditNote({ referenceId }, { recipient: other })])).toBe(
      `send the number of the invoice to this buyer; or send the buyer of invoice ${referenceId}, whose TIN is ${recipient.tin}`,
    );
    expect((await dryRun([creditNote({ referenceId })])).status).toBe(200);
  });

  it('explains that a cancelled invoice needs no credit note', async () => {
    const [{ referenceId, documentId }] = (await issue(service, tenant, invoice())).documents;
    await cancel(service, tenant, { documentId });
    await service.settle();
    expect(await readHint([creditNote({ referenceId })])).toBe(
      'leave the credit note out: a cancelled invoice needs none',
    );
  });

  it('suggests either invoice if number and uuid belong to different ones', async () => {
    const [one, other] = (await issue(service, tenant, invoice(), invoice())).documents;
    const parent = { referenceId: one.referenceId, authorityUuid: other.authorityUuid ?? '' };
    const { body } = await submit(service, tenant, [creditNote(parent)]);
    expect(body.details[0]).toMatchObject({
      message: `does not match authorityUuid, which belongs to invoice ${other.referenceId} (Valid)`,
      hint: `if ${other.referenceId} is meant, send that number; if ${one.referenceId} is meant, leave authorityUuid out`,
    });
    const ways = [{ ...parent, referenceId: other.referenceId }, { referenceId: one.referenceId }];
    for (const way of ways) expect((await dryRun([creditNote(way)])).status).toBe(200);
  });

  it('leads from the uuid of a credit note to its invoice', async () => {
    const [{ referenceId }] = (await issue(service, tenant, invoice())).documents;
    const [note] = (await issue(service, tenant, creditNote({ referenceId }))).documents;
    const parent = { referenceId, authorityUuid: note.authorityUuid ?? '' };
    const { body } = await submit(service, tenant, [creditNote(parent)]);
    expect(body.details[0]).toMatchObject({
      message: `belongs to credit_note ${note.referenceId} (Valid), which is not an invoice`,
      hint: `a credit note corrects an invoice; if that is ${referenceId}, leave authorityUuid out`,
    });
    expect((await dryRun([creditNote({ referenceId })])).status).toBe(200);
  });

  it('leads from the uuid of an earlier attempt to the latest outcome', async () => {
    const original = invoice({ referenceId: `SIM-INVALID-CV302-${Date.now()}` });
    const [first] = (await issue(service, tenant, original)).documents;
    await issue(service, tenant, original);
    const parent = { referenceId: first.referenceId, authorityUuid: first.authorityUuid ?? '' };
    expect(await readHint([creditNote(parent)])).toBe(
      'the invoice was submitted again: submit the invoice again with the right amounts; it then needs no credit note',
    );
  });
});

describe('hint for a duplicate document number', () => {
  it('suggests another number for another document', async () => {
    const original = invoice();
    const { submissionBatchId } = await issue(service, tenant, original);
    expect(await readHint([original])).toBe(
      `if it is the same invoice, follow it in batch ${submissionBatchId} and take it out of the request; otherwise give it another number`,
    );
    expect((await dryRun([{ ...original, referenceId: `${String(original.referenceId)}-B` }])).status).toBe(200);
  });
});
