import type { DocumentDto } from '../../documents/dto/document.dto.js';
import type { LineItemDto } from '../../documents/dto/line-item.dto.js';
import type { RelatedInvoiceDto } from '../../documents/dto/related-invoice.dto.js';
import type { RecipientDto } from '../../documents/dto/recipient.dto.js';

type Field = keyof (DocumentDto & RecipientDto & LineItemDto & RelatedInvoiceDto);

/**
 * The members of a document in a submit body, as an accountant calls them: the words of the pages' own
 * `dashboard/src/parts/field-names.ts`, with which a test compares them.
 */
const FIELD_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    documentType: 'document type',
    referenceId: 'document number',
    document_date: 'document date',
    documentDate: 'document date',
    recipient: 'buyer',
    lineItems: 'lines',
    totalDiscountAmount: 'discount on the document',
    totalRoundingAmount: 'rounding',
    totalExcludingTax: 'total without tax',
    total_excluding_tax: 'total without tax',
    totalTaxAmount: 'total tax',
    total_tax_amount: 'total tax',
    totalIncludingTax: 'total with tax',
    total_including_tax: 'total with tax',
    totalPayableAmount: 'payable amount',
    total_payable_amount: 'payable amount',
    paymentTerms: 'payment terms',
    relatedInvoice: 'parent invoice',
    name: 'name',
    tin: 'TIN',
    entity_type: 'kind: company or individual',
    entityType: 'kind: company or individual',
    brn: 'business registration number (BRN)',
    nric: 'NRIC',
    passport: 'passport number',
    army: 'army number',
    addressLine1: 'address',
    addressLine2: 'address, second line',
    addressLine3: 'address, third line',
    city: 'city',
    postcode: 'postcode',
    state: 'state',
    country: 'country',
    phone: 'phone',
    email: 'e-mail address',
    sstNumber: 'SST number',
    description: 'description',
    quantity: 'quantity',
    unitPrice: 'unit price',
    discount: 'discount',
    lineTotal: 'line total',
    taxAmount: 'tax amount',
    taxRate: 'tax rate',
    tax_rate: 'tax rate',
    taxPerUnit: 'tax per unit',
    taxUnitCount: 'taxed units',
    taxType: 'tax type',
    taxExemptionReason: 'reason for the exemption',
    classification: 'classification',
    unitCode: 'unit',
    authorityUuid: 'UUID at the authority',
  } satisfies Record<Field, string>),
);

/** What a buyer and a parent invoice have is theirs: `buyer’s name`. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ['recipient', 'buyer’s'],
  ['relatedInvoice', 'parent invoice’s'],
]);

/**
 * Where an error is, in words: `/documents/1/lineItems/2/taxAmount` is `Line 3, tax amount`, and
 * `/documents/1/recipient/tin` is `Buyer’s TIN`.
 * @param pointer a JSON Pointer into the submitted body; null for what the body does not hold
 */
export function describeField(pointer: string | null): string | null {
  if (pointer === null) return null;
  const [, , scope, ...members] = pointer.split('/').slice(1);
  if (scope === undefined) return 'The whole document';
  const owner = OWNERS.get(scope);
  if (owner !== undefined && members.length > 0) return capitalise(`${owner} ${nameParentOrBuyer(scope, members)}`);
  const words = [getName(scope)];
  for (const member of members) {
    if (/^\d+$/.test(member)) words[words.length - 1] = `line ${Number(member) + 1}`;
    else words.push(getName(member));
  }
  return capitalise(words.join(', '));
}

/** @param label as the profile page labels the field */
export function describeProfileField(label: string): string {
  return `Organisation’s profile, ${label}`;
}

function nameParentOrBuyer(scope: string, members: readonly string[]): string {
  const [member] = members.slice(-1);
  return scope === 'relatedInvoice' && member === 'referenceId' ? 'number' : getName(member);
}

function getName(member: string): string {
  return FIELD_NAMES.get(member) ?? member;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A field of a document in words. */
export interface NamedField {
  readonly name: string;
  readonly value: string;
}

/** The fields that were sent, in words. */
export function nameFields(fields: Readonly<Record<string, string | number | undefined>>): NamedField[] {
  return Object.entries(fields).flatMap(([member, value]) =>
    value === undefined ? [] : [{ name: capitalise(getName(member)), value: toText(value) }],
  );
}

function toText(value: string | number): string {
  if (typeof value === 'string') return value;
  // All numbers are amounts in ringgit.
  return `${value < 0 ? '-' : ''}RM ${Math.abs(value).toLocaleString('en', { minimumFractionDigits: 2 })}`;
}
