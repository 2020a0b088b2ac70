import type { components } from '../api/schema.js';
import { formatAmount } from './format.js';
import { formatTimesIn } from './malaysian-time.js';

type Schemas = components['schemas'];

/** Names of the members for accountants. A missing member is a type error. */
const SUBMIT: Readonly<Record<keyof Schemas['SubmitDto'], string>> = {
  submission_type: 'kind of submission',
  documents: 'documents',
};

const DOCUMENT: Readonly<Record<keyof Schemas['DocumentDto'], string>> = {
  documentType: 'document type',
  referenceId: 'document number',
  document_date: 'document date',
  recipient: 'buyer',
  lineItems: 'lines',
  totalDiscountAmount: 'discount on the document',
  totalRoundingAmount: 'rounding',
  totalExcludingTax: 'total without tax',
  totalTaxAmount: 'total tax',
  totalIncludingTax: 'total with tax',
  totalPayableAmount: 'payable amount',
  paymentTerms: 'payment terms',
  relatedInvoice: 'parent invoice',
};

export const BUYER: Readonly<Record<keyof Schemas['RecipientDto'], string>> = {
  name: 'name',
  tin: 'TIN',
  entity_type: 'kind: company or individual',
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
};

export const LINE: Readonly<Record<keyof Schemas['LineItemDto'], string>> = {
  description: 'description',
  quantity: 'quantity',
  unitPrice: 'unit price',
  discount: 'discount',
  lineTotal: 'line total',
  taxAmount: 'tax amount',
  taxRate: 'tax rate',
  taxPerUnit: 'tax per unit',
  taxUnitCount: 'taxed units',
  taxType: 'tax type',
  taxExemptionReason: 'reason for the exemption',
  classification: 'classification',
  unitCode: 'unit',
};

export const PARENT: Readonly<Record<keyof Schemas['RelatedInvoiceDto'], string>> = {
  referenceId: 'number',
  authorityUuid: 'UUID at the authority',
};

/** Alternative spellings of the API and names of members of other forms. */
const OTHERS = {
  submissionType: SUBMIT.submission_type,
  documentDate: DOCUMENT.document_date,
  entityType: BUYER.entity_type,
  cancellationReason: 'reason',
  idType: 'kind of id',
  idValue: 'number of the id',
  msic: 'industry (MSIC)',
  tin: 'TIN',
  tenantId: 'organisation id',
  actor: 'who',
  action: 'about',
} as const;

/**
 * Describes a field in words: `/documents/39/recipient/tin` becomes `Document 40, buyer’s TIN`. The first document is
 * not numbered because most pages send one document.
 */
export function describeField(pointer: string): string {
  const [, position, inner = ''] = /^\/documents\/(\d+)(.*)$/.exec(pointer) ?? [];
  const isNamed = position !== undefined && (position !== '0' || inner === '');
  const words = [
    isNamed ? `document ${Number(position) + 1}` : '',
    position === undefined ? describeMember(pointer, SUBMIT) : describeInDocument(inner),
  ];
  const sentence = words.filter((word) => word !== '').join(', ');
  return sentence === '' ? 'The whole request' : sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function describeInDocument(inner: string): string {
  const [, part, rest = ''] = /^\/(recipient|relatedInvoice|lineItems)(\/.+)$/.exec(inner) ?? [];
  if (part === 'recipient') return `buyer’s ${describeMember(rest, BUYER)}`;
  if (part === 'relatedInvoice') return `parent invoice’s ${describeMember(rest, PARENT)}`;
  const [, line, field = ''] = /^\/(\d+)(.*)$/.exec(rest) ?? [];
  if (line === undefined) return describeMember(inner, DOCUMENT);
  return [`line ${Number(line) + 1}`, describeMember(field, LINE)].filter((word) => word !== '').join(', ');
}

/** Returns the name of the last member of a pointer. */
function describeMember(pointer: string, names: Readonly<Record<string, string>>): string {
  const name = pointer.split('/').at(-1) ?? '';
  const known = { ...OTHERS, ...names };
  return Object.hasOwn(known, name) ? known[name as keyof typeof known] : separate(name);
}

/** Splits a camel-case name into words, such as `last day` for `lastDay`. */
export function separate(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z\d])|_/g, ' ').toLowerCase();
}

/** Phrases of the API and their replacements in forms. */
const PHRASES: readonly (readonly [phrase: RegExp, words: string])[] = [
  [/(?:in a separate request )?(?:with )?submission_type consolidated/g, 'as consolidated receipts'],
  [/(?:in a separate request )?with submission_type non-consolidated/g, 'as a document for one buyer'],
  [/unless submission_type is consolidated/g, 'unless the document sums up consolidated receipts'],
  [/the slug of /g, ''],
  [/or documentDate, (?=such as)/g, ''],
  [/send the invoice that the credit note corrects: \{"referenceId": "…"\}/g, 'name the invoice that it corrects'],
  // Replaces the list of state codes in an error message, because the field shows the names of the states.
  [/one of: [\w, ]{120,}/g, 'choose one of the list'],
  [/relatedInvoice\.authorityUuid/g, 'UUID of the parent invoice'],
  [
    /if it is the same \w+, follow it in batch \S+ and take it out of the request; otherwise give it another number/g,
    'give this one another number, unless it is the same document',
  ],
];

const MEMBERS: Readonly<Record<string, string>> = {
  ...OTHERS,
  ...PARENT,
  ...DOCUMENT,
  ...BUYER,
  ...LINE,
  ...SUBMIT,
  totalPayableAmount: 'the amount payable',
};
/** Matches only names that are not English words and therefore unambiguous. */
const MEMBER = /\b[a-z]+(?:_[a-z]+|[A-Z][a-zA-Z]*)\d?\b/g;
const AMOUNT = /\bRM (\d+\.\d\d)\b/g;
const IN_CAPITALS: Readonly<Record<string, string>> = {
  brn: 'BRN',
  nric: 'NRIC',
  documentId: 'the id of the document',
};

/** Replaces field names in an API text: `leave lineTotal out` becomes `leave line total out`. */
export function toWords(text: string): string {
  const said = PHRASES.reduce((before, [phrase, words]) => before.replaceAll(phrase, words), text);
  return formatTimesIn(said)
    .replaceAll(AMOUNT, (_, amount) => formatAmount(Number(amount)))
    .replaceAll(MEMBER, (name) => (Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : name))
    .replaceAll(/\b(?:brn|nric|documentId)\b/g, (name) => IN_CAPITALS[name]);
}
