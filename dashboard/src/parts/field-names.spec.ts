import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toWords, describeField } from './field-names';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const { components } = JSON.parse(readFileSync('dashboard/openapi.json', 'utf8')) as {
  components: { schemas: Record<string, Schema> };
};

/** A pointer to each member of the body of a submit, in the second document and on its third line. */
function listPointers(schema: Schema, pointer = ''): string[] {
  const { $ref, allOf = [], items, properties = {} } = schema;
  const inner = [
    ...($ref === undefined ? [] : listPointers(components.schemas[$ref.split('/').at(-1) ?? ''], pointer)),
    ...allOf.flatMap((part) => listPointers(part, pointer)),
    ...(items === undefined ? [] : listPointers(items, `${pointer}/${pointer === '/documents' ? 1 : 2}`)),
  ];
  const members = Object.entries(properties).flatMap(([name, member]) => [
    `${pointer}/${name}`,
    ...listPointers(member, `${pointer}/${name}`),
  ]);
  return [...inner, ...members];
}

// A field that is added to the API is missing here until it has a name in the table.
const PLACES = {
  '/submission_type': 'Kind of submission',
  '/documents': 'Documents',
  '/documents/1/documentType': 'Document 2, document type',
  '/documents/1/referenceId': 'Document 2, document number',
  '/documents/1/document_date': 'Document 2, document date',
  '/documents/1/recipient': 'Document 2, buyer',
  '/documents/1/recipient/name': 'Document 2, buyer’s name',
  '/documents/1/recipient/tin': 'Document 2, buyer’s TIN',
  '/documents/1/recipient/entity_type': 'Document 2, buyer’s kind: company or individual',
  '/documents/1/recipient/brn': 'Document 2, buyer’s business registration number (BRN)',
  '/documents/1/recipient/nric': 'Document 2, buyer’s NRIC',
  '/documents/1/recipient/passport': 'Document 2, buyer’s passport number',
  '/documents/1/recipient/army': 'Document 2, buyer’s army number',
  '/documents/1/recipient/addressLine1': 'Document 2, buyer’s address',
  '/documents/1/recipient/addressLine2': 'Document 2, buyer’s address, second line',
  '/documents/1/recipient/addressLine3': 'Document 2, buyer’s address, third line',
  '/documents/1/recipient/city': 'Document 2, buyer’s city',
  '/documents/1/recipient/postcode': 'Document 2, buyer’s postcode',
  '/documents/1/recipient/state': 'Document 2, buyer’s state',
  '/documents/1/recipient/country': 'Document 2, buyer’s country',
  '/documents/1/recipient/phone': 'Document 2, buyer’s phone',
  '/documents/1/recipient/email': 'Document 2, buyer’s e-mail address',
  '/documents/1/recipient/sstNumber': 'Document 2, buyer’s SST number',
  '/documents/1/lineItems': 'Document 2, lines',
  '/documents/1/lineItems/2/description': 'Document 2, line 3, description',
  '/documents/1/lineItems/2/quantity': 'Document 2, line 3, quantity',
  '/documents/1/lineItems/2/unitPrice': 'Document 2, line 3, unit price',
  '/documents/1/lineItems/2/discount': 'Document 2, line 3, discount',
  '/documents/1/lineItems/2/lineTotal': 'Document 2, line 3, line total',
  '/documents/1/lineItems/2/taxAmount': 'Document 2, line 3, tax amount',
  '/documents/1/lineItems/2/taxRate': 'Document 2, line 3, tax rate',
  '/documents/1/lineItems/2/taxPerUnit': 'Document 2, line 3, tax per unit',
  '/documents/1/lineItems/2/taxUnitCount': 'Document 2, line 3, taxed units',
  '/documents/1/lineItems/2/taxType': 'Document 2, line 3, tax type',
  '/documents/1/lineItems/2/taxExemptionReason': 'Document 2, line 3, reason for the exemption',
  '/documents/1/lineItems/2/classification': 'Document 2, line 3, classification',
  '/documents/1/lineItems/2/unitCode': 'Document 2, line 3, unit',
  '/documents/1/totalDiscountAmount': 'Document 2, discount on the document',
  '/documents/1/totalRoundingAmount': 'Document 2, rounding',
  '/documents/1/totalExcludingTax': 'Document 2, total without tax',
  '/documents/1/totalTaxAmount': 'Document 2, total tax',
  '/documents/1/totalIncludingTax': 'Document 2, total with tax',
  '/documents/1/totalPayableAmount': 'Document 2, payable amount',
  '/documents/1/paymentTerms': 'Document 2, payment terms',
  '/documents/1/relatedInvoice': 'Document 2, parent invoice',
  '/documents/1/relatedInvoice/referenceId': 'Document 2, parent invoice’s number',
  '/documents/1/relatedInvoice/authorityUuid': 'Document 2, parent invoice’s UUID at the authority',
};

describe('the field of a problem', () => {
  it('is in words for every field of a submit that the API description has', () => {
    const pointers = listPointers(components.schemas.SubmitDto);
    expect(Object.fromEntries(pointers.map((pointer) => [pointer, describeField(pointer)]))).toEqual(PLACES);
  });

  it.each([
    ['/documents/39/recipient/tin', 'Document 40, buyer’s TIN'],
    ['/documents/0/lineItems/2/unitPrice', 'Line 3, unit price'],
    ['/documents/0/lineItems/0', 'Line 1'],
    ['/documents/0/documentDate', 'Document date'],
    ['/documents/0/recipient/postCode', 'Buyer’s post code'],
    ['/documents/0', 'Document 1'],
    ['/submissionType', 'Kind of submission'],
    ['/tin', 'TIN'],
    ['/lastDay', 'Last day'],
    ['/constructor', 'Constructor'],
    ['', 'The whole request'],
  ])('%s is "%s"', (pointer, words) => {
    expect(describeField(pointer)).toBe(words);
  });
});

describe('what the API says', () => {
  it.each([
    ['use 190, or leave lineTotal out to have it computed', 'use 190, or leave line total out to have it computed'],
    [
      "Send the buyer's own TIN, or submit the document in a separate request with submission_type consolidated.",
      "Send the buyer's own TIN, or submit the document as consolidated receipts.",
    ],
    ["Send the slug of the buyer's state, such as selangor", "Send the buyer's state, such as selangor"],
    ['Send nric as 12 digits', 'Send NRIC as 12 digits'],
    ['Send addressLine1, and at most 150 characters', 'Send address, and at most 150 characters'],
    [
      'if it is the same credit_note, follow it in batch 0190a1b2-0000-7000-8000-000000000000 and take it out of the request; otherwise give it another number',
      'give this one another number, unless it is the same document',
    ],
    ['one of: kuala_lumpur, not_applicable', 'one of: kuala_lumpur, not_applicable'],
    ['is required; or documentDate, such as "2026-01-31"', 'is required; such as "2026-01-31"'],
    [
      'today is 2026-11-21; see it again after 2026-11-21T16:05:09.123Z',
      'today is 21 Nov 2026; see it again after 22 Nov 2026, 00:05 MYT',
    ],
    [
      'of invoice 2026-11-21-A, INV-2026-11-21 and "2026-11-21"',
      'of invoice 2026-11-21-A, INV-2026-11-21 and "2026-11-21"',
    ],
    ['of 2026-13-45T99:99:99Z and 2026-13-45', 'of 2026-13-45T99:99:99Z and 2026-13-45'],
    ['which has RM 5400.00 left to credit', 'which has RM 5,400.00 left to credit'],
    ['must not make totalPayableAmount negative', 'must not make the amount payable negative'],
  ])('%j is %j for people', (text, words) => {
    expect(toWords(text)).toBe(words);
  });
});
