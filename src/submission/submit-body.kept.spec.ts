import 'reflect-metadata';
import * as fc from 'fast-check';
import { UNSUPPORTED_MEMBER } from '../documents/unsupported-members.js';
import { describe, expect, it } from 'vitest';
import { STATE_SLUGS } from '../documents/code-lists.js';
import { ANY_CHARACTER } from '../common/any-character.fixtures.js';
import { DocumentDto } from '../documents/dto/document.dto.js';
import { LineItemDto } from '../documents/dto/line-item.dto.js';
import { RecipientDto } from '../documents/dto/recipient.dto.js';
import { compileShape, type DtoClass } from '../http/validation/shape.js';
import { MEMBER_UNKNOWN } from '../http/validation/unknown-members.js';
import { SUBMIT_RULE_IDS, readSubmitBody } from './submit-body.js';
import {
  type Members,
  NOW,
  PERSON,
  FOREIGNER,
  LINE,
  PARENT,
  documentWith,
  bodyOf,
  buildBody,
  recipient,
  creditNote,
  findSentences,
  accepted,
} from './submit-body.fixtures.js';

describe('accepted document', () => {
  it.each([
    ['03-1234 5678', '+60312345678'],
    ['(012) 345.6789', '+60123456789'],
    ['60123456789', '+60123456789'],
    ['+60 12-345 6789', '+60123456789'],
    ['+60 (0)12-345 6789', '+60123456789'],
    ['0060123456789', '+60123456789'],
    ['006591234567', '+6591234567'],
    ['\u202a+65 9123\u20114567\u202c', '+6591234567'],
    ['０３１２３４５６７８', '+60312345678'],
    ['+00000000', '+00000000'],
  ])('has its phone in international form if the country is certain: %j', (sent, kept) => {
    expect(accepted(recipient({ phone: sent })).documents[0]?.document.recipient?.phone).toBe(kept);
  });

  it('has no postcode if a foreign address omits it', () => {
    for (const postcode of [undefined, '', ' ']) {
      expect(accepted(recipient({ postcode }, FOREIGNER)).documents[0]?.document.recipient?.postcode).toBeNull();
    }
  });

  it('has trimmed texts, normalised ids and one spelling of each field', () => {
    const buyer = {
      ...PERSON,
      name: ' Ali ',
      tin: ' ig 123\u200b45678901',
      nric: '880101-14-5678',
      addressLine2: '',
      state: 'penang',
    };
    const { submissionType, documents } = accepted(bodyOf({ referenceId: ' INV-1 ', recipient: buyer }));
    expect(submissionType).toBe('non-consolidated');
    expect(documents).toHaveLength(1);
    expect(documents[0]?.document).toEqual({
      submissionType: 'non-consolidated',
      documentType: 'invoice',
      referenceId: 'INV-1',
      documentDate: '2026-11-20',
      recipient: {
        name: 'Ali',
        tin: 'IG12345678901',
        idType: 'NRIC',
        idValue: '880101145678',
        addressLines: ['12 Jalan Contoh'],
        city: 'Shah Alam',
        postcode: '40000',
        stateCode: '07',
        country: 'MYS',
        phone: null,
        email: null,
        sstNumber: null,
      },
      lineItems: [
        {
          ...LINE,
          taxType: null,
          taxExemptionReason: null,
          classification: null,
          unitCode: null,
        },
      ],
      totalDiscountAmount: 0,
      totalRoundingAmount: 0,
      relatedInvoice: null,
    });
    expect(documents[0]?.totals).toEqual({
      totalExcludingTax: 190,
      totalTaxAmount: 15.2,
      totalIncludingTax: 205.2,
      totalPayableAmount: 205.2,
    });
    expect(documents[0]?.wireBytesMax).toBeGreaterThan(1_000);
  });

  it('has computed totals and the specified line total', () => {
    const lineItems = [
      { description: 'a', quantity: 3, unitPrice: 0.335 },
      { ...LINE, lineTotal: 190.01 },
    ];
    const [first] = accepted(creditNote({ lineItems })).documents;
    expect(first?.document.lineItems.map(({ lineTotal }) => lineTotal)).toEqual([1.01, 190.01]);
    expect(first?.document.relatedInvoice).toEqual(PARENT);
    expect(first?.totals.totalExcludingTax).toBe(191.02);
  });

  it('has trimmed payment terms or none', () => {
    const kept = (paymentTerms?: string): string =>
      JSON.stringify(accepted(buildBody(documentWith({ paymentTerms }))).documents[0]?.document);
    expect(JSON.parse(kept(' 30 days\n'))).toMatchObject({ paymentTerms: '30 days' });
    for (const none of [undefined, '', ' ']) expect(kept(none)).not.toContain('paymentTerms');
  });

  it('distinguishes exempted tax from charged tax', () => {
    const exempt = { ...LINE, taxType: 'E', taxExemptionReason: 'Order' };
    const night = { description: 'Room', quantity: 3, unitPrice: 100, taxPerUnit: 10 };
    const lineItems = [exempt, night, { ...night, taxUnitCount: 2.5, taxAmount: 25.01 }];
    const [first] = accepted(bodyOf({ lineItems })).documents;
    expect(first?.document.lineItems).toMatchObject([
      { taxAmount: 0, exemptedTaxAmount: 15.2 },
      { taxAmount: 30, unitTax: { taxPerUnit: 10, unitCount: 3 } },
      { taxAmount: 25.01, unitTax: { taxPerUnit: 10, unitCount: 2.5 } },
    ]);
    expect(first?.totals).toMatchObject({ totalExcludingTax: 790, totalTaxAmount: 55.01 });
  });

  it('has the tax of a rate in either spelling', () => {
    const item = { ...LINE, taxAmount: undefined };
    const lineItems = [
      { ...item, taxRate: 6 },
      { ...item, tax_rate: 7.75 },
      { ...LINE, taxAmount: 11.41, taxRate: 6 },
      { ...item, taxRate: 6, taxType: 'E', taxExemptionReason: 'Order' },
      // The exact tax is 1.005.
      { description: 'Tea', quantity: 1, unitPrice: 13.4, taxRate: 7.5 },
      { ...item, taxRate: 0, tax_rate: 0 },
      { ...item, taxRate: null },
    ];
    const [first] = accepted(bodyOf({ lineItems })).documents;
    expect(first.document.lineItems.map(({ taxRate, taxAmount }) => [taxRate, taxAmount])).toEqual([
      [6, 11.4],
      [7.75, 14.73],
      [6, 11.41],
      [6, 0],
      [7.5, 1.01],
      [0, 0],
      [undefined, 0],
    ]);
    expect(first.document.lineItems[3].exemptedTaxAmount).toBe(11.4);
    expect(first.totals.totalTaxAmount).toBe(38.55);
  });

  it.each<[Members, Members]>([
    [{ state: 'Bavaria' }, { stateCode: 'Bavaria' }],
    [{ state: 'not_applicable' }, { stateCode: '17' }],
    [{ state: 'NA' }, { stateCode: '17' }],
    [{ state: ' n/a ' }, { stateCode: '17' }],
    [{ state: '-' }, { stateCode: '17' }],
    [{ state: 'Nara' }, { stateCode: 'Nara' }],
    [{}, { stateCode: '17' }],
    [
      { brn: undefined, entity_type: 'individual', passport: 'a 1-2' },
      { idType: 'PASSPORT', idValue: 'a12' },
    ],
  ])('has the foreign buyer %j as %j', (change, kept) => {
    expect(accepted(recipient(change, FOREIGNER)).documents[0]?.document.recipient).toMatchObject(kept);
  });

  it.each(['-', 'NA', 'N/A', 'nil', '\uFF0D', '\uFF2E\uFF21', '\u2013'])('has no SST number for %s', (sstNumber) => {
    const [{ document }] = accepted(recipient({ sstNumber })).documents;
    expect(document.recipient?.sstNumber).toBeNull();
  });

  it('has full-width characters of a TIN and an id as ASCII', () => {
    const wide = { tin: '\uFF239876543210', brn: '\uFF12\uFF10\uFF12\uFF1001234567', sstNumber: '\uFF3710-1808' };
    const [{ document }] = accepted(recipient(wide)).documents;
    expect(document.recipient).toMatchObject({ tin: 'C9876543210', idValue: '202001234567', sstNumber: 'W10-1808' });
  });

  it('has a BRN in its registered form without surrounding white space', () => {
    const [first] = accepted(recipient({ brn: ' PPM-001-10-12345678 ' })).documents;
    expect(first.document.recipient).toMatchObject({ idType: 'BRN', idValue: 'PPM-001-10-12345678' });
  });

  it('has no buyer if it is consolidated', () => {
    const result = accepted({ submission_type: 'consolidated', documents: [documentWith()] });
    expect(result.documents[0]?.document.recipient).toBeNull();
  });

  it('has 0 instead of -0', () => {
    const result = readSubmitBody(bodyOf({ lineItems: [{ ...LINE, discount: -0, lineTotal: 200 }] }), NOW);
    expect('documents' in result && result.documents[0]?.document.lineItems[0]?.discount).toBe(0);
  });
});

describe('readSubmitBody with arbitrary JSON', () => {
  const text = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 8 }),
    fc.constantFrom(
      'invoice',
      'credit_note',
      'company',
      'individual',
      'MYS',
      'SGP',
      '2026-02-30',
      '2026-11-20',
      'E',
      ' ',
      '\ud800',
    ),
  );
  const amount = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, 1, 1e13, 1e308, Infinity, NaN, 0.1));
  const leaf = fc.oneof(text, amount, fc.constantFrom(null, true), fc.jsonValue({ maxDepth: 2 }));
  const object = (members: readonly string[], inner: fc.Arbitrary<unknown> = leaf): fc.Arbitrary<unknown> =>
    fc.dictionary(fc.constantFrom(...members, '__proto__', 'constructor', 'toString'), inner, { maxKeys: 12 });
  const membersOf = (dto: DtoClass): string[] => [...compileShape(dto).members];
  const anyLine = object(membersOf(LineItemDto));
  const anyRecipient = object(membersOf(RecipientDto));
  const overlay = object(
    membersOf(DocumentDto),
    fc.oneof({ weight: 3, arbitrary: leaf }, anyRecipient, fc.array(fc.oneof(anyLine, leaf), { maxLength: 3 })),
  );
  const anyDocument = fc.oneof(
    leaf,
    overlay,
    overlay.map((change) => documentWith(change as Members)),
  );
  const anyBody = fc.oneof(
    fc.jsonValue(),
    fc.record({
      submission_type: fc.oneof(fc.constantFrom('consolidated', 'non-consolidated'), leaf),
      documents: fc.oneof({ weight: 9, arbitrary: fc.array(anyDocument, { maxLength: 4 }) }, leaf),
    }),
  );

  it('returns problems instead of throwing', () => {
    const seen = { accepted: 0, rules: new Set<string>() };
    fc.assert(
      fc.property(anyBody, (body) => {
        const result = readSubmitBody(body, NOW);
        if (!('problems' in result)) {
          seen.accepted += 1;
          return;
        }
        // Pointers of unknown fields end with the sent names, which may contain any character.
        const broken = result.problems.filter(({ rule }) => rule !== MEMBER_UNKNOWN && rule !== UNSUPPORTED_MEMBER);
        expect(broken.length).toBeGreaterThan(0);
        const mistakes = new Set<string>();
        for (const { pointer, rule, message } of broken) {
          expect(pointer).toMatch(/^(\/[A-Za-z0-9_]+)*$/);
          expect(SUBMIT_RULE_IDS).toContain(rule);
          expect(message).toMatch(/^\S.*\S$/);
          mistakes.add(`${pointer} ${rule}`);
        }
        // Each mistake must be reported only once.
        expect(mistakes.size).toBe(broken.length);
        for (const { rule } of broken) seen.rules.add(rule);
      }),
      { numRuns: 2_000 },
    );
    // The generated bodies must break many different rules.
    expect(seen.rules.size).toBeGreaterThan(25);
  });
});

/** Generates numbers with up to five decimals. */
function fine(max: number): fc.Arbitrary<number> {
  return fc.integer({ min: 1, max }).map((count) => count / 1e5);
}

describe('readSubmitBody with valid bodies', () => {
  const money = fc.integer({ min: 0, max: 1_000_000 }).map((sen) => sen / 100);
  const words = fc.stringMatching(/^[A-Za-z0-9](?:[ -~]{0,40}[A-Za-z0-9])?$/);
  const validLine = fc
    .record({
      description: words,
      quantity: fine(1e8),
      unitPrice: fine(1e8),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      taxAmount: money,
    })
    .map(({ part, ...rest }) => ({ ...rest, discount: Math.floor(rest.quantity * rest.unitPrice * part * 99) / 100 }));
  const validRecipient = fc.record({
    name: words,
    addressLine1: words,
    city: words.map((word) => word.slice(0, 40)),
    postcode: fc.stringMatching(/^\d{5}$/),
    state: fc.constantFrom(...STATE_SLUGS.filter((slug) => slug !== 'not_applicable')),
    tin: fc.stringMatching(/^[A-Z]{1,2}\d{6,12}$/).filter((tin) => tin !== 'EI00000000010'),
    brn: fc.stringMatching(/^\d{12}$/),
    nric: fc.stringMatching(/^\d{6}-\d{2}-\d{4}$/),
    entity_type: fc.constantFrom('company', 'individual'),
  });
  const validDocument = fc.record({
    documentType: fc.constant('invoice'),
    document_date: fc
      .date({ min: new Date('2000-01-01'), max: NOW, noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
    recipient: validRecipient,
    lineItems: fc.array(validLine, { minLength: 1, maxLength: 5 }),
    totalRoundingAmount: money,
  });

  it('returns one document per sent document', () => {
    fc.assert(
      fc.property(fc.array(validDocument, { minLength: 1, maxLength: 5 }), (documents) => {
        const body = buildBody(...documents.map((document, index) => ({ ...document, referenceId: `INV-${index}` })));
        expect(findSentences(body)).toEqual([]);
        expect(accepted(body).documents.map(({ document }) => document.referenceId)).toEqual(
          documents.map((_document, index) => `INV-${index}`),
        );
      }),
      { numRuns: 300 },
    );
  });
});
