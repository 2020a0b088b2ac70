import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { PROBLEMS_MAX } from '../errors/api-error.js';
import { type Problem, toSentence } from '../errors/problem.js';
import { WARNINGS_LISTED_MAX, toResponseWarnings, type Warning } from '../http/validation/warning-list.js';
import { SUBMIT_RULE_IDS, SUBMIT_WARNING_IDS, readSubmitBody } from './submit-body.js';
import {
  type Members,
  NOW,
  RECIPIENT,
  PERSON,
  LINE,
  PARENT,
  documentWith,
  bodyOf,
  buildBody,
  recipient,
  line,
  creditNote,
  findProblems,
  accepted,
  STATE_CHOICES,
  D,
  R,
} from './submit-body.fixtures.js';

// Hints use the caller's own values if possible.
describe('hints', () => {
  it.each<[body: unknown, hint: string | undefined]>([
    [
      recipient({ postcode: '5048' }),
      'use 50480, not 5048, if the last zero is missing; for an address outside Malaysia send country too',
    ],
    [recipient({ postcode: 'AB1' }), 'such as 50480, not AB1; for an address outside Malaysia send country too'],
    [recipient({ postcode: '50 480' }), 'use 50480, not 50 480'],
    [recipient({ postcode: '40000 Shah Alam' }), 'use 40000 alone'],
    [recipient({ postcode: '5200', state: 'kedah' }), 'use 05200, not 5200'],
    [recipient({ postcode: '1000', state: 'perlis' }), 'use 01000, not 1000'],
    [recipient({ postcode: 40000 }), 'write "40000", with quotation marks'],
    [recipient({ state: 'Selangor' }), 'did you mean selangor?'],
    [recipient({ state: 'selangr' }), 'did you mean selangor?'],
    [recipient({ state: 'Kuala Lumpur' }), 'did you mean kuala_lumpur?'],
    [recipient({ state: 'W.P. Putrajaya' }), 'did you mean wp_putrajaya?'],
    [recipient({ state: '10' }), 'did you mean selangor?'],
    [recipient({ state: 'KL' }), 'did you mean kuala_lumpur?'],
    [recipient({ state: 'W.P. KL' }), 'did you mean kuala_lumpur?'],
    [recipient({ state: 'W.P. Kuala Lumpur' }), 'did you mean wp_kuala_lumpur?'],
    [recipient({ state: 'N. Sembilan' }), 'did you mean negeri_sembilan?'],
    [recipient({ state: 'Malacca' }), 'did you mean malacca?'],
    [recipient({ state: 'Penang' }), 'did you mean penang?'],
    [recipient({ state: 'P.Pinang' }), 'did you mean pulau_pinang?'],
    [recipient({ state: 'Johor Darul Takzim' }), 'did you mean johor?'],
    [recipient({ state: 'SGR' }), 'did you mean selangor?'],
    [recipient({ state: 1 }), 'did you mean johor?'],
    [
      recipient({ state: 'Bavaria' }),
      `one of: ${STATE_CHOICES}; for an address outside Malaysia, send its country too`,
    ],
    [recipient({ country: 'MY' }), 'did you mean MYS (MALAYSIA)?'],
    [recipient({ country: 'Malaysia' }), 'did you mean MYS (MALAYSIA)?'],
    [recipient({ country: 'mys' }), 'did you mean MYS (MALAYSIA)?'],
    [recipient({ country: 'Brunei' }), 'did you mean BRN (BRUNEI DARUSSALAM)?'],
    [recipient({ country: '??' }), 'send the three letters of the country in ISO 3166-1, such as SGP for Singapore'],
    [recipient({ tin: 'C-1234567890' }), 'use C1234567890'],
    [
      recipient({ tin: '1234567890' }),
      'begin with the letters of the TIN, such as C1234567890 for a company or IG1234567890 for an individual',
    ],
    [
      recipient({ tin: '880101145678' }),
      'this looks like an NRIC or BRN; a TIN is such as C1234567890 for a company or IG1234567890 for an individual',
    ],
    [recipient({ nric: 'A1234567' }, PERSON), 'a passport or army number goes into passport or army, without nric'],
    [recipient({ nric: '1234567-A' }, PERSON), 'this looks like a BRN: send it as brn, with entity_type company'],
    [recipient({ nric: '10203045678' }, PERSON), 'are leading zeros missing? 010203045678'],
    [recipient({ nric: 880101145678 }, PERSON), 'write "880101145678", with quotation marks'],
    [recipient({ nric: undefined, brn: '202001234567' }, PERSON), 'or send entity_type company with the brn given'],
    [recipient({ brn: undefined, nric: '880101145678' }), 'or send entity_type individual with the id given'],
    [recipient({ phone: 'NA' }), 'leave it out'],
    [recipient({ phone: '-' }), 'leave it out'],
    [recipient({ phone: '\uFF2E\uFF21' }), 'leave it out'],
    [recipient({ phone: '03-1234 5678 ext 12' }), 'use +60312345678, one number without an extension; or leave it out'],
    [recipient({ phone: 'x' }), 'begin with + and the code of the country, such as +60398765432, or leave it out'],
    [recipient({ phone: 60312345678 }), 'write "60312345678", with quotation marks'],
    [recipient({ brn: '2020\u200B01234567' }), 'remove character 5, U+200B'],
    [recipient({ brn: '202001234567 (1234567-A)' }), 'use 202001234567, without the other number'],
    [recipient({ brn: '1234567-A (202001234567)' }), 'use 202001234567, without the other number'],
    [recipient({ brn: '202001234567（1234567-A）' }), 'use 202001234567, without the other number'],
    [bodyOf({ document_date: '0026-07-24' }), 'did you mean 2026-07-24?'],
    [bodyOf({ document_date: '1447-07-24' }), 'such as 2026-11-21'],
    [recipient({ entity_type: 'Company' }), 'did you mean company?'],
    [bodyOf({ documentType: 'creditNote' }), 'did you mean credit_note?'],
    [bodyOf({ document_date: '24/07/2026' }), 'use 2026-07-24'],
    [bodyOf({ document_date: '7.4.2026' }), 'did you mean 2026-04-07 or 2026-07-04?'],
    [bodyOf({ document_date: '2026/7/4' }), 'use 2026-07-04'],
    [bodyOf({ document_date: '20260724' }), 'use 2026-07-24'],
    [bodyOf({ document_date: '2026-07-24T20:30:00Z' }), 'use 2026-07-25, the date in Malaysia'],
    [bodyOf({ document_date: 'yesterday' }), 'such as "2026-01-31"'],
    [bodyOf({ document_date: '2026-13-45' }), 'such as 2026-11-21'],
    [bodyOf({ document_date: undefined }), 'or documentDate, such as "2026-01-31"'],
    [bodyOf({ document_date: '2026-02-30' }), 'the last day of that month is 2026-02-28'],
    [bodyOf({ document_date: '2026-24-07' }), 'did you mean 2026-07-24?'],
    [bodyOf({ document_date: '2026-11-22' }), 'use 2026-11-21 or earlier, or send the document on its date'],
    [line({ quantity: '12.50' }), 'write 12.5, without quotation marks'],
    [
      line({ unitPrice: 0.1234567 }),
      'use 0.12346, rounded to 5 decimals; if that changes the line total, send the price of 1,000 units and a thousandth of the quantity',
    ],
    [line({ lineTotal: 205.2 }), 'use 190, without the tax'],
    [
      line({ quantity: 1, unitPrice: 9.996, discount: 10, lineTotal: undefined }),
      'at most 9.99, an amount in MYR and not a percentage; credit an earlier invoice with a credit note',
    ],
    [line({ taxType: '1' }), 'did you mean 01 (Sales Tax)?'],
    [line({ taxType: 'Service tax' }), 'did you mean 02 (Service Tax)?'],
    [line({ taxType: 6 }), 'did you mean 06 (Not Applicable)?'],
    [line({ classification: 22 }), 'did you mean 022 (Others)?'],
    [line({ classification: 'Donation' }), 'did you mean 007 (Donation)?'],
    [line({ unitCode: 'kgm' }), 'did you mean KGM (kilogram)?'],
    [line({ unitCode: 'pcs' }), 'did you mean H87 (piece)?'],
    [line({ unitCode: 'kilogram' }), 'did you mean KGM (kilogram)?'],
    [line({ unitCode: '??' }), 'use C62, or leave it out'],
    [
      line({ taxType: '??' }),
      'one of: 01 (Sales Tax), 02 (Service Tax), 03 (Tourism Tax), 04 (High-Value Goods Tax), 05 (Sales Tax on Low Value Goods), 06 (Not Applicable), E (Tax exemption (where applicable))',
    ],
    [line({ classification: '999' }), 'use 022, or leave it out'],
    [recipient({ nric: undefined, passport: 'A/123.456' }, PERSON), 'use A123456'],
    [
      recipient({ nric: undefined, army: 'T'.repeat(13) }, PERSON),
      'send the number alone, as it is on the document, such as T1234567',
    ],
    [creditNote({ relatedInvoice: undefined }), 'send the invoice that the credit note corrects: {"referenceId": "…"}'],
    [
      bodyOf({ totalDiscountAmount: 200 }),
      'at most 190, in MYR and before tax; credit an earlier invoice with a credit note',
    ],
  ])('suggest for %j: %s', (body, hint) => {
    const problems = findProblems(body);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.hint).toBe(hint);
  });

  it('suggest only accepted values', () => {
    for (const { hint } of [
      ...findProblems(recipient({ country: 'Singapre', state: 'negri sembilan' })),
      ...findProblems(line({ unitCode: 'hr', taxType: '2', classification: '4' })),
    ]) {
      expect(hint).toMatch(/^did you mean /);
    }
  });
});

function findWarnings(body: unknown): readonly Warning[] {
  const { documents, warnings } = accepted(body);
  return toResponseWarnings(
    warnings.collect(),
    documents.map(({ document }) => document.referenceId),
  ).warnings;
}

describe('warnings', () => {
  const consolidated = (...documents: Members[]): Members => ({ submission_type: 'consolidated', documents });

  it('name unknown fields with the nearest known field', () => {
    const body = {
      ...buildBody(
        documentWith({
          referenceID: 1,
          recipient: { ...RECIPIENT, 'a/b~c': 1 },
          lineItems: [LINE, { ...LINE, unit_code: 'C62' }],
        }),
        documentWith({ referenceId: 'CN-1', documentType: 'credit_note', relatedInvoice: { ...PARENT, uuid: 'x' } }),
      ),
      submissiontype: 'x',
    };
    expect(findWarnings(body)).toEqual([
      {
        pointer: '/submissiontype',
        documentIndex: null,
        referenceId: null,
        rule: 'member_unknown',
        message: 'submissiontype is not a known field and was ignored',
        hint: 'did you mean submission_type or submissionType?',
      },
      {
        pointer: '/documents/0/referenceID',
        documentIndex: 0,
        referenceId: 'INV-1',
        rule: 'member_unknown',
        message: 'documents[0].referenceID is not a known field and was ignored',
        hint: 'did you mean referenceId?',
      },
      {
        pointer: '/documents/0/recipient/a~1b~0c',
        documentIndex: 0,
        referenceId: 'INV-1',
        rule: 'member_unknown',
        message: 'documents[0].recipient.a/b~c is not a known field and was ignored',
        hint: null,
      },
      {
        pointer: '/documents/0/lineItems/1/unit_code',
        documentIndex: 0,
        referenceId: 'INV-1',
        rule: 'member_unknown',
        message: 'documents[0].lineItems[1].unit_code is not a known field and was ignored',
        hint: 'did you mean unitCode?',
      },
      {
        pointer: '/documents/1/relatedInvoice/uuid',
        documentIndex: 1,
        referenceId: 'CN-1',
        rule: 'member_unknown',
        message: 'documents[1].relatedInvoice.uuid is not a known field and was ignored',
        hint: 'did you mean authorityUuid?',
      },
    ]);
  });

  it('ignore fields of the recipient of a consolidated document', () => {
    const odd = { foo: 1, tin: 'X', nested: { bar: 2 } };
    expect(findWarnings(consolidated(documentWith({ recipient: odd }))).map(({ rule }) => rule)).toEqual([
      'recipient_ignored',
    ]);
  });

  it.each([[RECIPIENT], ['shop'], [{}]])(
    'report that the buyer %j of a consolidated document is not sent',
    (ignored) => {
      expect(findWarnings(consolidated(documentWith({ recipient: ignored })))).toEqual([
        {
          pointer: '/documents/0/recipient',
          documentIndex: 0,
          referenceId: 'INV-1',
          rule: 'recipient_ignored',
          message:
            'documents[0].recipient is not sent: the authority takes one buyer for every consolidated document, the general public',
          hint: 'send a document for one buyer in a separate request with submission_type non-consolidated; or leave it out',
        },
      ]);
    },
  );

  it.each([[undefined], [null]])('are absent for the buyer %j of a consolidated document', (left) => {
    expect(findWarnings(consolidated(documentWith({ recipient: left })))).toEqual([]);
  });

  it('treat __proto__ and inherited names as unknown fields', () => {
    const body = JSON.parse(
      JSON.stringify(bodyOf()).replace('{"documentType"', '{"__proto__":{"x":1},"toString":1,"documentType"'),
    );
    expect(findWarnings(body).map(({ pointer }) => pointer)).toEqual([
      '/documents/0/__proto__',
      '/documents/0/toString',
    ]);
  });

  it('do not repeat a long name', () => {
    const [warning] = findWarnings(bodyOf({ ['x'.repeat(101)]: 1 }));
    expect(warning).toMatchObject({ pointer: '/documents/0', rule: 'member_unknown', hint: null });
    expect(warning?.message).toBe(
      'documents[0] has a field with a name of 101 characters, which is not known and was ignored',
    );
  });

  it('about ignored fields follow the errors of a rejected body', () => {
    const tinIsDoubtful = documentWith({ recipient: { ...RECIPIENT, tin: 'X1234567890' } });
    const body = buildBody(tinIsDoubtful, documentWith({ reference_Id: 'x', referenceId: undefined, foo: 1 }));
    expect(findProblems(body).map(({ pointer, rule, hint }) => [pointer, rule, hint])).toEqual([
      ['/documents/1/referenceId', 'reference_id_required', expect.any(String)],
      ['/documents/1/reference_Id', 'member_unknown', 'did you mean referenceId?'],
      ['/documents/1/foo', 'member_unknown', 'leave it out'],
    ]);
    const repeatedMembers = [{ pointer: '/documents/0/foo', isWithin: false, isSame: true }];
    const refused = readSubmitBody({ submission_type: 'x' }, NOW, { isStrict: false, repeatedMembers });
    expect('problems' in refused && refused.problems.at(-1)).toMatchObject({
      pointer: '/documents/0/foo',
      rule: 'member_repeated',
    });
  });

  it(`are listed up to ${WARNINGS_LISTED_MAX} and counted beyond`, () => {
    const extra = (count: number): Members =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, index]));
    const listAnswered = (count: number) =>
      toResponseWarnings(accepted(bodyOf(extra(count))).warnings.collect(), ['INV-1']);
    expect(listAnswered(WARNINGS_LISTED_MAX)).not.toHaveProperty('warningsNotListed');
    const { warnings, warningsNotListed } = listAnswered(WARNINGS_LISTED_MAX + 7);
    expect(warnings).toHaveLength(WARNINGS_LISTED_MAX);
    expect(warningsNotListed).toBe(7);
  });

  it.each<[Members, string | null]>([
    [{ tin: 'C1234567890' }, null],
    [{ tin: 'EI00000000020' }, null],
    [{ tin: 'C01234567890' }, 'without zeros after the letters: C1234567890'],
    [{ tin: 'C1234567891' }, 'compare it with the registration: the TIN of an organisation ends in 0'],
    [{ tin: 'OG12345678901' }, 'individuals have IG now: IG12345678901'],
    [{ tin: 'X1234567890' }, 'TINs begin with IG, C, CS, D, F, FA, J, LE, PT, TA, TC, TN, TP or TR'],
  ])('concern the TIN format of the authority (CF358): %j, %s', (change, hint) => {
    const expected =
      hint === null ? [] : [{ pointer: '/documents/0/recipient/tin', rule: 'recipient_tin_doubtful', hint }];
    expect(findWarnings(recipient(change))).toMatchObject(expected);
  });

  it.each<[of: string, body: unknown, warning: Partial<Warning> | null]>([
    [
      'the general TIN that is for foreign suppliers',
      recipient({ tin: 'EI00000000030' }),
      { rule: 'recipient_tin_of_suppliers', hint: 'a foreign buyer without a TIN has EI00000000020' },
    ],
    [
      "the authority's placeholder in the place of a buyer's name",
      recipient({ name: "Consolidated Buyer's" }),
      { pointer: '/documents/0/recipient/name', rule: 'recipient_name_reserved' },
    ],
    [
      'a passport beside the TIN of the Malaysian public',
      recipient({ tin: 'EI00000000010', nric: undefined, passport: 'A12345678' }, PERSON),
      { rule: 'recipient_tin_of_malaysians', hint: 'a foreign buyer without a TIN has EI00000000020' },
    ],
    ['not of an NRIC', recipient({ tin: 'EI00000000010' }, PERSON), null],
    ['nor of an army number', recipient({ tin: 'EI00000000010', nric: undefined, army: 'T1' }, PERSON), null],
    ['nor of another TIN', recipient({ tin: 'EI00000000020', nric: undefined, passport: 'A1' }, PERSON), null],
    [
      'a BRN in the NRIC (CF324)',
      recipient({ nric: '201901234567' }, PERSON),
      { rule: 'recipient_nric_doubtful', hint: 'a BRN is sent as brn, with entity_type company' },
    ],
    ['no day', recipient({ nric: '881301145678' }, PERSON), { rule: 'recipient_nric_doubtful' }],
    ['an NRIC in the BRN (ERR206)', recipient({ brn: '880101-14-5678' }), { rule: 'recipient_brn_doubtful' }],
    [
      'a BRN of before 2019',
      recipient({ brn: '123456-A' }),
      { rule: 'recipient_brn_earlier', hint: 'send the 12-digit number of SSM' },
    ],
    ['a BRN of before 2019 without its hyphen', recipient({ brn: '1234567X' }), { rule: 'recipient_brn_earlier' }],
    ...['1312525 A', '１２３４５６７－Ａ', '１３１２５２５Ａ'].map((brn): [string, unknown, Partial<Warning>] => [
      `a BRN of before 2019 in another form: ${brn}`,
      recipient({ brn }),
      { rule: 'recipient_brn_earlier' },
    ]),
    [
      'a tax number of another country',
      recipient({ tin: 'T12345678', country: 'SGP', state: undefined }),
      {
        rule: 'recipient_tin_doubtful',
        hint: expect.stringMatching(/; use EI00000000020, if the buyer has no TIN of Malaysia$/) as string,
      },
    ],
    [
      'a class of self-billed documents of a government body',
      bodyOf({ recipient: { ...RECIPIENT, tin: 'EI00000000040' }, lineItems: [{ ...LINE, classification: '037' }] }),
      { pointer: '/documents/0/lineItems/0/classification', rule: 'line_classification_self_billed' },
    ],
    ['not of the number of a society', recipient({ brn: 'PPM-001-10-12345678' }), null],
    [
      'a class of self-billed documents',
      line({ classification: '036' }),
      { pointer: '/documents/0/lineItems/0/classification', rule: 'line_classification_self_billed' },
    ],
    ['not of a BRN', recipient({ brn: '202001234567' }), null],
    ['nor of the zeros of who has none', recipient({ nric: '000000000000' }, PERSON), null],
    [
      'a BRN with another number in brackets',
      recipient({ brn: '202001234567(12345A)' }),
      { pointer: '/documents/0/recipient/brn', rule: 'recipient_brn_two_numbers', hint: 'use 202001234567' },
    ],
    [
      'an authorityUuid that is no id of the authority',
      creditNote({ relatedInvoice: { ...PARENT, authorityUuid: '0190d6f4-1111-7abc-8def-0123456789ab' } }),
      { pointer: '/documents/0/relatedInvoice/authorityUuid', rule: 'related_invoice_authority_uuid_doubtful' },
    ],
    [
      'tax under the type of lines without tax',
      line({ taxType: '06' }),
      { pointer: '/documents/0/lineItems/0/taxType', rule: 'line_tax_type_not_applicable' },
    ],
    ['not where there is none', line({ taxType: '06', taxAmount: 0 }), null],
    ['nor under another type', line({ taxType: '02' }), null],
    ...[undefined, '01'].map((taxType): [string, unknown, Partial<Warning>] => [
      `the reason of an exemption on a line that is not exempt: ${taxType}`,
      line({ taxType, taxExemptionReason: 'Order: 2018' }),
      { pointer: '/documents/0/lineItems/0/taxExemptionReason', rule: 'line_tax_exemption_reason_ignored' },
    ]),
  ])('concern %s', (_, body, warning) => {
    expect(findWarnings(body)).toMatchObject(warning === null ? [] : [warning]);
  });

  it.each(['NA', ' na ', '-', 'N/A', 'nil'])('concern the BRN %j of a foreign company, which is sent as NA', (brn) => {
    const body = recipient({ tin: 'EI00000000020', brn });
    expect(findWarnings(body)).toMatchObject([
      { pointer: '/documents/0/recipient/brn', rule: 'recipient_brn_not_applicable' },
    ]);
    expect(accepted(body).documents[0].document.recipient).toMatchObject({ idType: 'BRN', idValue: 'NA' });
  });

  it('concern only a consolidated line above RM 10,000', () => {
    const of = (unitPrice: number): Members => ({ description: 'Receipts', quantity: 1, unitPrice });
    const lineItems = [of(10_000), of(10_000.01)];
    expect(findWarnings(consolidated(documentWith({ lineItems, recipient: undefined })))).toMatchObject([
      {
        pointer: '/documents/0/lineItems/1/lineTotal',
        rule: 'line_consolidated_amount',
        message:
          'documents[0].lineItems[1].lineTotal is 10000.01: a single sale above RM 10,000 must not be consolidated',
      },
    ]);
    expect(findWarnings(bodyOf({ lineItems }))).toEqual([]);
  });

  it('concern exempted tax if it is specified', () => {
    const exempt = { ...LINE, taxType: 'E', taxExemptionReason: 'Order' };
    const byUnit = { ...exempt, taxAmount: undefined, taxPerUnit: 10 };
    const byRate = { ...exempt, taxAmount: undefined, tax_rate: 8 };
    const lineItems = [exempt, byUnit, { ...exempt, taxAmount: 0 }, LINE, byRate];
    expect(findWarnings(bodyOf({ lineItems }))).toMatchObject([
      {
        pointer: '/documents/0/lineItems/0/taxAmount',
        rule: 'line_tax_exempted',
        hint: 'to charge 15.2, send the type of the tax as taxType and leave taxExemptionReason out',
      },
      { pointer: '/documents/0/lineItems/1/taxPerUnit', rule: 'line_tax_exempted' },
      { pointer: '/documents/0/lineItems/4/tax_rate', rule: 'line_tax_exempted' },
    ]);
  });

  it('concern a tax that matches no usual percentage', () => {
    const room = { description: 'Room', quantity: 1, unitPrice: 345.67, taxType: '03', taxAmount: 10 };
    const exempt = { taxType: 'E', taxExemptionReason: 'Order' };
    const lineItems = [
      room,
      { ...room, taxPerUnit: 10 },
      { ...room, taxAmount: 27.65 },
      { ...room, ...exempt },
      { ...room, taxRate: 2.89 },
    ];
    expect(findWarnings(bodyOf({ lineItems }))).toMatchObject([
      {
        pointer: '/documents/0/lineItems/0/taxAmount',
        rule: 'line_tax_percent_inexact',
        message:
          'documents[0].lineItems[0].taxAmount is no whole, half or quarter percentage of the line total: 2.89 % is stated',
      },
      { pointer: '/documents/0/lineItems/3/taxAmount', rule: 'line_tax_exempted' },
    ]);
  });

  it('concern a specified rate below 1, which may be a fraction', () => {
    const lineItems = [
      { ...LINE, taxAmount: undefined, taxRate: 0.08 },
      { ...LINE, taxAmount: undefined, tax_rate: 0.08 },
    ];
    expect(findWarnings(bodyOf({ lineItems }))).toMatchObject([
      {
        pointer: '/documents/0/lineItems/0/taxRate',
        rule: 'line_tax_rate_low',
        hint: 'send 8 if that is the rate in percent',
      },
      { pointer: '/documents/0/lineItems/1/tax_rate', rule: 'line_tax_rate_low' },
    ]);
  });

  it('concern a rounding adjustment beyond 0.05 in either direction', () => {
    for (const totalRoundingAmount of [0.06, -0.06]) {
      expect(findWarnings(bodyOf({ totalRoundingAmount }))).toMatchObject([
        {
          pointer: '/documents/0/totalRoundingAmount',
          rule: 'total_rounding_amount_high',
          message: 'documents[0].totalRoundingAmount is beyond ±0.05, which no rounding to five sen exceeds',
        },
      ]);
    }
    for (const totalRoundingAmount of [0.05, -0.05]) expect(findWarnings(bodyOf({ totalRoundingAmount }))).toEqual([]);
  });

  it('concern a percentage above 30', () => {
    const lineItems = [
      { ...LINE, taxAmount: 57 },
      { ...LINE, taxAmount: 57.01 },
      { ...LINE, taxAmount: undefined, taxRate: 30.01 },
      { ...LINE, taxAmount: undefined, tax_rate: 48 },
      { ...LINE, taxAmount: 76, taxRate: 40 },
      { ...LINE, taxAmount: undefined, taxRate: 30 },
      { description: 'Nail', quantity: 1, unitPrice: 0.02, taxRate: 30 },
    ];
    expect(findWarnings(bodyOf({ lineItems }))).toMatchObject([
      {
        pointer: '/documents/0/lineItems/1/taxAmount',
        rule: 'line_tax_high',
        message: 'documents[0].lineItems[1].taxAmount is 30.01 % of the line total, and no tax is above 30 %',
        hint: 'send the tax of this line alone, in MYR',
      },
      {
        pointer: '/documents/0/lineItems/2/taxRate',
        rule: 'line_tax_high',
        message: 'documents[0].lineItems[2].taxRate is 30.01 %, and no tax is above 30 %',
        hint: 'compare it with the rate in percent; send a tax in MYR as taxAmount, without the rate',
      },
      { pointer: '/documents/0/lineItems/3/tax_rate', rule: 'line_tax_high' },
      {
        pointer: '/documents/0/lineItems/4/taxAmount',
        rule: 'line_tax_high',
        message: 'documents[0].lineItems[4].taxAmount is 40 % of the line total, and no tax is above 30 %',
        hint: 'send the tax of this line alone, in MYR, with its rate in percent',
      },
    ]);
  });

  it('do not concern a high tax per unit', () => {
    const lineItems = [{ ...LINE, unitPrice: 0, discount: 0, lineTotal: 0, taxAmount: undefined, taxPerUnit: 10 }];
    expect(findWarnings(bodyOf({ lineItems }))).toEqual([]);
  });

  it.each<[Members, Members, string, string]>([
    [{ nric: '880101145678' }, RECIPIENT, 'nric', 'brn'],
    [{ brn: '202001234567' }, PERSON, 'brn', 'nric'],
    [{ passport: 'A1' }, PERSON, 'passport', 'nric'],
    [{ nric: undefined, passport: 'A1', army: 'T1' }, PERSON, 'army', 'passport'],
  ])('concern the second of two ids, which is not sent: %j', (change, base, ignored, sent) => {
    expect(findWarnings(recipient(change, base))).toMatchObject([
      {
        pointer: `/documents/0/recipient/${ignored}`,
        rule: 'recipient_id_ignored',
        message: `documents[0].recipient.${ignored} is not sent: the authority takes one id of a buyer, and that is ${sent} here`,
      },
    ]);
  });

  it.each([
    ['a+b@pembeli.example', true],
    ['é@pembeli.example', true],
    ['.ap@pembeli.example', true],
    ['a..p@pembeli.example', true],
    ['ap@pembeli..example', true],
    ['ap@-pembeli.example', true],
    ['ap@pembeli.e', true],
    ["o'hara@pembeli.example", true],
    [`${'a'.repeat(65)}@pembeli.example`, true],
    [`${'a'.repeat(64)}@pembeli.example`, false],
    ['ap@pembeli.example', false],
    ['a.p_1-x@mail-2.pembeli.com.my', false],
  ])('concern an e-mail address that the authority rejects (CF403): %s, %s', (email, isDoubtful) => {
    const expected = isDoubtful ? [{ pointer: '/documents/0/recipient/email', rule: 'recipient_email_doubtful' }] : [];
    expect(findWarnings(recipient({ email }))).toMatchObject(expected);
  });

  it('concern the consolidated sales class for a named buyer', () => {
    const lineItems = [{ ...LINE, classification: '004' }];
    expect(findWarnings(bodyOf({ lineItems }))).toMatchObject([
      { pointer: '/documents/0/lineItems/0/classification', rule: 'line_classification_consolidated' },
    ]);
    const government = { ...RECIPIENT, tin: 'EI00000000040', brn: 'NA' };
    expect(findWarnings(bodyOf({ lineItems, recipient: government }))).toEqual([]);
    expect(findWarnings(consolidated(documentWith({ lineItems, recipient: undefined })))).toEqual([]);
  });

  it.each([
    ['Sales Tax Act 2018, No: (C01-2345)', null],
    ['P.U.(A) 275/2018', null],
    ['Order #5 of "2018"', 'use Order 5 of 2018'],
    ['Order\n2018', 'use Order 2018'],
    ['#', 'send the order or certificate that exempts the line'],
    ['Order 2018  P-1', null],
    ['免税 2018', null],
  ])('concern special characters in an exemption reason: %j, %s', (taxExemptionReason, hint) => {
    const expected = hint === null ? [] : [{ rule: 'line_tax_exemption_reason_doubtful', hint }];
    expect(findWarnings(line({ taxType: 'E', taxExemptionReason, taxAmount: 0 }))).toMatchObject(expected);
  });

  it("have no correction for last month's consolidation on the seventh", () => {
    const body = consolidated(documentWith({ document_date: '2026-10-31', recipient: undefined }));
    expect(findWarnings(body)).toMatchObject([
      {
        rule: 'document_date_too_old',
        hint: 'no correction is needed within seven days of the end of the month of the sales',
      },
    ]);
  });

  // It is 07:30 in Malaysia. 71 hours earlier it was 08:30 on the 18th.
  it.each([
    ['2026-11-21', false],
    ['2026-11-18', false],
    ['2026-11-17', true],
    ['2000-01-01', true],
  ])('concern a date that differs from the legal date of issue: %s, %s', (date, isOld) => {
    for (const spelling of ['document_date', 'documentDate']) {
      const body = bodyOf({ document_date: undefined, [spelling]: date });
      const expected = isOld ? [{ pointer: `/documents/0/${spelling}`, rule: 'document_date_too_old' }] : [];
      expect(findWarnings(body)).toMatchObject(expected);
    }
  });

  it('have documented identifiers', () => {
    const bodies = [
      bodyOf({ foo: 1 }),
      recipient({ tin: 'X1234567890', nric: '999999999999' }, PERSON),
      recipient({ brn: '880101145678' }),
    ];
    for (const { rule } of bodies.flatMap(findWarnings)) expect(SUBMIT_WARNING_IDS).toContain(rule);
    expect(new Set([...SUBMIT_RULE_IDS, ...SUBMIT_WARNING_IDS]).size).toBe(
      SUBMIT_RULE_IDS.length + SUBMIT_WARNING_IDS.length,
    );
  });
});

describe('strict mode', () => {
  const strictly = (body: unknown): readonly Problem[] => {
    const result = readSubmitBody(JSON.parse(JSON.stringify(body)), NOW, { isStrict: true });
    return 'problems' in result ? result.problems : [];
  };

  it('rejects unknown fields in addition to all other errors', () => {
    const body = bodyOf({ foo: 1, recipient: { ...RECIPIENT, postcode: '1', zip: '1' } });
    expect(strictly(body).map(toSentence)).toEqual([
      `${R}.postcode must be 5 digits`,
      `${D}.foo is not a known field`,
      `${R}.zip is not a known field`,
    ]);
  });

  it('does not change other warnings', () => {
    expect(strictly(recipient({ tin: 'X1234567890' }))).toEqual([]);
  });

  it('lists at most 500 errors', () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`x${index}`, 1]));
    expect(strictly(bodyOf(many))).toHaveLength(PROBLEMS_MAX);
  });
});
