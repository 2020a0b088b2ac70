import { describe, expect, expectTypeOf, it } from 'vitest';
import { DOCUMENT_TYPE_ROWS, DOCUMENT_TYPES, parseDocumentType, findDocumentType } from './document-types.js';
import type { DocumentType } from './simplified-document.js';

describe('the table of document types', () => {
  it('has a row for each type: a type without its row does not compile', () => {
    const { invoice } = DOCUMENT_TYPE_ROWS;
    // @ts-expect-error the row of credit_note is missing
    const incomplete: typeof DOCUMENT_TYPE_ROWS = { invoice };
    expectTypeOf<keyof typeof DOCUMENT_TYPE_ROWS>().toEqualTypeOf<DocumentType>();
    expect(Object.keys(incomplete)).not.toEqual(DOCUMENT_TYPES);
  });

  it('gives each code and each name to one type', () => {
    const codes = DOCUMENT_TYPES.map((type) => DOCUMENT_TYPE_ROWS[type].code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const type of DOCUMENT_TYPES) {
      for (const name of DOCUMENT_TYPE_ROWS[type].authorityNames) expect(findDocumentType(name), name).toBe(type);
    }
  });

  it('names as parent only a type that needs no parent itself', () => {
    for (const { parentType } of Object.values(DOCUMENT_TYPE_ROWS)) {
      if (parentType !== null) expect(DOCUMENT_TYPE_ROWS[parentType].parentType).toBeNull();
    }
  });
});

describe("the authority's name of a type", () => {
  it.each([
    ['Invoice', 'invoice'],
    ['invoice', 'invoice'],
    [' INVOICE ', 'invoice'],
    ['Credit Note', 'credit_note'],
    ['credit note', 'credit_note'],
    ['CreditNote', 'credit_note'],
    ['credit-note', 'credit_note'],
  ])('"%s" is %s', (name, type) => {
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
  ])('"%s" is not known yet, and no type', (name) => {
    expect(findDocumentType(name)).toBeNull();
  });
});

it.each([['Invoice'], ['debit_note'], ['constructor'], [1], [null], [undefined]])('%s is no document type', (text) => {
  expect(parseDocumentType(text)).toBeNull();
});
