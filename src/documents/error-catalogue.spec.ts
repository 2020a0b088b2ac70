import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AUTHORITY_ERRORS, findEntry, explainFindings, type Finding } from './error-catalogue.js';
import { SUPPLIER_PROFILE, WHOLE_DOCUMENT } from './error-catalogue/authority-error.js';
import { type DocumentLocation, locateDocument } from './request-pointers.js';
import { PROFILE_FIELD_TEXTS, type ProfileField, readProfileField } from './profile-fields.js';
import type { LineItem, SimplifiedDocument, Supplier } from './simplified-document.js';

function golden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./golden/${name}.json`, import.meta.url), 'utf8'));
}

/** Codes on the authority's pages and in its certificate guideline. */
const LISTED = golden('authority-error-codes') as { code: string; text: string }[];
const { document } = golden('credit-note.input') as { document: SimplifiedDocument };
const second = locateDocument(1, document, null);

const ENTRIES = AUTHORITY_ERRORS.flatMap(({ entries }) => entries);

const finding = (code: string | null, details: Partial<Finding> = {}): Finding => ({
  code,
  message: 'As the authority says',
  path: null,
  ...details,
});
const explained = (code: string | null, details: Partial<Finding> = {}, location: DocumentLocation | null = second) =>
  explainFindings([finding(code, details)], location)[0];

const SUPPLIER_STATE = '$.Invoice[*].AccountingSupplierParty[*].Party[*].PostalAddress[*].CountrySubentityCode[*]._';
const BUYER_STATE = SUPPLIER_STATE.replace('Supplier', 'Customer');

describe('error catalogue', () => {
  it("contains the 66 codes on the authority's list", () => {
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
    const isOfProfile = entry?.fieldPath === SUPPLIER_PROFILE;
    expect(error).toMatchObject({ code: entry?.code, authorityCode: code, authorityMessage: text });
    expect(error.hint === entry?.action).toBe(!isOfProfile);
    expect(readProfileField(error.hint) !== null).toBe(isOfProfile);
    expect(error.pointer === null).toBe(isOfProfile);
  });

  // Codes in protocol 14.2, 13.6, 4.5 and 7 that are not on the list. CF323, CF357, ERR044, ERR045 and ERR050 have no
  // known meaning.
  const ALSO_KNOWN =
    'CF324 CF333 CF334 CF336 CF337 CF339 CF340 CF342 CF343 CF348 CF349 CF358 CV317 ERR205 ' +
    'ERR228 ERR236 ERR237 ERR245 DR308 DC511 ValidationError submission Forbidden AccessDenied BadArgument BadRequest InternalServerError ServiceUnavailable';

  it.each(ALSO_KNOWN.split(' '))('explains %s', (code) => {
    expect(findEntry(finding(code))).not.toBeNull();
  });

  it('has one meaning for each code', () => {
    const meanings = new Map<string, string>();
    for (const { code, meaning } of ENTRIES) {
      expect(meanings.get(code) ?? meaning, code).toBe(meaning);
      meanings.set(code, meaning);
    }
  });

  it('contains only rows that a finding can match', () => {
    const closed = new Set<string | null>();
    for (const { authorityCode, when } of ENTRIES) {
      expect(closed, `${authorityCode}`).not.toContain(authorityCode);
      if (when === undefined) closed.add(authorityCode);
    }
  });

  it('points to existing fields', () => {
    const fieldPaths = ENTRIES.map(({ fieldPath }) => fieldPath).filter((fieldPath) => fieldPath.startsWith('/'));
    const optional = ['/recipient/email', '/recipient/phone', '/lineItems/0/classification'];
    const known = new Set([...second.pointers.values(), ...optional]);
    for (const fieldPath of fieldPaths) {
      expect(known, fieldPath).toContain(fieldPath.replace('*', '0').replace('{id}', 'brn'));
    }
  });

  it('assigns errors outside the request to the operator', () => {
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

describe('code with two meanings', () => {
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

describe('explainFindings', () => {
  it.each([
    ['200 findings', findings(200), 200],
    ['100,000 findings', findings(100_000), 99_800],
    ['findings of which the reader left some out', [...findings(200), finding(null, { leftOut: 4_800 })], 4_800],
    ['findings of several steps', [...findings(150), finding(null, { leftOut: 7 }), ...findings(60)], 17],
  ])('lists at most 200 findings and counts the others for %s', (_, given, leftOut) => {
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

describe('error code', () => {
  const { document: invoice } = golden('invoice.input') as { document: SimplifiedDocument };
  const supplier = golden('supplier') as Supplier;
  const [line] = invoice.lineItems;
  const STATED: LineItem = { ...line, classification: '001', taxType: '01', unitCode: 'KGM' };
  const LINES = 'Invoice.InvoiceLine';
  const CLASSIFICATION = `${LINES}.Item.CommodityClassification.ItemClassificationCode`;

  interface Sent {
    readonly lines?: readonly LineItem[];
    readonly profile?: Partial<Supplier>;
  }

  function explainCode(message: string, path: string | null, { lines = [STATED, STATED, STATED], profile }: Sent = {}) {
    const location = locateDocument(0, { ...invoice, lineItems: lines }, { ...supplier, ...profile });
    return explainFindings([finding('CV302', { message, path })], location)[0];
  }

  it.each<[string, string, string | null, Partial<LineItem>, string]>([
    [
      'a classification',
      'ItemCode 999 does not exist in CodeType Classification Codes',
      CLASSIFICATION,
      { classification: '999' },
      'Send classification as another code of the list, such as 022 (others).',
    ],
    [
      'a unit',
      'ItemCode BOX does not exist in CodeType Unit Types',
      null,
      { unitCode: 'BOX' },
      'Send unitCode as another code of the list, such as C62 (one).',
    ],
    [
      'a tax type',
      'ItemCode 09 does not exist in CodeType Tax Types',
      `${LINES}.TaxTotal`,
      { taxType: '09' },
      'Send taxType as 01 (sales tax), 02 (service tax), ',
    ],
    [
      'a code that the text names without its list',
      'ItemCode 045 was not active when document issued',
      null,
      { classification: '045' },
      'Send classification as another code of the list, such as 022 (others).',
    ],
  ])('points to the affected line: %s', (_title, message, path, changes, hint) => {
    const error = explainCode(message, path, { lines: [STATED, { ...STATED, ...changes }, STATED] });
    expect(error.pointer).toBe(`/documents/0/lineItems/1/${Object.keys(changes)[0]}`);
    expect(error.hint).toContain(hint);
    expect(error.hint).not.toContain('Lines');
  });

  it('points to the first of several lines and lists the others in the hint', () => {
    const refused = { ...STATED, unitCode: 'BOX' };
    const message = 'ItemCode BOX does not exist in CodeType Unit Types';
    const error = explainCode(message, `${LINES}.InvoicedQuantity`, { lines: [STATED, refused, refused, refused] });
    expect(error.pointer).toBe('/documents/0/lineItems/1/unitCode');
    expect(error.hint).toMatch(/ Lines 2, 3 and 4 have the same code\.$/);
    const many = explainCode(message, null, { lines: Array.from({ length: 40 }, () => refused) });
    expect(many.hint).toMatch(/ Lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 30 more have the same code\.$/);
  });

  it('from the profile points to the line and names the profile', () => {
    const message = 'ItemCode 999 does not exist in CodeType Classification Codes';
    const lines = [STATED, { ...STATED, classification: null }];
    const error = explainCode(message, CLASSIFICATION, { lines, profile: { defaultClassification: '999' } });
    expect(error.pointer).toBe('/documents/0/lineItems/1/classification');
    expect(error.hint).toMatch(/^The line has no classification, so the default of the organisation's profile /);
    expect(error.hint).toMatch(/ Or change "Classification of lines" in the profile\.$/);
  });

  it.each<[string, string, Partial<Supplier>, string]>([
    ['the state', 'ItemCode 00 was not active when document issued', { stateCode: '00' }, 'State'],
    ['the industry', 'ItemCode 99999 does not exist in CodeType MSIC Codes', { msic: '99999' }, 'Industry (MSIC)'],
  ])('names the profile field of the supplier even without a path: %s', (_title, message, profile, label) => {
    const error = explainCode(message, null, { profile });
    expect(error.pointer).toBeNull();
    expect(error.hint).toContain(`Correct "${label}" in the organisation's profile`);
    expect(readProfileField(error.hint)).toBe(Object.keys(profile)[0]);
  });

  it('has no field pointer if it concerns both buyer and supplier', () => {
    const { stateCode = '' } = invoice.recipient ?? {};
    const message = `ItemCode ${stateCode} was not active when document issued`;
    expect(explainCode(message, null, { profile: { stateCode } }).pointer).toBe('/documents/0');
    expect(explainCode(message, BUYER_STATE, { profile: { stateCode } }).pointer).toBe('/documents/0/recipient/state');
  });

  it.each([
    ['selangor', 'selangor'],
    ['Selangor', 'selangor'],
    ['wilayah_persekutuan_labuan', 'wilayah_persekutuan_labuan'],
    ['Penang', 'penang'],
  ])('explains country and state for the Malaysian state name %s', (stateCode, slug) => {
    const recipient = { ...invoice.recipient, stateCode, country: 'SGP' } as SimplifiedDocument['recipient'];
    const location = locateDocument(0, { ...invoice, recipient }, supplier);
    const message = `ItemCode ${stateCode} does not exist in CodeType State Codes`;
    expect(explainFindings([finding('CV302', { message, path: BUYER_STATE })], location)[0]).toMatchObject({
      pointer: '/documents/0/recipient/state',
      hint: `For an address in Malaysia, send country MYS with state ${slug}. For an address abroad, send its country and leave state out.`,
    });
  });

  it.each(['10', 'NA', 'selangor'])('suggests a different state from the one sent if its text names %s', (named) => {
    expect(invoice.recipient).toMatchObject({ stateCode: '10', country: 'MYS' });
    const error = explainCode(`ItemCode ${named} does not exist in CodeType State Codes`, BUYER_STATE);
    expect(error.pointer).toBe('/documents/0/recipient/state');
    expect(error.hint).toBe(
      "Send the slug of the buyer's state, such as johor. For an address abroad, send its country and leave state out.",
    );
  });

  it('never suggests the country that was sent', () => {
    const path = BUYER_STATE.replace('CountrySubentityCode[*]', 'Country[*].IdentificationCode[*]');
    const error = explainCode('ItemCode MYS was not active when document issued', path);
    expect(error.pointer).toBe('/documents/0/recipient/country');
    expect(error.hint).toBe('Send country as another ISO 3166-1 alpha-3 code, such as SGP (singapore).');
  });

  it('never suggests the rejected value', () => {
    for (const [member, codes] of Object.entries({
      taxType: ['06', 'E'],
      classification: ['022'],
      unitCode: ['C62'],
    })) {
      for (const code of codes) {
        const error = explainCode(`ItemCode ${code} was not active when document issued`, null, {
          lines: [{ ...STATED, [member]: code }],
        });
        expect(error.pointer, code).toBe(`/documents/0/lineItems/0/${member}`);
        expect(error.hint, code).not.toMatch(new RegExp(`\\b${code} \\(`));
      }
    }
  });
});

describe('finding about the supplier', () => {
  const FIELDS = 'name tin idValue sstNumber ttxNumber addressLine1 city postcode stateCode country phone email msic';
  const PATHS = [
    'PartyLegalEntity.RegistrationName',
    'PartyIdentification[0].ID',
    'PartyIdentification[1].ID',
    'PartyIdentification[2].ID',
    'PartyIdentification[3].ID',
    'PostalAddress.AddressLine[0].Line',
    'PostalAddress.CityName',
    'PostalAddress.PostalZone',
    'PostalAddress.CountrySubentityCode',
    'PostalAddress.Country.IdentificationCode',
    'Contact.Telephone',
    'Contact.ElectronicMail',
    'IndustryClassificationCode',
  ];

  it.each(FIELDS.split(' ').map((field, index) => [field, PATHS[index]] as const))(
    'names the profile field %s by its path',
    (field, path) => {
      const error = explained('ERR999', { path: `Invoice.AccountingSupplierParty.Party.${path}` });
      expect(error.pointer).toBeNull();
      expect(error.hint).toContain(`Correct "${PROFILE_FIELD_TEXTS[field as ProfileField].label}" in`);
      expect(readProfileField(error.hint)).toBe(field);
    },
  );

  it.each(ENTRIES.filter(({ fieldPath }) => fieldPath === SUPPLIER_PROFILE))(
    'names a profile field without a path: $code',
    ({ profileField }) => {
      expect(profileField).toBeDefined();
    },
  );
});

describe("finding about a party's id", () => {
  const PATH = 'Invoice.AccountingSupplierParty.Party.PartyIdentification.ID';
  const BUYER_PATH = PATH.replace('Supplier', 'Customer');

  it.each<[string | null, string, string, ProfileField]>([
    [null, 'TIN is not valid', 'tin', 'tin'],
    [null, 'Exactly one of BRN, NRIC, PASSPORT and ARMY is required', 'brn', 'idValue'],
    [null, 'Identification number is longer than 20 characters for BRN', 'brn', 'idValue'],
    [null, 'Enter valid SST registration number', 'sstNumber', 'sstNumber'],
    ['ERR999', 'The TIN and the identification number do not match', 'brn', 'idValue'],
  ])('points to the id in its text: %s %s', (code, message, member, field) => {
    const ofBuyer = explained(code, { path: BUYER_PATH, message: `${message} - BUYER` });
    expect(ofBuyer.pointer).toBe(`/documents/1/recipient/${member}`);
    const ofSupplier = explained(code, { path: PATH, message: `${message} - SUPPLIER` });
    expect(readProfileField(ofSupplier.hint)).toBe(field);
  });

  it.each([
    ['SUPPLIER', PATH],
    ['BUYER', BUYER_PATH],
  ])('points to the tourism tax number of the profile for a %s', (role, path) => {
    const error = explained('CF407', { path, message: `Enter valid TTX registration number - ${role}` });
    expect(error.pointer).toBeNull();
    expect(readProfileField(error.hint)).toBe('ttxNumber');
  });
});

describe('simulator finding about a party', () => {
  const TEXTS = JSON.parse(
    readFileSync(new URL('../../simulator/code-lists/error-texts.json', import.meta.url), 'utf8'),
  ) as { code: string; text: string; path?: string }[];
  const ofParty = TEXTS.filter(({ path }) => path?.includes('Party'));

  it.each(ofParty.map(({ code, text, path = '' }) => [code, text, path]))(
    'names one field: %s %s',
    (code, text, path) => {
      const error = explained(code, { message: text, path });
      if (error.pointer === null) expect(readProfileField(error.hint)).not.toBeNull();
      else expect(error.pointer).toMatch(/^\/documents\/1\/recipient\/\w+$/);
    },
  );
});

describe('explained finding', () => {
  it('points to the document at its position in the request', () => {
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

  it('has a hint about the profile instead of a pointer if it concerns the supplier', () => {
    const error = explained('CV302', { path: SUPPLIER_STATE });
    expect(error).toMatchObject({ code: 'code_not_in_list', pointer: null });
    expect(error.hint).toMatch(/^Correct "State" in the organisation's profile in the dashboard: choose the state /);
    expect(explained('ERR999', { path: SUPPLIER_STATE })).toMatchObject({ pointer: null, hint: error.hint });
  });

  it('has no pointer if it concerns a cancellation', () => {
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
  ])('with the unknown code %s points to the nearest field', (code, expected) => {
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
  ])('without a code is recognised by its text: %j', (message, expected) => {
    expect(explained(null, { message })).toMatchObject({ code: expected, authorityCode: null });
  });

  it('is complete for any text from the authority', () => {
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
