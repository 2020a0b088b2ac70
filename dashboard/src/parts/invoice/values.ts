import type { components } from '../../api/schema.js';
import { BUYER, LINE, PARENT } from '../field-names.js';
import { formatAmount } from '../format.js';
import { HOME } from '../home-country.js';
import { formatMalaysianDay } from '../malaysian-time.js';
import { isInvalidAmount, describeInvalidAmount } from '../plain-amount.js';
import { validateDay } from '../plain-day.js';
import { roundSum } from './exact-amount.js';
import type { TaxedLine } from './tax-percent.js';

/** Value of an amount field: a number, an empty text, or a text that is not a number. */
type Typed = number | string;

export type IdKind = 'brn' | 'nric' | 'passport' | 'army';

type Schemas = components['schemas'];
export type SubmitBody = Schemas['SubmitDto'];
type SubmissionType = SubmitBody['submission_type'];
type DocumentType = Schemas['DocumentDto']['documentType'];

const LINE_AMOUNTS = [
  'quantity',
  'unitPrice',
  'discount',
  'lineTotal',
  'taxRate',
  'taxAmount',
  'taxPerUnit',
  'taxUnitCount',
] as const;

const DOCUMENT_AMOUNTS = ['totalDiscountAmount', 'totalRoundingAmount'] as const;

const COMPUTED_TOTALS: readonly string[] = [
  'totalExcludingTax',
  'totalTaxAmount',
  'totalIncludingTax',
  'totalPayableAmount',
] satisfies (keyof Schemas['DocumentDto'])[];

/** Unknown members as JSON. They are kept because a newer service may have more members. */
interface Kept {
  others: string;
}

/** Form values of a line. */
export type LineValues = Record<Exclude<keyof Schemas['LineItemDto'], NumberField>, string> &
  Record<NumberField, Typed> &
  Kept;
type NumberField = (typeof LINE_AMOUNTS)[number];

type BuyerValues = Record<Exclude<keyof Schemas['RecipientDto'], 'entity_type'>, string> & { idKind: IdKind } & Kept;
type ParentValues = Record<keyof Schemas['RelatedInvoiceDto'], string> & Kept;

export interface DocumentValues extends Kept {
  documentType: DocumentType;
  referenceId: string;
  documentDate: string;
  recipient: BuyerValues;
  lineItems: LineValues[];
  totalDiscountAmount: Typed;
  totalRoundingAmount: Typed;
  paymentTerms: string;
  relatedInvoice: ParentValues;
}

/** Form values of a document, with the structure of the request so that problems can be mapped to fields. */
export interface InvoiceValues extends Record<string, unknown> {
  submission_type: SubmissionType;
  documents: DocumentValues[];
}

export const EMPTY_LINE: LineValues = { ...toEmpty(LINE), quantity: 1, taxAmount: 0 };

const { entity_type: _, ...BUYER_TEXTS } = BUYER;
export const EMPTY_BUYER: BuyerValues = { ...toEmpty(BUYER_TEXTS), idKind: 'brn', country: HOME };

const EMPTY_PARENT: ParentValues = toEmpty(PARENT);

function toEmpty<Name extends string>(names: Readonly<Record<Name, string>>): Record<Name, string> & Kept {
  const texts = Object.fromEntries(Object.keys(names).map((name) => [name, '']));
  return { ...(texts as Record<Name, string>), others: '' };
}

export function emptyInvoice(referenceId = ''): InvoiceValues {
  return {
    submission_type: 'non-consolidated',
    documents: [
      {
        documentType: 'invoice',
        referenceId,
        documentDate: formatMalaysianDay(),
        recipient: { ...EMPTY_BUYER },
        lineItems: [{ ...EMPTY_LINE }],
        totalDiscountAmount: '',
        totalRoundingAmount: '',
        paymentTerms: '',
        relatedInvoice: { ...EMPTY_PARENT },
        others: '',
      },
    ],
  };
}

/**
 * Creates an invoice from the organisation to itself. Its own TIN and id are certainly registered with the authority.
 */
export function sampleInvoice(profile: Schemas['ProfileDto'], stateSlug: string): InvoiceValues {
  const values = emptyInvoice();
  const [document] = values.documents;
  const idKind = (profile.idType ?? 'BRN').toLowerCase() as IdKind;
  return {
    ...values,
    documents: [
      {
        ...document,
        referenceId: `TEST-${formatMalaysianDay().replaceAll('-', '')}-1`,
        recipient: {
          ...document.recipient,
          idKind,
          [idKind]: profile.idValue ?? '',
          name: profile.name,
          tin: profile.tin ?? '',
          addressLine1: profile.addressLine1 ?? '',
          city: profile.city ?? '',
          postcode: profile.postcode ?? '',
          country: profile.country ?? HOME,
          state: stateSlug,
          phone: profile.phone ?? '',
          email: profile.email ?? '',
        },
        lineItems: [{ ...EMPTY_LINE, description: 'Test item', unitPrice: 100, taxAmount: 8 }],
      },
    ],
  };
}

export function toValues({ submission_type, documents: [sent] }: SubmitBody): InvoiceValues {
  const [blank] = emptyInvoice().documents;
  // The service returns the date in the spelling in which it was sent.
  const { document_date: documentDate, recipient, lineItems, relatedInvoice, ...others } = sent;
  // The totals of the original do not apply to a correction.
  const members = Object.fromEntries(Object.entries(others).filter(([name]) => !COMPUTED_TOTALS.includes(name)));
  return {
    submission_type,
    documents: [
      {
        ...fill({ ...blank, documentDate: '' }, { documentDate, ...members }),
        recipient: recipient === undefined ? { ...EMPTY_BUYER } : toBuyerValues(recipient),
        lineItems: lineItems.map(toLineValues),
        relatedInvoice: fill(EMPTY_PARENT, relatedInvoice ?? {}),
      },
    ],
  };
}

/** Creates a credit note for a whole invoice, to be reduced by the user. */
export function toCreditNote(invoice: SubmitBody, referenceId = ''): InvoiceValues {
  const values = toValues(invoice);
  const [document] = values.documents;
  return {
    ...values,
    documents: [
      {
        ...document,
        documentType: 'credit_note',
        referenceId,
        documentDate: formatMalaysianDay(),
        paymentTerms: '',
        relatedInvoice: { ...EMPTY_PARENT, referenceId: document.referenceId },
      },
    ],
  };
}

/** Empties the quantities and amounts of all lines. */
export function withoutQuantities(values: InvoiceValues): InvoiceValues {
  const documents = values.documents.map((document) => ({
    ...document,
    totalDiscountAmount: '',
    totalRoundingAmount: '',
    lineItems: document.lineItems.map((line) => ({
      ...line,
      quantity: '',
      discount: '',
      lineTotal: '',
      taxAmount: '',
    })),
  }));
  return { ...values, documents };
}

/** Converts a buyer of a request to form values. */
export function toBuyerValues({ entity_type, ...recipient }: Schemas['RecipientDto']): BuyerValues {
  const isCompany = entity_type !== 'individual';
  const idKind = isCompany ? 'brn' : (ID_KINDS.find((kind) => recipient[kind] !== undefined) ?? 'nric');
  return { ...fill(EMPTY_BUYER, recipient), idKind };
}

function toLineValues(line: Schemas['LineItemDto']): LineValues {
  const values: LineValues = fill({ ...EMPTY_LINE, taxAmount: '' }, line);
  // A line total that equals the computed one is omitted because it would contradict a corrected price.
  return values.lineTotal === computeLineTotal(values) ? { ...values, lineTotal: '' } : values;
}

/** Fills `blank` with the members of `sent`. Unknown members are kept in `others`. */
function fill<Values extends Kept>(blank: Values, sent: object): Values {
  const isKnown = ([name]: [string, unknown]): boolean => Object.hasOwn(blank, name) && name !== 'others';
  const members = Object.entries(sent).filter(([, value]) => value !== undefined && value !== null);
  const others = Object.fromEntries(members.filter((member) => !isKnown(member)));
  const known = Object.fromEntries(members.filter(isKnown));
  return { ...blank, ...known, others: Object.keys(others).length === 0 ? '' : JSON.stringify(others) };
}

/** Returns the errors of invalid amounts and dates by field. A form with such an error is not sent. */
export function findInvalid({ documents }: InvoiceValues): Record<string, string> {
  const dates = documents.flatMap(({ documentDate }, index) => {
    const error = validateDay(documentDate);
    return error === null ? [] : [[`documents.${index}.documentDate`, error] as const];
  });
  const amounts = documents.flatMap((document, index) => [
    ...DOCUMENT_AMOUNTS.map((name) => [`documents.${index}.${name}`, document[name]] as const),
    ...document.lineItems.flatMap((line, position) =>
      LINE_AMOUNTS.map((name) => [`documents.${index}.lineItems.${position}.${name}`, line[name]] as const),
    ),
  ]);
  return Object.fromEntries([
    ...dates,
    ...amounts.flatMap(([field, value]) =>
      isInvalidAmount(value) ? [[field, describeInvalidAmount(String(value))]] : [],
    ),
  ]);
}

/** Builds the request. Empty fields are omitted so that the service reports them as missing. */
export function toSubmitBody({ submission_type, documents }: InvoiceValues): SubmitBody {
  const written = documents.map(({ recipient, lineItems, relatedInvoice, ...document }) => ({
    ...filled({ ...document, ...toAmounts(document, DOCUMENT_AMOUNTS) }),
    ...(submission_type === 'consolidated' ? {} : { recipient: toRecipient(recipient) }),
    lineItems: lineItems.map(toLineItem),
    ...(hasParent(document) ? { relatedInvoice: filled(relatedInvoice) } : {}),
  }));
  return { submission_type, documents: written } as unknown as SubmitBody;
}

function toLineItem(line: LineValues): object {
  return filled({ ...line, ...toAmounts(line, LINE_AMOUNTS) });
}

/** Converts texts to numbers because a draft of an older version may contain texts such as 99.90. */
function toAmounts<Name extends string>(values: Record<Name, Typed>, names: readonly Name[]): object {
  return Object.fromEntries(names.map((name) => [name, toAmount(values[name])]));
}

function toAmount(typed: Typed): Typed {
  // The service rejects other texts and names the field.
  return typed === '' || Number.isNaN(Number(typed)) ? typed : Number(typed);
}

/** Whether the document type requires a parent invoice. */
export function hasParent({ documentType }: Pick<DocumentValues, 'documentType'>): boolean {
  return documentType === 'credit_note';
}

function toRecipient({ idKind, ...recipient }: BuyerValues): object {
  return {
    entity_type: idKind === 'brn' ? 'company' : 'individual',
    ...filled({ ...recipient, ...onlyId(recipient, idKind) }),
  };
}

const ID_KINDS: readonly IdKind[] = ['brn', 'nric', 'passport', 'army'];

function onlyId(recipient: Record<IdKind, string>, kind: IdKind): Record<IdKind, string> {
  const ids = ID_KINDS.map((one) => [one, one === kind ? recipient[one] : '']);
  return Object.fromEntries(ids) as Record<IdKind, string>;
}

function filled({ others, ...members }: Kept & object): Record<string, unknown> {
  // null is a cleared choice.
  const typed = Object.entries(members).filter(([, value]) => value !== '' && value !== null);
  return { ...Object.fromEntries(typed), ...(others === '' ? {} : (JSON.parse(others) as object)) };
}

type Amounts = Pick<LineValues, 'quantity' | 'unitPrice' | 'discount'>;

/** Returns the line total as the service computes it, or null if the line is incomplete. */
export function computeLineTotal({ quantity, unitPrice, discount }: Amounts): number | null {
  if (quantity === '' || unitPrice === '') return null;
  return known(roundSum([Number(quantity), Number(unitPrice)], [-Number(discount)]));
}

export function lineTotal(line: Amounts & Pick<LineValues, 'lineTotal'>): number | null {
  return line.lineTotal === '' ? computeLineTotal(line) : known(Number(line.lineTotal));
}

/** Tax type of an exempt line. */
export const EXEMPT = 'E';

function computeLineTax({ taxType, taxAmount, taxPerUnit, taxUnitCount, quantity }: LineValues): number {
  if (taxType === EXEMPT) return 0;
  if (taxAmount !== '' || taxPerUnit === '') return Number(taxAmount);
  return roundSum([Number(taxPerUnit), Number(taxUnitCount === '' ? quantity : taxUnitCount)]);
}

/** Returns the basis of a line's tax percentage, or null if the line has none or is incomplete. */
export function toTaxedLine(line: LineValues): TaxedLine | null {
  const { taxType, taxAmount, taxRate, taxPerUnit } = line;
  const [total, tax] = [lineTotal(line), known(roundSum([Number(taxAmount)]))];
  if (total === null || total === 0 || tax === null || taxType === EXEMPT || taxPerUnit !== '') return null;
  return { taxType, total, tax, rate: taxRate === '' ? null : Number(taxRate) };
}

/** Returns the amount to pay, or null if a line is incomplete. */
export function payable({
  lineItems,
  totalDiscountAmount,
  totalRoundingAmount,
}: Pick<DocumentValues, 'lineItems' | 'totalDiscountAmount' | 'totalRoundingAmount'>): number | null {
  const amounts = [Number(totalRoundingAmount), -Number(totalDiscountAmount)];
  for (const line of lineItems) {
    const total = lineTotal(line);
    if (total === null) return null;
    amounts.push(total, computeLineTax(line));
  }
  return known(roundSum(...amounts.map((amount) => [amount])));
}

function known(amount: number): number | null {
  return Number.isNaN(amount) ? null : amount;
}

/** Returns the tax of a line. `rate` is a percentage. */
export function computeTax(total: number, rate: number): number {
  return roundSum([total, rate, 0.01]);
}

export function formatOptionalAmount(amount: number | null): string {
  return amount === null ? '–' : formatAmount(amount);
}
