import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  toSubmitBody,
  emptyInvoice,
  findInvalid,
  EMPTY_LINE,
  type LineValues,
  type SubmitBody,
  lineTotal,
  payable,
  toCreditNote,
  toTaxedLine,
  toValues,
} from './values';

describe('toSubmitBody', () => {
  it('omits empty fields and sends only the id of the selected type', () => {
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

it('sends a typed amount as a number', () => {
  const values = emptyInvoice();
  const [document] = values.documents;
  document.lineItems = [{ ...EMPTY_LINE, unitPrice: '99.90', discount: '-' }];
  document.totalRoundingAmount = '-0.10';
  expect(toSubmitBody(values).documents[0]).toMatchObject({
    lineItems: [{ quantity: 1, unitPrice: 99.9, discount: '-', taxAmount: 0 }],
    totalRoundingAmount: -0.1,
  });
});

describe('displayed totals', () => {
  const line: LineValues = {
    ...EMPTY_LINE,
    description: 'x',
    quantity: 3,
    unitPrice: 33.335,
    discount: 0.01,
    taxAmount: 8,
  };
  const toPay = (...lineItems: LineValues[]) => payable({ ...emptyInvoice().documents[0], lineItems });

  it('are rounded to sen', () => {
    expect(lineTotal(line)).toBe(100);
    expect(toPay(line, line)).toBe(216);
  });

  it('are exact even if most digits of a large amount cancel', () => {
    const cancelling = { ...line, quantity: 73147, unitPrice: 524.685, discount: 38379128.7, taxAmount: '' };
    expect(lineTotal(cancelling)).toBe(5);
    const [document] = emptyInvoice().documents;
    const large = { ...line, quantity: 1, unitPrice: 9_999_999_999_999.98, discount: '', taxAmount: 0.01 };
    expect(payable({ ...document, lineItems: [large], totalDiscountAmount: 9_999_999_999_999.97 })).toBe(0.02);
  });

  it('are missing while a price is missing', () => {
    expect(toPay(line, { ...line, unitPrice: '' })).toBeNull();
  });

  it('are missing while an amount is ambiguous', () => {
    expect(lineTotal({ ...line, quantity: '2,5' })).toBeNull();
    expect(lineTotal({ ...line, lineTotal: '99,90' })).toBeNull();
    expect(toPay(line, { ...line, taxAmount: '8,5' })).toBeNull();
    expect(payable({ ...emptyInvoice().documents[0], lineItems: [line], totalDiscountAmount: '50,00' })).toBeNull();
  });

  it('include tax per unit, document discount and rounding, but no exempt tax', () => {
    const byUnit = { ...line, taxAmount: '', taxPerUnit: 10, taxUnitCount: 2 };
    expect(toPay(byUnit, { ...line, taxType: 'E' })).toBe(220);
    const [document] = emptyInvoice().documents;
    expect(payable({ ...document, lineItems: [line], totalDiscountAmount: 10, totalRoundingAmount: -0.02 })).toBe(
      97.98,
    );
  });
});

describe('ambiguous amount', () => {
  it('is reported only for amount fields', () => {
    const values = emptyInvoice();
    const [document] = values.documents;
    document.lineItems = [
      { ...EMPTY_LINE, unitPrice: '12.' },
      { ...EMPTY_LINE, description: '1,5', taxRate: '8,5' },
    ];
    document.totalDiscountAmount = '50,00';
    document.paymentTerms = '1,5';
    expect(findInvalid(values)).toEqual({
      'documents.0.lineItems.1.taxRate': expect.stringContaining('“8,5”'),
      'documents.0.totalDiscountAmount': expect.stringContaining('“50,00”'),
    });
  });
});

interface Schema {
  readonly properties: Readonly<Record<string, { readonly type?: string; readonly example?: unknown }>>;
}

const { components } = JSON.parse(readFileSync('dashboard/openapi.json', 'utf8')) as {
  components: { schemas: Readonly<Record<string, Schema>> };
};

/** Creates an object with every property of the schema, each with a distinct value. */
function fillSchema(name: string, given: object): Record<string, unknown> {
  const members = Object.entries(components.schemas[name].properties).map(([member, { type }], position) => [
    member,
    type === 'number' ? 100 + position : `${name} ${member}`,
  ]);
  return { ...Object.fromEntries(members), ...given };
}

/** Creates a request with every field of the API. */
function everyMember(buyer: object): SubmitBody {
  const document = fillSchema('DocumentDto', {
    totalExcludingTax: undefined,
    totalTaxAmount: undefined,
    totalIncludingTax: undefined,
    totalPayableAmount: undefined,
    documentType: 'credit_note',
    recipient: fillSchema('RecipientDto', buyer),
    lineItems: [fillSchema('LineItemDto', {}), { description: 'Little', quantity: 1, unitPrice: 2.5, taxAmount: 0 }],
    relatedInvoice: fillSchema('RelatedInvoiceDto', {}),
  });
  return fillSchema('SubmitDto', {
    submission_type: 'non-consolidated',
    documents: [document],
  }) as unknown as SubmitBody;
}

/** The service accepts two spellings of the date. */
function asWritten({ documents: [{ document_date: documentDate, ...document }], ...body }: SubmitBody): object {
  return { ...body, documents: [{ ...document, documentDate }] };
}

describe('corrected request', () => {
  const NO_IDS = { nric: undefined, passport: undefined, army: undefined };

  it.each([
    ['company', { ...NO_IDS, entity_type: 'company', brn: '1' }],
    ['individual', { ...NO_IDS, entity_type: 'individual', brn: undefined, nric: '1' }],
    ['individual', { ...NO_IDS, entity_type: 'individual', brn: undefined, passport: '1' }],
    ['individual', { ...NO_IDS, entity_type: 'individual', brn: undefined, army: '1' }],
  ])('keeps every field of the API and the id of an %s', (_, buyer) => {
    const request = everyMember(buyer);
    expect(JSON.parse(JSON.stringify(toSubmitBody(toValues(request))))).toEqual(
      JSON.parse(JSON.stringify(asWritten(request))),
    );
  });

  it('omits the totals of the original', () => {
    const request = everyMember({ ...NO_IDS, entity_type: 'company' });
    Object.assign(request.documents[0], { totalPayableAmount: 205.2, totalTaxAmount: 15.2 });
    const [document] = toSubmitBody(toValues(request)).documents;
    expect(document).not.toHaveProperty('totalPayableAmount');
    expect(document).not.toHaveProperty('totalTaxAmount');
  });

  it('has a form field for every field of the API', () => {
    const [document] = toValues(everyMember({ entity_type: 'company' })).documents;
    for (const { others } of [document, document.recipient, document.relatedInvoice, ...document.lineItems]) {
      expect(others).toBe('');
    }
  });

  it('keeps unknown fields of document, buyer, parent and line', () => {
    const request = everyMember({ ...NO_IDS, entity_type: 'company' });
    const [document] = request.documents;
    const added = { newText: 'kept', newObject: { deep: [1] } };
    for (const part of [document, document.recipient, document.relatedInvoice, document.lineItems[1]]) {
      Object.assign(part as object, added);
    }
    expect(JSON.parse(JSON.stringify(toSubmitBody(toValues(request))))).toEqual(
      JSON.parse(JSON.stringify(asWritten(request))),
    );
  });

  it('omits a line total that equals the computed total', () => {
    const request = everyMember({ entity_type: 'company' });
    const line = { description: 'x', quantity: 2, unitPrice: 100, discount: 10, taxAmount: 0 };
    request.documents[0].lineItems = [
      { ...line, lineTotal: 190 },
      { ...line, lineTotal: 189.99 },
    ];
    expect(toSubmitBody(toValues(request)).documents[0].lineItems).toEqual([line, { ...line, lineTotal: 189.99 }]);
  });

  it('has a buyer unless it is consolidated, and a parent only for a credit note', () => {
    const values = toValues(everyMember({ entity_type: 'company' }));
    values.submission_type = 'consolidated';
    values.documents[0].documentType = 'invoice';
    const [document] = toSubmitBody(values).documents;
    expect(document).not.toHaveProperty('recipient');
    expect(document).not.toHaveProperty('relatedInvoice');
  });
});

it('becomes a credit note with the buyer and lines of its invoice', () => {
  const request = everyMember({ entity_type: 'company' });
  const [invoice] = request.documents;
  const [note] = toSubmitBody(toCreditNote(request)).documents;
  expect(note).toMatchObject({
    documentType: 'credit_note',
    recipient: { name: invoice.recipient?.name },
    lineItems: [{ description: invoice.lineItems[0].description }, { description: 'Little' }],
    relatedInvoice: { referenceId: invoice.referenceId },
  });
  expect(note.relatedInvoice).not.toHaveProperty('authorityUuid');
  expect(note).not.toHaveProperty('referenceId');
});

describe('toTaxedLine', () => {
  const LINE = { ...EMPTY_LINE, unitPrice: 18.9, taxAmount: 1.13, taxType: '02' };

  it('returns the entered tax', () => {
    expect(toTaxedLine(LINE)).toEqual({ taxType: '02', total: 18.9, tax: 1.13, rate: null });
    expect(toTaxedLine({ ...LINE, taxRate: 6 })?.rate).toBe(6);
  });

  it.each<[string, Partial<LineValues>]>([
    ['an exempt line', { taxType: 'E' }],
    ['a line that is taxed by unit', { taxPerUnit: 10 }],
    ['a line of 0', { unitPrice: 0 }],
    ['a line without a price', { unitPrice: '' }],
    ['a tax that cannot be read', { taxAmount: '1,13' }],
  ])('returns null for %s', (_title, changes) => {
    expect(toTaxedLine({ ...LINE, ...changes })).toBeNull();
  });
});
