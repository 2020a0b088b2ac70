import { quote } from '../common/canonical-json.js';
import { toDecimal, formatPlain } from '../common/decimal.js';
import { buildAuthorityDocument } from './authority-document.js';
import { needsDefaultTaxType } from './authority-document/line-defaults.js';
import { DOCUMENT_TYPES } from './document-types.js';
import { SIGNATURE_BYTES_MAX } from './signature.js';
import type {
  DocumentType,
  LineItem,
  Named,
  Recipient,
  SimplifiedDocument,
  SubmissionType,
  Supplier,
} from './simplified-document.js';

/** The lower reading of the authority's limit of "300 KB" (docs/rules.md#body-rules). */
export const DOCUMENT_BYTES_MAX = 300_000;

export const LINE_BYTES_MIN = 653;

/** The most lines that fit into DOCUMENT_BYTES_MAX if the whole document is as short as possible. */
export const DOCUMENT_LINES_MAX = 454;

/** Lines that fit for every supplier if each has a tax, a discount and a long description. */
export const USUAL_LINES_MAX = 300;
export const USUAL_DESCRIPTION_CHARACTERS = 100;

const CHARACTER_BYTES_MAX = 4;

const SUPPLIER_TEXT_CHARACTERS_MAX = 300 + 300 + 3 * 150 + 50 + 50 + 320 + 35 + 17;

const SUPPLIER_CODE_BYTES_MAX = 14 + 20 + 5 + 2 + 3 + 2 * 20;

/** An upper bound, because the profile may change between acceptance and building. */
const SUPPLIER_BYTES_MAX = CHARACTER_BYTES_MAX * SUPPLIER_TEXT_CHARACTERS_MAX + SUPPLIER_CODE_BYTES_MAX;

const MONEY_BYTES_BESIDE_RINGGIT = 4;

const AMOUNT_BYTES_MAX = 13 + MONEY_BYTES_BESIDE_RINGGIT;

const HEADER_NUMBER_BYTES_MAX = 7 * AMOUNT_BYTES_MAX;
const SUBTOTAL_NUMBER_BYTES_MAX = 2 * AMOUNT_BYTES_MAX;

// A tax below the line total has a percentage of at most `99.99`. The greatest percentage is that of 10^13 on 0.01.
const PERCENT_BYTES_USUAL = 5;
const PERCENT_BYTES_MAX = 18 + MONEY_BYTES_BESIDE_RINGGIT;

// Below this limit, a double distinguishes all amounts of sen.
const COUNTED_BELOW = 1e13;
const POINT_AND_SEN_BYTES = 3;

const BLANK_RECIPIENT: Recipient = {
  name: '',
  tin: '',
  idType: 'PASSPORT',
  idValue: '',
  addressLines: ['', '', ''],
  city: '',
  postcode: '',
  stateCode: '',
  country: '',
  phone: '',
  email: '',
  sstNumber: '',
};

/** Placeholder supplier with all optional fields set. */
export const BLANK_SUPPLIER: Supplier = {
  ...BLANK_RECIPIENT,
  postcode: '',
  phone: '',
  ttxNumber: '',
  msic: '',
  activity: '',
  defaultTaxType: '01',
  defaultClassification: null,
};

const SKELETON = measureSkeleton();

// The envelope is counted for each document, so that the sum of several documents is an upper bound of the call's body.
const ENVELOPE_BYTES = Buffer.byteLength(
  `{"documents":[{"format":"JSON","documentHash":"${'0'.repeat(64)}","codeNumber":,"document":""},]}`,
);

/**
 * Returns an upper bound without building the document. A certificate may still be configured before the call, so the
 * bound always includes a signature.
 */
export function estimateBuiltBytesMax(document: SimplifiedDocument): number {
  const lines = document.lineItems;
  const texts = headerTexts(document);
  const taxTypes = new Set<string>();
  const exemptionReasons = new Set<string>();
  let bytes = SKELETON.header + HEADER_NUMBER_BYTES_MAX + SUPPLIER_BYTES_MAX + SIGNATURE_BYTES_MAX;
  for (const line of lines) {
    bytes += estimateLineBytesMax(line);
    texts.push(line.description);
    if (line.taxExemptionReason !== null) {
      texts.push(line.taxExemptionReason);
      exemptionReasons.add(line.taxExemptionReason);
    }
    taxTypes.add(line.taxType ?? (needsDefaultTaxType(line) ? 'default' : 'none'));
  }
  bytes += taxTypes.size * (SKELETON.subtotal + SUBTOTAL_NUMBER_BYTES_MAX);
  if (exemptionReasons.size > 0) bytes += SKELETON.exemptionReason;
  for (const reason of exemptionReasons) texts.push(reason);
  bytes += lines.length * String(lines.length).length;
  return bytes + Buffer.byteLength(JSON.stringify(texts));
}

export function estimateWireBytesMax(document: SimplifiedDocument): number {
  const base64Bytes = 4 * Math.ceil(estimateBuiltBytesMax(document) / 3);
  return base64Bytes + ENVELOPE_BYTES + Buffer.byteLength(quote(document.referenceId));
}

const WIRE_BYTES_NEVER_TOO_LARGE = (DOCUMENT_BYTES_MAX / 3) * 4;

export function mayBeTooLarge(document: SimplifiedDocument, wireBytesMax: number): boolean {
  return wireBytesMax > WIRE_BYTES_NEVER_TOO_LARGE && estimateBuiltBytesMax(document) > DOCUMENT_BYTES_MAX;
}

// The built document contains the number twice (docs/rules.md#authority-document).
function headerTexts(document: SimplifiedDocument): string[] {
  const texts = [document.referenceId, document.referenceId];
  if (document.paymentTerms !== undefined) texts.push(document.paymentTerms);
  if (document.relatedInvoice !== null) texts.push(document.relatedInvoice.referenceId);
  if (document.recipient !== null) texts.push(...recipientTexts(document.recipient));
  return texts;
}

function recipientTexts(recipient: Recipient): string[] {
  const { name, tin, idValue, addressLines, city, postcode, stateCode, country } = recipient;
  const optional = [recipient.phone ?? '', recipient.email ?? '', recipient.sstNumber ?? 'NA'];
  return [name, tin, idValue, ...addressLines, city, postcode ?? '', stateCode, country, ...optional];
}

function estimateLineBytesMax(line: LineItem): number {
  let bytes = SKELETON.line + numberBytes(line.quantity) + numberBytes(line.unitPrice);
  // The line and its subtotal both contain the line total and the tax.
  bytes += 2 * numberBytes(line.lineTotal);
  bytes += numberBytes(line.taxAmount) + numberBytes(line.exemptedTaxAmount ?? line.taxAmount);
  bytes += estimatePriceExtensionBytesMax(line) + estimateRateBytesMax(line);
  if (line.discount !== 0) bytes += SKELETON.lineDiscount + numberBytes(line.discount);
  if (line.taxExemptionReason !== null) bytes += SKELETON.exemptionReason;
  return bytes;
}

// One more ringgit covers rounding and the error of the double.
function estimatePriceExtensionBytesMax(line: LineItem): number {
  return numberBytes(Math.ceil(line.quantity * line.unitPrice) + 1) + MONEY_BYTES_BESIDE_RINGGIT;
}

function estimateRateBytesMax({ unitTax, taxAmount, lineTotal }: LineItem): number {
  const isBelowTotal = taxAmount === 0 || taxAmount < lineTotal;
  if (unitTax === undefined) return isBelowTotal ? PERCENT_BYTES_USUAL : PERCENT_BYTES_MAX;
  return SKELETON.unitTax + numberBytes(unitTax.taxPerUnit) + numberBytes(unitTax.unitCount);
}

function numberBytes(value: number): number {
  // Formatting every number would take a tenth of the validation time.
  if (value >= 0 && value < COUNTED_BELOW && Math.round(value * 100) / 100 === value) {
    return wholeDigits(value) + (Number.isInteger(value) ? 0 : POINT_AND_SEN_BYTES);
  }
  const text = String(value);
  return text.includes('e') ? formatPlain(toDecimal(value)).length : text.length;
}

function wholeDigits(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits += 1;
  return digits;
}

/** Measured with the builder, so that a change of the builder also changes the bound. */
function measureSkeleton(): Record<
  'header' | 'line' | 'lineDiscount' | 'unitTax' | 'exemptionReason' | 'subtotal',
  number
> {
  const one = skeletonBytes([blankLine()]);
  const line = skeletonBytes([blankLine(), blankLine()]) - one;
  const subtotal = skeletonBytes([blankLine(), blankLine({ taxType: '02' })]) - one - line;
  const lineDiscount = skeletonBytes([blankLine({ discount: 1 })]) - one;
  const unitTax = skeletonBytes([blankLine({ unitTax: { taxPerUnit: 1, unitCount: 1 } })]) - one;
  const exempt = skeletonBytes([blankLine({ taxType: 'E' })]);
  const exemptionReason = (skeletonBytes([blankLine({ taxType: 'E', taxExemptionReason: '' })]) - exempt) / 2;
  const longest = Math.max(one, skeletonBytes([blankLine()], 'consolidated'));
  return { header: longest - line - subtotal, line, lineDiscount, unitTax, exemptionReason, subtotal };
}

function blankLine(line: Partial<LineItem> = {}): LineItem {
  return {
    description: '',
    quantity: 1,
    unitPrice: 1,
    discount: 0,
    lineTotal: 1,
    taxAmount: 1,
    taxType: '01',
    taxExemptionReason: null,
    classification: '022',
    unitCode: 'C62',
    ...line,
  };
}

function skeletonBytes(lineItems: LineItem[], submissionType: SubmissionType = 'non-consolidated'): number {
  return Math.max(
    ...DOCUMENT_TYPES.map((documentType) => measureSkeletonBytes(documentType, lineItems, submissionType)),
  );
}

function measureSkeletonBytes(
  documentType: DocumentType,
  lineItems: LineItem[],
  submissionType: SubmissionType,
): number {
  const document: Named<SimplifiedDocument> = {
    submissionType,
    documentType,
    referenceId: '',
    documentDate: '2026-01-01',
    dateMember: undefined,
    recipient: BLANK_RECIPIENT,
    lineItems,
    totalDiscountAmount: 1,
    totalRoundingAmount: 1,
    paymentTerms: '',
    relatedInvoice: { referenceId: '', authorityUuid: null },
  };
  const built = buildAuthorityDocument({
    document,
    supplier: BLANK_SUPPLIER,
    issuedAt: new Date(0),
    period: { start: '2026-01-01', end: '2026-01-01' },
    parentAuthorityUuid: '00000000-0000-0000-0000-000000000000',
    version: '1.0',
  });
  return built.length;
}
