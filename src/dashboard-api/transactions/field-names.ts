import type { DocumentDto, LineItemDto, RelatedInvoiceDto } from '../../documents/dto/document.dto.js';
import type { RecipientDto } from '../../documents/dto/recipient.dto.js';

type Field = keyof (DocumentDto & RecipientDto & LineItemDto & RelatedInvoiceDto);

/** The members of a document in a submit body, as an accountant calls them. */
const FIELD_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    referenceId: 'Document number',
    documentType: 'Document type',
    document_date: 'Document date',
    documentDate: 'Document date',
    recipient: 'Buyer',
    name: 'name',
    tin: 'TIN',
    brn: 'business registration number (BRN)',
    nric: 'NRIC',
    passport: 'passport number',
    army: 'army number',
    addressLine1: 'address line 1',
    addressLine2: 'address line 2',
    addressLine3: 'address line 3',
    city: 'city',
    postcode: 'postcode',
    state: 'state',
    country: 'country',
    phone: 'telephone',
    email: 'e-mail address',
    sstNumber: 'SST number',
    entity_type: 'company or individual',
    entityType: 'company or individual',
    lineItems: 'Lines',
    description: 'description',
    quantity: 'quantity',
    unitPrice: 'unit price',
    discount: 'discount',
    lineTotal: 'line total',
    taxAmount: 'tax amount',
    taxPerUnit: 'tax per unit',
    taxUnitCount: 'taxed units',
    taxType: 'tax type',
    taxExemptionReason: 'reason of the exemption',
    classification: 'classification',
    unitCode: 'unit',
    totalDiscountAmount: 'Discount on the document',
    totalRoundingAmount: 'Rounding',
    paymentTerms: 'Payment terms',
    relatedInvoice: 'Parent invoice',
    authorityUuid: 'UUID at the authority',
  } satisfies Record<Field, string>),
);

/**
 * Where an error is, in words: `/documents/1/lineItems/2/taxAmount` is `Line 3, tax amount`.
 * @param pointer a JSON Pointer into the submitted body; null for what the body does not hold
 */
export function describeField(pointer: string | null): string | null {
  if (pointer === null) return null;
  const [, , ...members] = pointer.split('/').slice(1);
  if (members.length === 0) return 'The whole document';
  const words: string[] = [];
  for (const member of members) {
    if (/^\d+$/.test(member)) words[words.length - 1] = `Line ${Number(member) + 1}`;
    else words.push(FIELD_NAMES.get(member) ?? member);
  }
  return words.join(', ');
}

/** A field of a document in words. */
export interface NamedField {
  readonly name: string;
  readonly value: string;
}

/** The fields that were sent, in words. */
export function nameFields(fields: Readonly<Record<string, string | number | undefined>>): NamedField[] {
  return Object.entries(fields).flatMap(([member, value]) =>
    value === undefined ? [] : [{ name: FIELD_NAMES.get(member) ?? member, value: toText(value) }],
  );
}

function toText(value: string | number): string {
  return typeof value === 'string' ? value : value.toLocaleString('en', { minimumFractionDigits: 2 });
}
