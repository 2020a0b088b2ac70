import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  DOCUMENT_TYPE_ROWS,
  DOCUMENT_TYPES,
  documentTypeHint,
  findDocumentType,
  parseDocumentType,
} from './document-types.js';
import type { DocumentType } from './simplified-document.js';

describe('document type table', () => {
  it('does not compile without a row for each type', () => {
    const { invoice } = DOCUMENT_TYPE_ROWS;
    // @ts-expect-error the row of credit_note is missing
    const incomplete: typeof DOCUMENT_TYPE_ROWS = { invoice };
    expectTypeOf<keyof typeof DOCUMENT_TYPE_ROWS>().toEqualTypeOf<DocumentType>();
    expect(Object.keys(incomplete)).not.toEqual(DOCUMENT_TYPES);
  });

  it('assigns each code and each name to one type', () => {
    const codes = DOCUMENT_TYPES.map((type) => DOCUMENT_TYPE_ROWS[type].code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const type of DOCUMENT_TYPES) {
      for (const name of DOCUMENT_TYPE_ROWS[type].authorityNames) expect(findDocumentType(name), name).toBe(type);
    }
  });

  it('allows only parents that have no parent themselves', () => {
    for (const { parentType } of Object.values(DOCUMENT_TYPE_ROWS)) {
      if (parentType !== null) expect(DOCUMENT_TYPE_ROWS[parentType].parentType).toBeNull();
    }
  });
});

describe('findDocumentType', () => {
  it.each([
    ['Invoice', 'invoice'],
    ['invoice', 'invoice'],
    [' INVOICE ', 'invoice'],
    ['Credit Note', 'credit_note'],
    ['credit note', 'credit_note'],
    ['CreditNote', 'credit_note'],
    ['credit-note', 'credit_note'],
  ])('maps "%s" to %s', (name, type) => {
    expect(findDocumentType(name)).toBe(type);
  });

  it.each([
    'Debit Note',
    'Refund Note',
    'Self-billed Invoice',
    'Self-billed Credit Note',
    'Credit',
    '01',
    '',
    'constructor',
    null,
  ])('returns null for the unknown name "%s"', (name) => {
    expect(findDocumentType(name)).toBeNull();
  });
});

it.each([['Invoice'], ['debit_note'], ['constructor'], [1], [null], [undefined]])(
  'parseDocumentType rejects %s',
  (text) => {
    expect(parseDocumentType(text)).toBeNull();
  },
);

describe('documentTypeHint', () => {
  it.each([
    3,
    '3',
    4,
    '04',
    11,
    '14',
    'DN',
    'RN',
    'SB',
    'SBI',
    'sbcn',
    'debtinote',
    'debit note',
    'debit_note',
    'DebitNote',
  ])('suggests no type for %s', (value) => {
    expect(documentTypeHint(value)).toMatch(/^the service sends invoices and credit notes only, no debit notes,/);
  });

  it.each(['refund', 'self-billed invoice', 'invoice_self_billed', 'debit', 'DEBT_NOTE'])(
    'points to the portal for %s',
    (value) => {
      expect(documentTypeHint(value)).toContain("in the authority's portal, not as an invoice or a credit note");
    },
  );

  it.each(['quotation', 'Proforma', 'pro-forma invoice', 'invoice (proforma)', 'purchase order', 'sebut harga'])(
    'suggests omitting %s',
    (value) => {
      expect(documentTypeHint(value)).toMatch(/^leave it out: .* is no tax document$/);
    },
  );

  it.each([
    ['1', 'use invoice'],
    [2, 'use credit_note'],
    ['Invoice', 'did you mean invoice?'],
    ['tax invoice', 'did you mean invoice?'],
    ['CreditNote', 'did you mean credit_note?'],
    ['cn', 'did you mean credit_note?'],
    ['credit memo', 'did you mean credit_note?'],
  ])('suggests the type that %s means', (value, hint) => {
    expect(documentTypeHint(value)).toBe(hint);
  });

  it.each(['statement', 5, true, null, {}])('lists both types for %s', (value) => {
    expect(documentTypeHint(value)).toMatch(/^use invoice or credit_note if the document is one of the two; /);
  });
});
