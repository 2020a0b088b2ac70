import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AUTHORITY_ERRORS,
  type DocumentLocation,
  findEntry,
  explainFindings,
  type Finding,
} from './error-catalogue.js';
import { SUPPLIER_PROFILE, WHOLE_DOCUMENT } from './error-catalogue/authority-error.js';
import { buildRequestPointers } from './request-pointers.js';
import type { SimplifiedDocument } from './simplified-document.js';

function golden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./golden/${name}.json`, import.meta.url), 'utf8'));
}

/** The authority's codes as its pages and its certificate guideline list them. */
const LISTED = golden('authority-error-codes') as { code: string; text: string }[];
const { document } = golden('credit-note.input') as { document: SimplifiedDocument };
const second: DocumentLocation = { position: 1, pointers: buildRequestPointers(document) };

const ENTRIES = AUTHORITY_ERRORS.flatMap(({ entries }) => entries);

const finding = (code: string | null, details: Partial<Finding> = {}): Finding => ({
  code,
  message: 'As the authority says',
  path: null,
  ...details,
});
const explained = (code: string | null, details: Partial<Finding> = {}, place: DocumentLocation | null = second) =>
  explainFindings([finding(code, details)], place)[0];

const SUPPLIER_STATE = '$.Invoice[*].AccountingSupplierParty[*].Party[*].PostalAddress[*].CountrySubentityCode[*]._';
const BUYER_STATE = SUPPLIER_STATE.replace('Supplier', 'Customer');

describe('the catalogue', () => {
  it('holds 66 codes that the authority lists', () => {
    expect(LISTED).toHaveLength(66);
  });

  it.each(LISTED.map(({ code, text }) => [code, text]))('explains %s: %s', (code, text) => {
    const entry = findEntry(finding(code, { message: text }));
    expect(entry?.code).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(entry?.meaning).toMatch(/^[A-Z].{10,}\.$/);
    expect(entry?.action).toMatch(/^[A-Z].{10,}\.$/);
    expect(['caller', 'buyer', 'operator', 'authority']).toContain(entry?.actor);
    expect(entry?.fieldPath).toMatch(/^(?:\/.+|whole document|supplier's profile)$/);
    const error = explained(code, { message: text });
    expect(error).toMatchObject({
      code: entry?.code,
      hint: entry?.action,
      authorityCode: code,
      authorityMessage: text,
    });
    expect(error.pointer === null).toBe(entry?.fieldPath === SUPPLIER_PROFILE);
  });

  // Protocol 14.2, 13.6, 4.5 and 7, beyond the list; CF323, CF357, ERR044, ERR045 and ERR050 have no known meaning.
  const ALSO_KNOWN =
    'CF324 CF333 CF334 CF336 CF337 CF339 CF340 CF342 CF343 CF348 CF349 CF358 CV317 ERR205 ' +
    'ERR228 ERR236 ERR237 ERR245 DR308 DC511 ValidationError submission Forbidden AccessDenied BadArgument BadRequest InternalServerError ServiceUnavailable';

  it.each(ALSO_KNOWN.split(' '))('explains %s', (code) => {
    expect(findEntry(finding(code))).not.toBeNull();
  });

  it('has one meaning for each of its codes', () => {
    const meanings = new Map<string, string>();
    for (const { code, meaning } of ENTRIES) {
      expect(meanings.get(code) ?? meaning, code).toBe(meaning);
      meanings.set(code, meaning);
    }
  });

  it('has no row that an earlier row of the same code hides', () => {
    const closed = new Set<string | null>();
    for (const { authorityCode, when } of ENTRIES) {
      expect(closed, `${authorityCode}`).not.toContain(authorityCode);
      if (when === undefined) closed.add(authorityCode);
    }
  });

  it('points to places that a document has', () => {
    const places = ENTRIES.map(({ fieldPath }) => fieldPath).filter((place) => place.startsWith('/'));
    const optional = ['/recipient/email', '/recipient/phone', '/lineItems/0/classification'];
    const known = new Set([...second.pointers.values(), ...optional]);
    for (const place of places) {
      expect(known, place).toContain(place.replace('*', '0').replace('{id}', 'brn'));
    }
  });

  it('leaves to the operator all that is not in the request', () => {
    for (const { fieldPath, actor, code } of ENTRIES) {
      if (fieldPath === SUPPLIER_PROFILE) expect(actor, code).toBe('operator');
    }
    const signature = AUTHORITY_ERRORS.find(({ found }) => found === 'Signature');
    expect(signature?.entries).toHaveLength(39);
    for (const { fieldPath, actor } of signature?.entries ?? []) {
      expect([fieldPath, actor]).toEqual([WHOLE_DOCUMENT, 'operator']);
    }
  });
});

describe('codes that the authority uses twice', () => {
  const DUPLICATE_TEXT = 'Duplicated submitted document with UUID A where the values match with UUID: B';

  it.each<[string, string, Partial<Finding>, string]>([
    ['DS302', 'in the step for duplicates', { step: 'Step03-Duplicated Submission Validator' }, 'document_duplicate'],
    ['DS302', 'with the text of a duplicate', { message: DUPLICATE_TEXT }, 'document_duplicate'],
    ['DS302', 'in the step for signatures', { step: 'Step08-Document Signature Validator' }, 'signature_count_invalid'],
    ['DV302', 'anywhere', {}, 'document_duplicate'],
    ['CF321', 'of the time of issue', { path: 'Invoice.IssueDate AND Invoice.IssueTime' }, 'issue_time_out_of_range'],
    ['CF321', 'of an e-mail', { message: 'Supplier e-mail format or length' }, 'supplier_email_invalid'],
    ['CF364', 'of a line', { message: 'Line classification is required' }, 'line_classification_missing'],
    [
      'CF364',
      'of a phone',
      { path: 'Invoice.AccountingCustomerParty.Party.Contact.Telephone' },
      'contact_phone_invalid',
    ],
    [
      'submission',
      'of TINs',
      { message: 'The authenticated TIN and documents TIN is not matching' },
      'supplier_tin_mismatch',
    ],
    ['submission', 'of structure', { message: 'Invalid structured submission.' }, 'submission_structure_invalid'],
  ])('%s %s', (code, _title, details, expected) => {
    expect(explained(code, details).code).toBe(expected);
  });
});

describe('Explained findings', () => {
  it.each([
    ['200 findings', findings(200), 200],
    ['100,000 findings', findings(100_000), 99_800],
    ['findings of which the reader left some out', [...findings(200), finding(null, { leftOut: 4_800 })], 4_800],
    ['findings of several steps', [...findings(150), finding(null, { leftOut: 7 }), ...findings(60)], 17],
  ])('list at most 200 and state how many are left out, for %s', (_, given, leftOut) => {
    const errors = explainFindings(given, second);
    if (leftOut === 200) return expect(errors.map(({ code }) => code)).toEqual(Array(200).fill('authority_x'));
    expect(errors).toHaveLength(201);
    expect(errors[200]).toMatchObject({
      code: 'errors_not_listed',
      message: `The tax authority found ${leftOut} more errors, which are not listed here`,
    });
  });

  function findings(count: number): Finding[] {
    return Array.from({ length: count }, () => finding('X'));
  }
});

describe('an explained finding', () => {
  it('points into the request, to the document at its position', () => {
    expect(explained('CF358')).toEqual({
      code: 'buyer_tin_invalid',
      message: "The buyer's TIN is not a valid tax identification number.",
      pointer: '/documents/1/recipient/tin',
      hint: expect.stringMatching(/TIN/),
      authorityCode: 'CF358',
      authorityMessage: 'As the authority says',
    });
    expect(explained('CV302', { path: BUYER_STATE }).pointer).toBe('/documents/1/recipient/state');
    expect(explained('DV302').pointer).toBe('/documents/1/referenceId');
    expect(explained('DC501').pointer).toBe('/documents/1');
  });

  it('of the supplier points nowhere, and says who corrects the profile', () => {
    const error = explained('CV302', { path: SUPPLIER_STATE });
    expect(error).toMatchObject({ code: 'code_not_in_list', pointer: null });
    expect(error.hint).toMatch(/organisation's profile: correct it in the dashboard/);
    expect(explained('ERR999', { path: SUPPLIER_STATE })).toMatchObject({ pointer: null, hint: error.hint });
  });

  it('of a cancellation points nowhere', () => {
    const error = explained('OperationPeriodOver', {}, null);
    expect(error).toMatchObject({
      code: 'cancellation_window_closed',
      pointer: null,
      hint: expect.stringMatching(/credit note/),
    });
    expect(explained('CF358', {}, null).pointer).toBeNull();
  });

  it.each([
    ['CF999', 'authority_cf999'],
    ['Some New-Code', 'authority_some_new_code'],
    ['***', 'authority_refused'],
    [null, 'authority_refused'],
  ])('of the unknown code %s passes through, with the nearest place', (code, expected) => {
    const path = 'Invoice.AccountingCustomerParty.Party.PostalAddress.Unheard';
    expect(explained(code, { path })).toEqual({
      code: expected,
      message: 'As the authority says',
      pointer: '/documents/1/recipient',
      hint: expect.stringMatching(/./),
      authorityCode: code,
      authorityMessage: 'As the authority says',
    });
  });

  it.each([
    ['Document hash is not valid.', 'document_hash_mismatch'],
    ['ArrayItemNotValid: #/Invoice[0]\n{\n  ArrayExpected: #/Invoice[0].ID\n}\n', 'document_structure_invalid'],
    ['NoAdditionalPropertiesAllowed: #/UBLExtensions', 'document_structure_invalid'],
    ['The JSON value could not be converted to UBLJsonDocument', 'document_structure_invalid'],
  ])('without a code is known by its text: %j', (message, expected) => {
    expect(explained(null, { message })).toMatchObject({ code: expected, authorityCode: null });
  });

  it('is complete whatever the authority says', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(...LISTED.map(({ code }) => code)));
    const any = fc.record({ code: fc.option(text), message: text, path: fc.option(text), step: fc.option(text) });
    fc.assert(
      fc.property(any, (own) => {
        const [error] = explainFindings([own], second);
        expect(error.code).toMatch(/^[a-z][a-z0-9_]*$/);
        expect(error.hint).toMatch(/./);
        expect(error).toMatchObject({ authorityCode: own.code, authorityMessage: own.message });
        if (error.pointer !== null) expect(error.pointer).toMatch(/^\/documents\/1(?:\/|$)/);
      }),
    );
  });
});
