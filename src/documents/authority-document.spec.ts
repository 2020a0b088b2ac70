import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileShape } from '../http/validation/shape.js';
import { type AuthorityDocumentInput, buildAuthorityDocument, mapSources } from './authority-document.js';
import { COMPUTED_TOTALS, DocumentDto } from './dto/document.dto.js';
import { LINE_TEXTS, LineItemDto, type LineTexts } from './dto/line-item.dto.js';
import { RelatedInvoiceDto } from './dto/related-invoice.dto.js';
import { RECIPIENT_TEXTS, RecipientDto, type RecipientTexts } from './dto/recipient.dto.js';
import { ID_TYPES } from './identity.js';
import type { LineItem, Recipient, SimplifiedDocument, Supplier } from './simplified-document.js';

function golden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./golden/${name}.json`, import.meta.url), 'utf8'));
}

const supplier = golden('supplier') as Supplier;

/** Each file states its differences from the common supplier. */
type GoldenInput = Omit<AuthorityDocumentInput, 'issuedAt' | 'supplier'> & {
  issuedAt: string;
  supplier?: Partial<Supplier>;
};

function readInput(name: string): AuthorityDocumentInput {
  const input = golden(`${name}.input`) as GoldenInput;
  const issuer = { ...supplier, ...input.supplier };
  return { ...input, issuedAt: new Date(input.issuedAt), supplier: issuer, version: '1.0' };
}

function isSet<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined && value !== 0 && value !== '';
}

/** All fields of a type, including optional ones. */
type Fields<T> = Readonly<Record<keyof T, true>>;

function expectSet<T>(objects: readonly T[], fields: Fields<T>): void {
  for (const field of Object.keys(fields) as (keyof T & string)[]) {
    expect(
      objects.some((object) => isSet(object[field])),
      `${field} is set somewhere`,
    ).toBe(true);
  }
}

const DOCUMENT_FIELDS: Fields<SimplifiedDocument> = {
  submissionType: true,
  documentType: true,
  referenceId: true,
  documentDate: true,
  dateMember: true,
  recipient: true,
  lineItems: true,
  totalDiscountAmount: true,
  totalRoundingAmount: true,
  paymentTerms: true,
  relatedInvoice: true,
};

const RECIPIENT_FIELDS: Fields<Recipient> = {
  name: true,
  tin: true,
  idType: true,
  idValue: true,
  addressLines: true,
  city: true,
  postcode: true,
  stateCode: true,
  country: true,
  ...(Object.fromEntries(RECIPIENT_TEXTS.map((name) => [name, true])) as Record<keyof RecipientTexts, true>),
};

const LINE_FIELDS: Fields<LineItem> = {
  description: true,
  quantity: true,
  unitPrice: true,
  discount: true,
  lineTotal: true,
  taxAmount: true,
  exemptedTaxAmount: true,
  taxRate: true,
  unitTax: true,
  ...(Object.fromEntries(LINE_TEXTS.map((name) => [name, true])) as Record<keyof LineTexts, true>),
};

const SUPPLIER_FIELDS: Fields<Supplier> = {
  name: true,
  tin: true,
  idType: true,
  idValue: true,
  sstNumber: true,
  ttxNumber: true,
  msic: true,
  activity: true,
  addressLines: true,
  city: true,
  postcode: true,
  stateCode: true,
  country: true,
  phone: true,
  email: true,
  defaultTaxType: true,
  defaultClassification: true,
};

const buildText = (input: AuthorityDocumentInput): string => buildAuthorityDocument(input).toString('utf8');

const KINDS = [
  'invoice',
  'credit-note',
  'consolidated',
  'several-taxes',
  'foreign-buyer',
  'consolidated-credit-note',
  'full-credit-note',
  'army-buyer',
  'multi-line',
  'unit-taxes',
  'tax-rates',
] as const;

/** The golden invoice with changes to its document, its first line or its supplier. */
function changed(changes: {
  document?: Partial<SimplifiedDocument>;
  line?: Partial<LineItem>;
  supplier?: Partial<Supplier>;
}): AuthorityDocumentInput {
  const input = readInput('invoice');
  const lineItems = input.document.lineItems.map((line) => ({ ...line, ...changes.line }));
  return {
    ...input,
    document: { ...input.document, lineItems, ...changes.document },
    supplier: { ...supplier, ...changes.supplier },
  };
}

// The worked examples do not contain the document's own billing reference, which the interface promises. The test
// removes exactly this block (docs/rules.md#authority-document).
function withoutOwnReference(text: string, referenceId: string): string {
  const own = `{"AdditionalDocumentReference":[{"ID":[{"_":"${referenceId}"}]}]}`;
  expect(text).toContain(own);
  return text.replace(`"BillingReference":[${own}],`, '').replace(`,${own}`, '');
}

/**
 * The worked example of a consolidated document contains the e-mail address `NA`, which the authority's FAQ forbids.
 */
function withEmail(text: string): string {
  return text.replace('[{"Telephone":[{"_":"NA"}]}]', '[{"Telephone":[{"_":"NA"}],"ElectronicMail":[{"_":"NA"}]}]');
}

describe('buildAuthorityDocument', () => {
  it.each([
    ['invoice', 'INV-0001', 'a358e41655b766b114f52999228ebdea6d8285abb283b852ed1646c07227599e'],
    ['credit-note', 'CN-0001', '575680bf149cffe84e26246dc91d9d5460e583a4f895ea80a9ebb360e65e9b62'],
    ['consolidated', 'CONS-2026-07', 'c91454fd1c22c8f1f15a53c8b44e52e52cf670a663dab72a79b95151c98819be'],
  ])(
    'builds the bytes of the worked example %s except for billing reference and e-mail',
    (name, referenceId, sha256) => {
      const text = withEmail(withoutOwnReference(buildText(readInput(name)), referenceId));
      expect(createHash('sha256').update(text).digest('hex')).toBe(sha256);
    },
  );

  // `vitest -u` rewrites the indented files; review the difference. The next test compares them with the bytes.
  it.each(KINDS)('builds the committed document %s', async (name) => {
    const indented = JSON.stringify(JSON.parse(buildText(readInput(name))), null, 2);
    await expect(`${indented}\n`).toMatchFileSnapshot(`./golden/${name}.built.json`);
  });

  // A new field does not compile until it is listed here, and fails until a committed document contains it.
  it('covers every field of document, buyer, line and supplier with the committed documents', () => {
    const inputs = KINDS.map(readInput);
    const documents = inputs.map(({ document }) => document);
    const lines = documents.flatMap(({ lineItems }) => lineItems);
    expectSet(inputs, {
      document: true,
      supplier: true,
      issuedAt: true,
      period: true,
      parentAuthorityUuid: true,
      version: true,
    });
    expectSet(documents, DOCUMENT_FIELDS);
    expectSet(documents.map(({ recipient }) => recipient).filter(isSet), RECIPIENT_FIELDS);
    expectSet(lines, LINE_FIELDS);
    expectSet(lines.map(({ unitTax }) => unitTax).filter(isSet), { taxPerUnit: true, unitCount: true });
    expectSet(documents.map(({ relatedInvoice }) => relatedInvoice).filter(isSet), {
      referenceId: true,
      authorityUuid: true,
    });
    expectSet(
      inputs.map((input) => input.supplier),
      SUPPLIER_FIELDS,
    );
    const idTypes = inputs.map(({ document }) => document.recipient?.idType);
    expect([...new Set(idTypes)]).toEqual(expect.arrayContaining([...ID_TYPES]));
    const addresses = inputs.map(({ document }) => document.recipient?.addressLines.length);
    expect(addresses).toEqual(expect.arrayContaining([1, 3]));
  });

  it('maps every field of the body to a value', () => {
    const sources = KINDS.flatMap((name) => [...mapSources(readInput(name)).values()].map(({ from }) => from));
    const reached = new Set(sources.map((pointer) => pointer.slice(pointer.lastIndexOf('/') + 1)));
    const declared = [DocumentDto, RecipientDto, LineItemDto, RelatedInvoiceDto].flatMap((dto) => [
      ...compileShape(dto).members,
    ]);
    // Buyer, parent, entity type and second spellings are not stored under their own names. Totals of a request are only compared with the computed totals and never sent.
    const totals: readonly string[] = COMPUTED_TOTALS.flat();
    const unreached = declared.filter((member) => !reached.has(member) && !totals.includes(member));
    expect(unreached).toEqual(['recipient', 'relatedInvoice', 'entity_type', 'entityType', 'tax_rate']);
  });

  it.each(KINDS)('writes %s as minified JSON with raw UTF-8', (name) => {
    const bytes = buildAuthorityDocument(readInput(name));
    expect(bytes.toString('utf8')).toBe(JSON.stringify(JSON.parse(bytes.toString('utf8'))));
    expect(bytes.equals(buildAuthorityDocument(readInput(name)))).toBe(true);
  });

  it.each(KINDS)('omits empty texts, empty blocks and null from %s', (name) => {
    expect(buildText(readInput(name))).not.toMatch(/[^\\]""|\[\]|\{\}|null/);
  });

  it('states the issue date in UTC, which is the previous day before 08:00 in Malaysia', () => {
    const text = buildText({ ...readInput('invoice'), issuedAt: new Date('2026-07-31T23:59:59+00:00') });
    expect(text).toContain('"IssueDate":[{"_":"2026-07-31"}],"IssueTime":[{"_":"23:59:59Z"}]');
    expect(text).not.toContain('InvoicePeriod');
  });

  it('includes the period if there is one', () => {
    const text = buildText({ ...readInput('invoice'), period: { start: '2026-02-28', end: '2026-02-28' } });
    expect(text).toContain('"InvoicePeriod":[{"StartDate":[{"_":"2026-02-28"}],"EndDate":[{"_":"2026-02-28"}]}]');
  });

  it('requires the number and UUID of the parent for a credit note', () => {
    const input = readInput('credit-note');
    expect(buildText(input)).toContain('"ID":[{"_":"INV-0001"}],"UUID":[{"_":"Z9JH44F9A9XXQQ30QFD7EXWJ10"}]');
    expect(() => buildAuthorityDocument({ ...input, parentAuthorityUuid: null })).toThrow('without its parent');
    const orphan = { ...input.document, relatedInvoice: null };
    expect(() => buildAuthorityDocument({ ...input, document: orphan })).toThrow('without its parent');
  });

  it('throws for a non-consolidated document without a recipient', () => {
    expect(() => buildAuthorityDocument(changed({ document: { recipient: null } }))).toThrow('without its recipient');
  });

  it('ignores the recipient of a consolidated document', () => {
    const { recipient } = readInput('invoice').document;
    const input = readInput('consolidated');
    expect(buildText({ ...input, document: { ...input.document, recipient } })).toBe(buildText(input));
  });

  it('omits the e-mail address of the consolidated buyer', () => {
    const text = buildText(readInput('consolidated'));
    expect(text).toContain('"Contact":[{"Telephone":[{"_":"NA"}]}]');
    expect(text.match(/ElectronicMail/g)).toHaveLength(1);
  });

  it("uses the supplier's phone for a buyer without a phone", () => {
    const recipient = readInput('invoice').document.recipient;
    const phoneless = recipient && { ...recipient, phone: null, email: null };
    const text = buildText(changed({ document: { recipient: phoneless }, supplier: { phone: '+60111111111' } }));
    expect(text.match(/"Telephone":\[\{"_":"\+60111111111"\}\]/g)).toHaveLength(2);
    expect(text.match(/ElectronicMail/g)).toHaveLength(1);
  });

  it.each([
    ['022 when nobody says', {}, {}, '022'],
    ['the tenant’s default', {}, { defaultClassification: '030' }, '030'],
    ['the line’s own first', { classification: '011' }, { defaultClassification: '030' }, '011'],
  ])('determines the classification by %s', (_title, line, own, expected) => {
    expect(buildText(changed({ line, supplier: own }))).toContain(`"ItemClassificationCode":[{"_":"${expected}"`);
  });

  it('classifies every consolidated line as 004', () => {
    const input = changed({ line: { classification: '011' }, supplier: { defaultClassification: '030' } });
    const text = buildText({ ...input, document: { ...input.document, submissionType: 'consolidated' } });
    expect(text.match(/"ItemClassificationCode":\[\{"_":"\d+"/g)).toEqual(['"ItemClassificationCode":[{"_":"004"']);
  });

  it.each([
    ['06 for a line without tax', { taxAmount: 0 }, '06', 0],
    ['the tenant’s default for a line with tax', { taxAmount: 15.2 }, '02', 8],
    ['the line’s own first', { taxAmount: 0, taxType: '01' }, '01', 0],
    ['a percentage with two decimals, rounded', { taxAmount: 10, lineTotal: 3000 }, '02', 0.33],
    ['the stated rate', { taxAmount: 14.73, taxRate: 7.75 }, '02', 7.75],
    ['the default for a stated rate whose tax rounds to 0', { taxAmount: 0, lineTotal: 0.05, taxRate: 6 }, '02', 6],
    ['0 per cent on a line of 0', { taxAmount: 1, lineTotal: 0 }, '02', 0],
    ['a half rounded away from zero', { taxAmount: 0.25, lineTotal: 2000 }, '02', 0.01],
  ])('determines the tax type by %s', (_title, line, taxType, percent) => {
    const text = buildText(changed({ line }));
    expect(text).toContain(`"Percent":[{"_":${percent}}],"TaxCategory":[{"ID":[{"_":"${taxType}"}]`);
  });

  it('includes an exemption reason only with tax type E', () => {
    const reason = { taxExemptionReason: 'Order 2018' };
    expect(buildText(changed({ line: { ...reason, taxType: '01' } }))).not.toContain('TaxExemptionReason');
    const exempt = buildText(changed({ line: { ...reason, taxType: 'E' } }));
    expect(exempt.match(/"TaxExemptionReason":\[\{"_":"Order 2018"\}\]/g)).toHaveLength(2);
  });

  it("computes the sums of the authority's multi-line sample", () => {
    const ringgit = (value: number): object[] => [{ _: value, currencyID: 'MYR' }];
    const [invoice] = (JSON.parse(buildText(readInput('multi-line'))) as { Invoice: Record<string, unknown>[] })
      .Invoice;
    expect(invoice.LegalMonetaryTotal).toEqual([
      {
        LineExtensionAmount: ringgit(4500),
        TaxExclusiveAmount: ringgit(4500),
        TaxInclusiveAmount: ringgit(4585),
        PayableAmount: ringgit(4585),
      },
    ]);
    expect(invoice.TaxTotal).toMatchObject([
      {
        TaxAmount: ringgit(85),
        TaxSubtotal: [
          { TaxableAmount: ringgit(1000), TaxAmount: ringgit(10) },
          { TaxableAmount: ringgit(1500), TaxAmount: ringgit(75) },
          { TaxableAmount: ringgit(2000), TaxAmount: ringgit(100), TaxCategory: [{ ID: [{ _: 'E' }] }] },
        ],
      },
    ]);
    expect((invoice.InvoiceLine as Record<string, unknown>[]).map(({ TaxTotal }) => TaxTotal)).toMatchObject([
      [
        {
          TaxAmount: ringgit(10),
          TaxSubtotal: [{ BaseUnitMeasure: [{ _: 1, unitCode: 'C62' }], PerUnitAmount: ringgit(10) }],
        },
      ],
      [{ TaxAmount: ringgit(75), TaxSubtotal: [{ Percent: [{ _: 5 }] }] }],
      [{ TaxAmount: ringgit(0), TaxSubtotal: [{ TaxableAmount: ringgit(2000), TaxAmount: ringgit(100) }] }],
    ]);
  });

  it('includes at most one of percentage and tax per unit', () => {
    const unitTax = { taxPerUnit: 7.6, unitCount: 2 };
    const rates = /"(?:Percent|BaseUnitMeasure|PerUnitAmount)"/g;
    expect(buildText(changed({})).match(rates)).toEqual(['"Percent"']);
    expect(buildText(changed({ line: { unitTax } })).match(rates)).toEqual(['"BaseUnitMeasure"', '"PerUnitAmount"']);
    const exempt = { taxType: 'E', taxAmount: 0, exemptedTaxAmount: 15.2, taxExemptionReason: 'Order' };
    expect(buildText(changed({ line: exempt })).match(rates)).toBeNull();
  });

  it('omits discount and rounding from a document without adjustments', () => {
    const plain = buildText(changed({ document: { totalDiscountAmount: 0 } }));
    expect(plain).not.toMatch(/AllowanceTotalAmount|PayableRoundingAmount|"_":"Discount"/);
    const rounded = buildText(changed({ document: { totalDiscountAmount: 0, totalRoundingAmount: -0.04 } }));
    expect(rounded).not.toContain('AllowanceTotalAmount');
    expect(rounded).toContain('"PayableRoundingAmount":[{"_":-0.04,');
  });
});
