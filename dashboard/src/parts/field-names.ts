import type { components } from '../api/schema.js';
import { formatAmount } from './format.js';
import { formatTimesIn } from './malaysian-time.js';

type Schemas = components['schemas'];

/** The members of a submit body, as an accountant calls them. A new one without a name does not compile. */
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

/** Names that the API takes too, and those of other forms that people call otherwise than they are written. */
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
 * Where a problem is, in words: `Line 3, unit price` of `/documents/0/lineItems/2/unitPrice`, and `Document 40, buyer’s
 * TIN` of `/documents/39/recipient/tin`. The pages send one document at a time, so that the first is not named.
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

/** The name of the member that the pointer ends with. */
function describeMember(pointer: string, names: Readonly<Record<string, string>>): string {
  const name = pointer.split('/').at(-1) ?? '';
  const known = { ...OTHERS, ...names };
  return Object.hasOwn(known, name) ? known[name as keyof typeof known] : separate(name);
}

/** `last day` of `lastDay`: a field without a name here is at least in words. */
export function separate(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z\d])|_/g, ' ').toLowerCase();
}

/** Phrases of the API that a form says otherwise. */
const PHRASES: readonly (readonly [phrase: RegExp, words: string])[] = [
  [/(?:in a separate request )?(?:with )?submission_type consolidated/g, 'as consolidated receipts'],
  [/(?:in a separate request )?with submission_type non-consolidated/g, 'as a document for one buyer'],
  [/unless submission_type is consolidated/g, 'unless the document sums up consolidated receipts'],
  [/the slug of /g, ''],
  [/or documentDate, (?=such as)/g, ''],
  [/send the invoice that the credit note corrects: \{"referenceId": "…"\}/g, 'name the invoice that it corrects'],
  // States, which the field offers by their names.
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
/** Those that are no English word, and so cannot mean anything else. */
const MEMBER = /\b[a-z]+(?:_[a-z]+|[A-Z][a-zA-Z]*)\d?\b/g;
const AMOUNT = /\bRM (\d+\.\d\d)\b/g;
const IN_CAPITALS: Readonly<Record<string, string>> = {
  brn: 'BRN',
  nric: 'NRIC',
  documentId: 'the id of the document',
};

/** What the API says, for people who do not know its members: `leave line total out` of `leave lineTotal out`. */
export function toWords(text: string): string {
  const said = PHRASES.reduce((before, [phrase, words]) => before.replaceAll(phrase, words), text);
  return formatTimesIn(said)
    .replaceAll(AMOUNT, (_, amount) => formatAmount(Number(amount)))
    .replaceAll(MEMBER, (name) => (Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : name))
    .replaceAll(/\b(?:brn|nric|documentId)\b/g, (name) => IN_CAPITALS[name]);
}
