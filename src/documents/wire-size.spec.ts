import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../common/any-character.fixtures.js';
import {
  CERTIFICATE_BYTES_MAX,
  ISSUER_NAME_JSON_BYTES_MAX,
  RSA_KEY_BITS_MAX,
  SERIAL_NUMBER_DIGITS_MAX,
  type Signer,
} from '../common/signing/signer.js';
import { type AuthorityDocumentInput, buildAuthorityDocument } from './authority-document.js';
import { LINE_TEXTS } from './dto/line-item.dto.js';
import { RECIPIENT_TEXTS } from './dto/recipient.dto.js';
import type { LineItem, Recipient, RelatedInvoice, SimplifiedDocument, Supplier } from './simplified-document.js';
import { signDocument } from './signature.js';
import { estimateBuiltBytesMax, estimateWireBytesMax } from './wire-size.js';

// Texts of any script with emoji and quotes, but without control characters (docs/rules.md#body-rules).
const unit = fc.oneof(
  fc.constantFrom('a', '"', '\\', 'é', '手', '😀', '\u2028', '\t', '\n'),
  ANY_CHARACTER.filter((text) => !/\p{Cc}/u.test(text)),
);
const generateText = (max: number) =>
  fc.oneof(
    fc.string({ unit, minLength: 1, maxLength: max }),
    unit.map((own) => own.repeat(max)),
  );
// Characters of one byte. A quote would have two.
const generateCode = (max: number) => fc.string({ unit: fc.constantFrom('0', 'A', '-'), maxLength: max });

const sen = fc
  .oneof(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: 999_999_999_999_999 }))
  .map((units) => Number(`${units}e-2`));
const fine = fc.integer({ min: 0, max: 1_000_000_000 }).map((units) => Number(`${units}e-5`));

/** Values for every field, including optional ones. A forgotten field would not be tested. */
type Every<T> = { readonly [Field in keyof T]-?: fc.Arbitrary<T[Field]> };

function forEachText<Name extends string, T>(names: readonly Name[], value: T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, T>;
}

const optionalText = fc.option(generateText(300));

const LINE: Every<LineItem> = {
  ...forEachText(LINE_TEXTS, optionalText),
  description: generateText(300),
  quantity: fine,
  unitPrice: fine,
  discount: fc.oneof(fc.constant(0), sen),
  lineTotal: fc.oneof(fc.constant(0.01), sen),
  taxAmount: fc.oneof(fc.constant(0), sen),
  exemptedTaxAmount: fc.option(sen, { nil: undefined }),
  taxRate: fc.option(fc.constantFrom(0, 6, 99.99, 100), { nil: undefined }),
  taxExemptionReason: fc.option(generateText(300)),
  unitTax: fc.option(fc.record({ taxPerUnit: fine, unitCount: fine }), { nil: undefined }),
  taxType: fc.option(fc.constantFrom('01', '02', '03', '04', '05', '06', 'E')),
  classification: fc.option(fc.constantFrom('001', '045')),
  unitCode: fc.option(fc.constantFrom('C62', 'KGM')),
};
const line: fc.Arbitrary<LineItem> = fc.record(LINE);

const RECIPIENT: Every<Recipient> = {
  ...forEachText(RECIPIENT_TEXTS, optionalText),
  addressLines: fc.array(generateText(150), { minLength: 1, maxLength: 3 }),
  city: generateText(50),
  postcode: generateText(50),
  stateCode: generateText(50),
  country: fc.constant('MYS'),
  name: generateText(300),
  idType: fc.constantFrom('BRN' as const, 'PASSPORT' as const),
  tin: generateCode(14),
  idValue: generateCode(20),
  phone: fc.option(generateCode(20)),
  email: fc.option(generateText(320)),
  sstNumber: fc.option(generateCode(35)),
};

const RELATED: Every<RelatedInvoice> = { referenceId: generateText(50), authorityUuid: fc.constant(null) };

// Every text has its maximum length in four-byte characters, so that the supplier's bound hides no other error.
const longestSupplier: Supplier = {
  name: '😀'.repeat(300),
  activity: '😀'.repeat(300),
  addressLines: ['😀'.repeat(150), '😀'.repeat(150), '😀'.repeat(150)],
  city: '😀'.repeat(50),
  postcode: '😀'.repeat(50),
  stateCode: '17',
  country: 'SGP',
  tin: 'C'.repeat(14),
  idType: 'PASSPORT',
  idValue: 'A'.repeat(20),
  sstNumber: '😀'.repeat(35),
  ttxNumber: '😀'.repeat(17),
  msic: '46510',
  phone: '+'.repeat(20),
  email: '😀'.repeat(320),
  defaultTaxType: '01',
  defaultClassification: null,
};

const DOCUMENT: Every<SimplifiedDocument> = {
  submissionType: fc.constantFrom('consolidated', 'non-consolidated'),
  documentType: fc.constantFrom('invoice', 'credit_note'),
  referenceId: generateText(50),
  documentDate: fc.constant('2026-07-23'),
  dateMember: fc.constant(undefined),
  recipient: fc.record(RECIPIENT),
  lineItems: fc.array(line, { minLength: 1, maxLength: 12 }),
  totalDiscountAmount: fc.oneof(fc.constant(0), sen),
  totalRoundingAmount: fc.constantFrom(0, -0.04, 1_000_000.01),
  paymentTerms: fc.option(generateText(300), { nil: undefined }),
  relatedInvoice: fc.record(RELATED),
};

const document: fc.Arbitrary<SimplifiedDocument> = fc.record(DOCUMENT).map((own) => ({
  ...own,
  recipient: own.submissionType === 'consolidated' ? null : own.recipient,
  relatedInvoice: own.documentType === 'invoice' ? null : own.relatedInvoice,
}));

const input: fc.Arbitrary<AuthorityDocumentInput> = fc.record({
  document,
  supplier: fc.constant(longestSupplier),
  issuedAt: fc.constant(new Date('2026-07-23T00:30:00Z')),
  period: fc.option(fc.constant({ start: '2026-07-23', end: '2026-07-23' })),
  parentAuthorityUuid: fc.constantFrom('Z9JH44F9A9XXQQ30QFD7EXWJ10', '123e4567-e89b-12d3-a456-426614174000'),
  version: fc.constant('1.1' as const),
});

// The longest signature that createSigner accepts.
const longestSigner: Signer = {
  certificate: {
    derBase64: Buffer.alloc(CERTIFICATE_BYTES_MAX).toString('base64'),
    sha256Base64: Buffer.alloc(32).toString('base64'),
    issuerName: 'é'.repeat((ISSUER_NAME_JSON_BYTES_MAX - 2) / 2),
    serialNumber: '9'.repeat(SERIAL_NUMBER_DIGITS_MAX),
    validFrom: new Date(0),
    validTo: new Date(0),
  },
  expiresInDays: 0,
  sign: () => Buffer.alloc(RSA_KEY_BITS_MAX / 8),
};

function signedDocument(own: AuthorityDocumentInput): Buffer {
  return signDocument(buildAuthorityDocument(own), longestSigner, own.issuedAt);
}

/** Submit body of the authority's documentation. */
function buildSubmitBody(built: readonly { bytes: Buffer; codeNumber: string }[]): Buffer {
  const documents = built.map(({ bytes, codeNumber }) => ({
    format: 'JSON',
    documentHash: createHash('sha256').update(bytes).digest('hex'),
    codeNumber,
    document: bytes.toString('base64'),
  }));
  return Buffer.from(JSON.stringify({ documents }));
}

function golden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./golden/${name}.json`, import.meta.url), 'utf8'));
}

const goldenSupplier = golden('supplier') as Supplier;
const { document: invoice } = golden('invoice.input') as { document: SimplifiedDocument };

/** A credit note with every optional part and one line per tax type. */
const buildFullest = (taxTypes: readonly string[]): AuthorityDocumentInput => ({
  document: {
    ...invoice,
    documentType: 'credit_note',
    referenceId: '😀'.repeat(50),
    relatedInvoice: { referenceId: '😀'.repeat(50), authorityUuid: null },
    recipient: invoice.recipient && {
      ...forEachText(RECIPIENT_TEXTS, '😀'.repeat(300)),
      ...invoice.recipient,
      addressLines: ['a', 'b', 'c'],
      phone: null,
    },
    lineItems: taxTypes.map((taxType) => ({
      ...forEachText(LINE_TEXTS, '😀'.repeat(300)),
      description: 'Goods',
      quantity: 1.00001,
      unitPrice: 1_000_000_000_000.11,
      discount: 0.05,
      lineTotal: 1_000_000_000_000.11,
      taxAmount: 1_000_000_000_000.22,
      unitTax: taxType === '03' ? { taxPerUnit: 1_000_000_000.12345, unitCount: 1_000_000_000.12345 } : undefined,
      taxType,
      taxExemptionReason: taxType === 'E' ? '😀'.repeat(300) : null,
      classification: '022',
      unitCode: 'C62',
    })),
    totalDiscountAmount: 1_000_000_000_000.05,
    totalRoundingAmount: -1_000_000_000_000.04,
    paymentTerms: '😀'.repeat(300),
  },
  supplier: longestSupplier,
  issuedAt: new Date('2026-07-23T00:30:00Z'),
  period: { start: '2026-07-23', end: '2026-07-23' },
  parentAuthorityUuid: '123e4567-e89b-12d3-a456-426614174000',
  version: '1.1',
});

function computeRatio(lineCount: number): number {
  const lineItems = Array.from({ length: lineCount }, () => invoice.lineItems[0]);
  const own = { ...invoice, lineItems };
  const rest = { issuedAt: new Date(0), period: null, parentAuthorityUuid: null, version: '1.1' as const };
  return estimateBuiltBytesMax(own) / signedDocument({ document: own, supplier: goldenSupplier, ...rest }).length;
}

describe('estimateBuiltBytesMax', () => {
  it('returns at least the size of any document with the longest supplier', () => {
    fc.assert(
      fc.property(input, (own) => {
        expect(estimateBuiltBytesMax(own.document)).toBeGreaterThanOrEqual(signedDocument(own).length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns at least the size of long documents', () => {
    const long = fc.tuple(input, fc.array(line, { minLength: 1, maxLength: 3 })).map(([own, lines]) => {
      const lineItems = Array.from({ length: 600 }, () => lines).flat();
      return { ...own, document: { ...own.document, lineItems } };
    });
    fc.assert(
      fc.property(long, (own) => {
        expect(estimateBuiltBytesMax(own.document)).toBeGreaterThanOrEqual(signedDocument(own).length);
      }),
      { numRuns: 15 },
    );
  });

  it.each([
    ['one line', ['E'], 150],
    ['every tax type', ['01', '02', '03', '04', '05', '06', 'E'], 400],
  ])('exceeds the size of the fullest document only slightly: %s', (_title, types, slackMax) => {
    const fullest = buildFullest(types);
    const slack = estimateBuiltBytesMax(fullest.document) - signedDocument(fullest).length;
    expect(slack).toBeGreaterThanOrEqual(0);
    expect(slack).toBeLessThan(slackMax);
  });

  it('is more exact for longer documents', () => {
    expect(computeRatio(5)).toBeLessThan(2.1);
    expect(computeRatio(20)).toBeLessThan(1.4);
    expect(computeRatio(100)).toBeLessThan(1.12);
    expect(computeRatio(400)).toBeLessThan(1.05);
  });
});

describe('estimateWireBytesMax', () => {
  it('returns a sum of at least the size of a call', () => {
    fc.assert(
      fc.property(fc.array(input, { minLength: 1, maxLength: 5 }), (inputs) => {
        const built = inputs.map((own) => ({
          bytes: signedDocument(own),
          codeNumber: own.document.referenceId,
        }));
        const bound = inputs.reduce((sum, own) => sum + estimateWireBytesMax(own.document), 0);
        expect(bound).toBeGreaterThanOrEqual(buildSubmitBody(built).length);
      }),
    );
  });

  it('accepts a document with 200,000 lines', () => {
    const lineItems = Array.from({ length: 200_000 }, (_, index) => ({
      ...invoice.lineItems[0],
      taxExemptionReason: `Reason ${index}`,
    }));
    expect(estimateWireBytesMax({ ...invoice, lineItems })).toBeGreaterThan(5_000_000);
  });
});
