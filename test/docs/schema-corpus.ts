import { MEANING_RULE_IDS } from '../../src/documents/body-rules.js';
import { SUBMIT_RULE_IDS } from '../../src/submission/submit-body.js';
import {
  LINE,
  PARENT,
  RECIPIENT,
  bodyOf,
  buildBody,
  creditNote,
  documentWith,
  line,
  recipient,
} from '../../src/submission/submit-body.fixtures.js';
import { type Schema, SCHEMAS } from './api-description.js';

// Bodies with the expected result of the service, which is compared with openapi.json. Add a body for each new rule.

type Corpus = Readonly<Record<string, unknown>>;

interface Exception {
  readonly rules: readonly string[];
  readonly reason: string;
}

/** Pointers to fields in their undocumented spelling. */
export const OTHER_SPELLINGS = /\/(?:submissionType|documentDate|entityType|document_id|cancellation_reason)$/;

/**
 * Rules that a schema cannot express. A schema also counts surrounding whitespace and does not recognise texts that only
 * look empty.
 */
export const BEYOND_A_SCHEMA: readonly Exception[] = [
  {
    rules: ['document_date_required', 'recipient_entity_type_required', 'document_id_required'],
    reason: 'Either spelling of the member suffices.',
  },
  { rules: ['other_spelling'], reason: 'The schema shows one spelling of a member.' },
  {
    rules: SUBMIT_RULE_IDS.filter((rule) => /_(?:decimals|precision)$/.test(rule)),
    reason: 'multipleOf is unreliable for decimal fractions.',
  },
  {
    rules: SUBMIT_RULE_IDS.filter((rule) => rule.endsWith('_characters')),
    reason: 'A pattern would hide the form of the text.',
  },
  {
    rules: ['related_invoice_required', 'related_invoice_refused', 'recipient_postcode_required'],
    reason: 'The rule depends on another member.',
  },
  { rules: ['member_unknown'], reason: 'An unknown member is refused only next to another mistake.' },
  {
    // Each submission type has its own schema.
    rules: MEANING_RULE_IDS.filter((rule) => rule !== 'recipient_required'),
    reason: 'The rule depends on other members, a code list, a sum or the date.',
  },
];

const without = (value: object, ...names: string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

const dateless = without(documentWith(), 'document_date');
const kindless = without(RECIPIENT, 'entity_type');
const nameless = without(documentWith(), 'recipient');
const consolidated = (document: object): object => ({ submission_type: 'consolidated', documents: [document] });

// Required fields of the documents below.
const NEEDED = /^(?:document_date|recipient|entity_type|brn|postcode|state)$/;

/** Lists the optional fields of a body with their values. @param isMeant filter for the fields */
function fillOptional(schema: string, value: '' | null, isMeant: (member: Schema) => boolean = () => true): object {
  const { properties = {}, required = [] } = SCHEMAS[schema];
  const optional = Object.entries(properties).filter(([name]) => !required.includes(name) && !NEEDED.test(name));
  return Object.fromEntries(optional.flatMap(([name, member]) => (isMeant(member) ? [[name, value]] : [])));
}

const isText = ({ type, enum: choices }: Schema): boolean => type === 'string' && choices === undefined;

export const SUBMIT_ACCEPTED: Corpus = {
  'an invoice': bodyOf(),
  'a credit note': creditNote({}),
  'document_date as documentDate': buildBody({ ...dateless, documentDate: '2026-11-20' }),
  'document_date as null with documentDate': bodyOf({ document_date: null, documentDate: '2026-11-20' }),
  'both spellings with one value': bodyOf({ documentDate: '2026-11-20' }),
  'entity_type as entityType': bodyOf({ recipient: { ...kindless, entityType: 'company' } }),
  'entity_type as null with entityType': recipient({ entity_type: null, entityType: 'company' }),
  'submission_type as submissionType': { submissionType: 'non-consolidated', documents: [documentWith()] },
  'submission_type as null with submissionType': {
    submission_type: null,
    submissionType: 'non-consolidated',
    documents: [documentWith()],
  },
  'submission_type as an empty text with submissionType': {
    submission_type: '',
    submissionType: 'consolidated',
    documents: [nameless],
  },
  'entity_type as an empty text with entityType': recipient({ entity_type: '', entityType: 'company' }),
  'document_date as an empty text with documentDate': bodyOf({ document_date: '', documentDate: '2026-11-20' }),
  'an empty text for every optional text': buildBody(
    documentWith({
      ...fillOptional('DocumentDto', '', isText),
      recipient: { ...RECIPIENT, ...fillOptional('RecipientDto', '', isText) },
      lineItems: [{ ...LINE, ...fillOptional('LineItemDto', '', isText) }],
    }),
  ),
  'texts for no sstNumber': buildBody(
    ...['-', 'NA', 'N/A', 'nil', '\uFF0D', '\uFF2E\uFF21'].map((sstNumber, index) =>
      documentWith({ referenceId: `INV-${index}`, recipient: { ...RECIPIENT, sstNumber } }),
    ),
  ),
  'null for every optional member': buildBody(
    documentWith({
      ...fillOptional('DocumentDto', null),
      recipient: { ...RECIPIENT, ...fillOptional('RecipientDto', null) },
      lineItems: [{ ...LINE, ...fillOptional('LineItemDto', null) }],
    }),
  ),
  'a blank authorityUuid': creditNote({ relatedInvoice: { ...PARENT, authorityUuid: '' } }),
  'an unknown member': bodyOf({ note: 'x' }),
  'a taxRate': line({ taxRate: 8 }),
  'taxRate as tax_rate': line({ tax_rate: 8 }),
  'an emoji for each character of the limit': bodyOf({ paymentTerms: '\u{1F600}'.repeat(300) }),
  'a consolidated document without a recipient': consolidated(nameless),
  'a consolidated document with a recipient': consolidated(documentWith()),
  'a consolidated document with null as its recipient': consolidated({ ...nameless, recipient: null }),
  'a consolidated document with a text as its recipient': consolidated({ ...nameless, recipient: 'General Public' }),
  'a consolidated document with a list as its recipient': consolidated({ ...nameless, recipient: [] }),
  'a consolidated document with an incomplete recipient': consolidated({ ...nameless, recipient: { name: 5 } }),
  'a consolidated document by submissionType': {
    submissionType: 'consolidated',
    documents: [{ ...nameless, recipient: { tin: '' } }],
  },
};

export const SUBMIT_REFUSED: Corpus = {
  'a list': [],
  null: null,
  'a body without documents': { submission_type: 'consolidated' },
  'no document': buildBody(),
  '101 documents': buildBody(
    ...Array.from({ length: 101 }, (_, index) => documentWith({ referenceId: `INV-${index}` })),
  ),
  'a document that is null': buildBody(null),
  'no submission_type': { documents: [documentWith()] },
  'an empty submission_type': { submission_type: '', documents: [documentWith()] },
  'an empty submission_type and submissionType': { submission_type: '', submissionType: '', documents: [nameless] },
  'another submission_type': { submission_type: 'b2c', documents: [nameless] },
  'another documentType': bodyOf({ documentType: 'debit_note' }),
  'no referenceId': buildBody(without(documentWith(), 'referenceId')),
  'null for a required member': bodyOf({ referenceId: null }),
  'a number for a text': bodyOf({ referenceId: 5 }),
  'a referenceId of 51 characters': bodyOf({ referenceId: 'x'.repeat(51) }),
  'paymentTerms of 301 emoji': bodyOf({ paymentTerms: '\u{1F600}'.repeat(301) }),
  'a date in another form': bodyOf({ document_date: '20/11/2026' }),
  'a non-consolidated document without a recipient': buildBody(nameless),
  'a non-consolidated document with null as its recipient': bodyOf({ recipient: null }),
  'a non-consolidated document without a recipient by submissionType': {
    submissionType: 'non-consolidated',
    documents: [nameless],
  },
  'a text as the recipient': bodyOf({ recipient: 'General Public' }),
  'a recipient without a tin': bodyOf({ recipient: without(RECIPIENT, 'tin') }),
  'another entity_type': recipient({ entity_type: 'sole_proprietor' }),
  'an email without @': recipient({ email: 'pembeli' }),
  'no lineItems': buildBody(without(documentWith(), 'lineItems')),
  'an empty list of lineItems': bodyOf({ lineItems: [] }),
  'an object for the lineItems': bodyOf({ lineItems: LINE }),
  'a line without a description': bodyOf({ lineItems: [without(LINE, 'description')] }),
  'a quantity of 0': line({ quantity: 0 }),
  'a negative unitPrice': line({ unitPrice: -1 }),
  'a text for an amount': line({ unitPrice: '100' }),
  'an amount of 10,000,000,000,000': line({ unitPrice: 1e13 }),
  'a taxType of three characters': line({ taxType: '001' }),
  'a relatedInvoice without a referenceId': creditNote({ relatedInvoice: without(PARENT, 'referenceId') }),
  'an authorityUuid in another form': creditNote({ relatedInvoice: { ...PARENT, authorityUuid: 'INV-1' } }),
};

/** Bodies that only the service rejects. */
export const SUBMIT_REFUSED_BY_SERVICE: Corpus = {
  'no date': buildBody(dateless),
  'a misspelled date': buildBody({ ...dateless, document_dat: '2026-11-20' }),
  'an empty entity_type': recipient({ entity_type: '' }),
  'no entity_type': bodyOf({ recipient: kindless }),
  'a documentDate in another form': buildBody({ ...dateless, documentDate: '20/11/2026' }),
  'two dates': bodyOf({ documentDate: '2026-11-19' }),
  'two kinds of buyer': recipient({ entityType: 'individual' }),
  'a fraction of a sen': line({ discount: 0.001 }),
  'six decimals': line({ quantity: 0.000001, unitPrice: 0.000001 }),
  '16 significant digits': line({ quantity: Number('1234567890123.4567'), lineTotal: null, unitPrice: 1 }),
  'a control character': bodyOf({ referenceId: 'INV\u0007' }),
  'a control character in a description': line({ description: 'a\u0007' }),
  'a credit note without a relatedInvoice': creditNote({ relatedInvoice: null }),
  'an invoice with a relatedInvoice': bodyOf({ relatedInvoice: PARENT }),
  'an sstNumber with a dot': recipient({ sstNumber: 'W10.1808' }),
  'no postcode in Malaysia': recipient({ postcode: null }),
  'a state that does not exist': recipient({ state: 'Selangur' }),
  'a lineTotal that does not fit': line({ lineTotal: 100 }),
};

const ID = '019a8b5e-7c1f-7000-8000-000000000002';

export const CANCEL_ACCEPTED: Corpus = {
  'a documentId': { documentId: ID },
  'documentId as document_id': { document_id: ID },
  'documentId as null with document_id': { documentId: null, document_id: ID },
  'a cancellationReason': { documentId: ID, cancellationReason: 'Wrong buyer' },
  'cancellationReason as cancellation_reason': { documentId: ID, cancellation_reason: 'Wrong buyer' },
  'null for the cancellationReason': { documentId: ID, cancellationReason: null },
};

export const CANCEL_REFUSED: Corpus = {
  null: null,
  'a documentId that is no UUID': { documentId: 'INV-1' },
  'a number for the cancellationReason': { documentId: ID, cancellationReason: 5 },
  'a cancellationReason of 301 characters': { documentId: ID, cancellationReason: 'x'.repeat(301) },
};

export const CANCEL_REFUSED_BY_SERVICE: Corpus = {
  'no documentId': {},
  'two ids': { documentId: ID, document_id: ID.replace('2', '3') },
  'two reasons': { documentId: ID, cancellationReason: 'a', cancellation_reason: 'b' },
};
