import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../common/any-character.fixtures.js';
import { parsePaths, isSupplierSide, findPointer } from './error-pointer.js';
import { type FieldPath, SUPPLIER_PROFILE, WHOLE_DOCUMENT } from './error-catalogue/authority-error.js';
import { buildRequestPointers } from './request-pointers.js';
import type { LineItem, SimplifiedDocument } from './simplified-document.js';

function readDocument(name: string): SimplifiedDocument {
  const text = readFileSync(new URL(`./golden/${name}.input.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { document: SimplifiedDocument }).document;
}

const [invoice, creditNote, consolidated] = ['invoice', 'credit-note', 'consolidated'].map(readDocument);
const [line] = invoice.lineItems;

function withLines(count: number, changes: Partial<LineItem> = {}): SimplifiedDocument {
  return { ...invoice, lineItems: Array.from({ length: count }, () => ({ ...line, ...changes })) };
}

function pointerOf(
  path: string | null,
  document = invoice,
  fieldPath: FieldPath | null = null,
  message = 'wrong',
): string | null {
  return findPointer({ path, message }, fieldPath, buildRequestPointers(document));
}

const STATE = '$.Invoice[*].AccountingCustomerParty[*].Party[*].PostalAddress[*].CountrySubentityCode[*]._';
const BUYER_ID = '$.Invoice[*].AccountingCustomerParty[*].Party[*].PartyIdentification[*].ID[*]._';
const CLASSIFICATION = 'Invoice.InvoiceLine.Item.CommodityClassification.ItemClassificationCode';

describe('notation of an authority path', () => {
  it.each([
    ['wildcards', STATE, '/recipient/state'],
    ['dots', 'Invoice.AccountingCustomerParty.Party.Contact.Telephone', '/recipient/phone'],
    ['two at once', 'Invoice.IssueDate AND Invoice.IssueTime', '/document_date'],
    ['a schema', '#/Invoice[0].ID', '/referenceId'],
    ['slashes and prefixes', '/Invoice/cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity', '/recipient/name'],
    ['other capitals', 'invoice.accountingCustomerParty.party.contact.electronicMail', '/recipient/email'],
    ['an index', '$.Invoice[0].InvoiceLine[0].Price[0].PriceAmount[0]._', '/lineItems/0/unitPrice'],
    ['an attribute', '$.Invoice[*].InvoiceLine[*].InvoicedQuantity[*].unitCode', '/lineItems/0/unitCode'],
    ['a value beside its attributes', 'InvoiceLine[0].InvoicedQuantity', '/lineItems/0/quantity'],
    ['a whole block', 'Invoice.AccountingCustomerParty.Party.PostalAddress', '/recipient'],
    ['an id by its index', 'AccountingCustomerParty.Party.PartyIdentification[1].ID', '/recipient/brn'],
    ['a computed sum', 'Invoice.LegalMonetaryTotal.LineExtensionAmount', '/lineItems'],
    ['a sum of all', 'Invoice.LegalMonetaryTotal.PayableAmount', ''],
    ['the document', 'document', ''],
    ['what only the envelope has', 'Document.UUID', ''],
    ['what nobody sends', '#/Invoice[0].DocumentCurrencyCode', ''],
    ['an unknown neighbour', 'Invoice.AccountingCustomerParty.Party.Contact.Fax', '/recipient'],
    ['nothing readable', '[0]', ''],
    ['nothing', null, ''],
  ])('is recognised: %s', (_title, path, pointer) => {
    expect(pointerOf(path)).toBe(pointer);
  });

  it.each([null, '/document_date'] as const)(
    'points to the date in the spelling of the request (field path %s)',
    (fieldPath) => {
      const path = fieldPath === null ? 'Invoice.IssueDate' : null;
      expect(pointerOf(path, { ...invoice, dateMember: 'documentDate' }, fieldPath)).toBe('/documentDate');
      expect(pointerOf(path, invoice, fieldPath)).toBe('/document_date');
    },
  );

  it('yields the deepest field in the text of a structure error', () => {
    const message = 'ArrayItemNotValid: #/Invoice[0]\n{\n  ArrayExpected: #/Invoice[0].ID\n}\n';
    expect(pointerOf('#/Invoice[0]', invoice, null, message)).toBe('/referenceId');
  });

  it('yields the field that the request omits', () => {
    const silent = { ...invoice, recipient: invoice.recipient && { ...invoice.recipient, email: null, phone: null } };
    expect(pointerOf('Invoice.AccountingCustomerParty.Party.Contact.ElectronicMail', silent)).toBe('/recipient/email');
    expect(pointerOf('Invoice.AccountingCustomerParty.Party.Contact.Telephone', silent)).toBe('/recipient/phone');
  });
});

describe('line path', () => {
  it.each([
    ['the only one', CLASSIFICATION, 1, '/lineItems/0/classification'],
    ['all of several', CLASSIFICATION, 3, '/lineItems'],
    ['the named one', '$.Invoice[0].InvoiceLine[2].Item[0].Description[0]._', 3, '/lineItems/2/description'],
    ['the named one as a whole', 'InvoiceLine[2]', 3, '/lineItems/2'],
    ['never the tenth for the first', 'InvoiceLine[1].Price', 12, '/lineItems/1/unitPrice'],
    ['one that is not there', 'InvoiceLine[7].Price.PriceAmount', 3, ''],
  ])('points to %s', (_title, path, count, pointer) => {
    expect(pointerOf(path, withLines(count))).toBe(pointer);
  });

  it.each([
    ['the only one', null, 1, '/lineItems/0/classification'],
    ['all of several', null, 2, '/lineItems'],
    ['the one that the path names', 'InvoiceLine[1]', 2, '/lineItems/1/classification'],
  ])("points to the catalogue's field in %s", (_title, path, count, pointer) => {
    expect(pointerOf(path, withLines(count), '/lineItems/*/classification')).toBe(pointer);
  });

  it('does not point to a fixed classification', () => {
    expect(pointerOf('InvoiceLine[0].Item.CommodityClassification', consolidated)).not.toContain('classification');
  });
});

describe('field from the catalogue', () => {
  it('selects one of several fields of a path', () => {
    expect(pointerOf(BUYER_ID)).toBe('/recipient');
    expect(pointerOf(BUYER_ID, invoice, '/recipient/tin')).toBe('/recipient/tin');
  });

  it('replaces a missing or unknown path', () => {
    expect(pointerOf(null, invoice, '/recipient/tin')).toBe('/recipient/tin');
    expect(pointerOf('Some.Thing', invoice, '/recipient/tin')).toBe('/recipient/tin');
  });

  it('does not replace a known path', () => {
    expect(pointerOf(STATE, invoice, '/recipient/tin')).toBe('/recipient/state');
    expect(pointerOf(STATE, invoice, SUPPLIER_PROFILE)).toBe('/recipient/state');
    expect(pointerOf(STATE, invoice, WHOLE_DOCUMENT)).toBe('/recipient/state');
  });

  it.each([
    ['BRN', '/recipient/brn'],
    ['NRIC', '/recipient/nric'],
    ['PASSPORT', '/recipient/passport'],
    ['ARMY', '/recipient/army'],
  ] as const)('selects the id in the request: %s', (idType, pointer) => {
    const document = { ...invoice, recipient: invoice.recipient && { ...invoice.recipient, idType } };
    expect(pointerOf(BUYER_ID, document, '/recipient/{id}')).toBe(pointer);
  });

  it('is ignored if the document does not contain it', () => {
    expect(pointerOf(BUYER_ID, consolidated, '/recipient/tin')).toBe('');
    expect(pointerOf(null, consolidated, '/recipient/{id}')).toBe('');
    expect(pointerOf(null, invoice, '/relatedInvoice/referenceId')).toBe('');
    expect(pointerOf(null, creditNote, '/relatedInvoice/referenceId')).toBe('/relatedInvoice/referenceId');
  });
});

describe('parent of a credit note', () => {
  const UUID = '$.Invoice[*].BillingReference[*].InvoiceDocumentReference[*].UUID[*]._';
  const named = { referenceId: 'INV-1', authorityUuid: 'Z9JH44F9A9XXQQ30QFD7EXWJ10' };

  it.each([
    ['number, when it was found by it', { ...named, authorityUuid: null }, '/relatedInvoice/referenceId'],
    ['uuid, when the caller sent it', named, '/relatedInvoice/authorityUuid'],
  ])('has a pointer to its %s', (_title, relatedInvoice, pointer) => {
    expect(pointerOf(UUID, { ...creditNote, relatedInvoice })).toBe(pointer);
  });
});

describe('supplier error', () => {
  it.each([
    ['$.Invoice[*].AccountingSupplierParty[*].Party[*].PostalAddress[*].CountrySubentityCode[*]._', 'wrong'],
    ['Invoice.AccountingSupplierParty', 'wrong'],
    [null, 'City is required - SUPPLIER'],
  ])('has no field in the request: %s', (path, message) => {
    expect(isSupplierSide({ path, message })).toBe(true);
    expect(pointerOf(path, invoice, '/recipient/city', message)).toBeNull();
  });

  it('is not inferred from the text if the path leads to the buyer', () => {
    expect(isSupplierSide({ path: STATE, message: 'wrong - SUPPLIER' })).toBe(false);
  });
});

describe('authority path', () => {
  const name = fc.constantFrom(
    '$',
    '#',
    'Invoice',
    'InvoiceLine',
    'AccountingCustomerParty',
    'Party',
    'ID',
    '_',
    'x',
    '',
  );
  const index = fc.constantFrom('', '[*]', '[0]', '[1]', '[99999999999999999999]', '[', ']', '[x]', '(', '\\');
  const written = fc
    .array(fc.tuple(name, index, fc.constantFrom('.', '/', ' AND ', ',')), { maxLength: 30 })
    .map((steps) => steps.flat().join(''));
  const fieldPath = fc.constantFrom<FieldPath | null>(
    ...([null, WHOLE_DOCUMENT, SUPPLIER_PROFILE, '/recipient/{id}', '/lineItems/*/taxType', '/document_date'] as const),
  );

  it('leads to a field of the document', () => {
    const pointers = buildRequestPointers(withLines(2));
    const known = [...pointers.values(), '/recipient/nric', '/lineItems/1/taxType'];
    fc.assert(
      fc.property(
        fc.oneof(written, fc.string(), fc.string({ unit: ANY_CHARACTER })),
        fc.string(),
        fieldPath,
        (path, message, at) => {
          const pointer = findPointer({ path, message }, at, pointers);
          if (pointer !== null)
            expect(known.some((own) => own === pointer || own.startsWith(`${pointer}/`))).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('is parsed in linear time', () => {
    const began = performance.now();
    expect(parsePaths({ path: 'Invoice[*].'.repeat(50_000), message: '#/'.repeat(50_000) })).toHaveLength(1);
    // Quadratic time would take hours.
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});
