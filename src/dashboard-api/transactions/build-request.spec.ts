import { describe, expect, it } from 'vitest';
import { goldenDocuments, goldenInvoice } from '../../documents/golden/golden.js';
import type { LineItem } from '../../documents/simplified-document.js';
import { readSubmitBody } from '../../submission/submit-body.js';
import { buildRequest } from './build-request.js';

function buildLine(change: Partial<LineItem>): unknown {
  const invoice = goldenInvoice();
  const [line] = invoice.lineItems;
  const request = buildRequest({ ...invoice, lineItems: [{ ...line, ...change }] });
  return (request as { documents: { lineItems: unknown[] }[] }).documents[0]?.lineItems[0];
}

const LINE = { description: 'Consulting', quantity: 2, unitPrice: 100, discount: 10, lineTotal: 190 };

describe('buildRequest', () => {
  // Together, the golden documents have every field.
  it.each(goldenDocuments())('builds a body that is parsed into the same document: %s', (_, document) => {
    const read = readSubmitBody(buildRequest(document), new Date(`${document.documentDate}T04:00:00Z`));
    if ('problems' in read) throw new Error(JSON.stringify(read.problems));
    expect(read.submissionType).toBe(document.submissionType);
    expect(read.documents.map((accepted) => accepted.document)).toEqual([document]);
  });

  it('restores exempted tax as the tax of a line of type E', () => {
    const exempt = { taxType: 'E', taxExemptionReason: 'Order' };
    expect(buildLine({ ...exempt, taxAmount: 0, exemptedTaxAmount: 15.2 })).toEqual({
      ...LINE,
      ...exempt,
      taxAmount: 15.2,
    });
    // Stored before the service distinguished exempted tax from charged tax.
    expect(buildLine({ ...exempt, taxAmount: 15.2 })).toEqual({ ...LINE, ...exempt, taxAmount: 15.2 });
  });

  it('restores rate and units of a tax per unit', () => {
    const unitTax = { taxPerUnit: 10, unitCount: 2.5 };
    expect(buildLine({ taxAmount: 25, unitTax })).toEqual({
      ...LINE,
      taxAmount: 25,
      taxPerUnit: 10,
      taxUnitCount: 2.5,
    });
  });
});
