import { describe, expect, it } from 'vitest';
import { toSubmitBody, emptyInvoice, lineTotal, payable } from './values';

describe('bodyOf', () => {
  it('leaves out what is empty, and sends the id of the chosen kind alone', () => {
    const values = emptyInvoice();
    Object.assign(values.documents[0].recipient, {
      idKind: 'nric',
      brn: '201901234567',
      nric: '850312125678',
      tin: 'IG1',
    });
    const [document] = toSubmitBody(values).documents;
    expect(document.recipient).toEqual({ entity_type: 'individual', nric: '850312125678', tin: 'IG1', country: 'MYS' });
    expect(document).not.toHaveProperty('referenceId');
    expect(document.lineItems).toEqual([{ quantity: 1, taxAmount: 0 }]);
  });
});

describe('totals for the eye', () => {
  const line = { description: 'x', quantity: 3, unitPrice: 33.335, discount: 0.01, taxAmount: 8 };

  it('are rounded to sen', () => {
    expect(lineTotal(line)).toBe(100);
    expect(payable([line, line])).toBe(216);
  });

  it('are not said while a price is missing', () => {
    expect(payable([line, { ...line, unitPrice: '' }])).toBeNull();
  });
});
