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

/**
 * Bytes of one built document (docs/rules.md#body-rules). The authority says 300 KB without saying which; the lower
 * reading is safe.
 */
export const DOCUMENT_BYTES_MAX = 300_000;

/** Bytes of the shortest line of a built document. */
export const LINE_BYTES_MIN = 653;

/** The most lines that fit into DOCUMENT_BYTES_MAX, if all of them and the rest of the document are as short as can be. */
export const DOCUMENT_LINES_MAX = 454;

/** Lines that fit with any issuer: each has a tax, a discount and a description of USUAL_DESCRIPTION_CHARACTERS. */
export const USUAL_LINES_MAX = 300;
export const USUAL_DESCRIPTION_CHARACTERS = 100;

// UTF-8's longest character; profile limits count characters, of any script.
const CHARACTER_BYTES_MAX = 4;

// Name, activity, three address lines, city, postcode, e-mail, SST and TTX number, as long as a profile may have them.
const SUPPLIER_TEXT_CHARACTERS_MAX = 300 + 300 + 3 * 150 + 50 + 50 + 320 + 35 + 17;

// TIN, id value, MSIC, state, country, and the phone twice, since it stands in for the buyer's: letters and digits
// only.
const SUPPLIER_CODE_BYTES_MAX = 14 + 20 + 5 + 2 + 3 + 2 * 20;

/** A bound and not the figure, because the supplier's profile may change between acceptance and building. */
const SUPPLIER_BYTES_MAX = CHARACTER_BYTES_MAX * SUPPLIER_TEXT_CHARACTERS_MAX + SUPPLIER_CODE_BYTES_MAX;

// Point, two decimals and sign: what money has in addition to the digits of its whole ringgit.
const MONEY_BYTES_BESIDE_RINGGIT = 4;

// docs/rules.md#amounts bounds every amount and computed total at 10^13, so 13 digits.
const AMOUNT_BYTES_MAX = 13 + MONEY_BYTES_BESIDE_RINGGIT;

// Five totals and the two header amounts; a subtotal's taxable amount and tax.
const HEADER_NUMBER_BYTES_MAX = 7 * AMOUNT_BYTES_MAX;
const SUBTOTAL_NUMBER_BYTES_MAX = 2 * AMOUNT_BYTES_MAX;

// Only a percentage below 100 gives a tax below the line's total, at most `99.99`. The greatest is 10^13 on 0.01, 10^17
// with decimals.
const PERCENT_BYTES_USUAL = 5;
const PERCENT_BYTES_MAX = 18 + MONEY_BYTES_BESIDE_RINGGIT;

// Below it a double tells every sen apart from its neighbours.
const COUNTED_BELOW = 1e13;
const POINT_AND_SEN_BYTES = 3;

// Before SKELETON, whose measuring needs them.
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

/** No supplier, in every form of the document that a supplier decides. */
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

// {"documents":[…]} is counted for every document, so that the sum over a call is a bound of the call's body.
const ENVELOPE_BYTES = Buffer.byteLength(
  `{"documents":[{"format":"JSON","documentHash":"${'0'.repeat(64)}","codeNumber":,"document":""},]}`,
);

/**
 * At least as many bytes as the built document has, without building it. Close for long documents; a short one carries
 * the bounds of the supplier and of a signature, which is always counted: a certificate may be configured in between.
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
  // The summary has one subtotal for each type and states one of the reasons.
  bytes += taxTypes.size * (SKELETON.subtotal + SUBTOTAL_NUMBER_BYTES_MAX);
  if (exemptionReasons.size > 0) bytes += SKELETON.exemptionReason;
  for (const reason of exemptionReasons) texts.push(reason);
  bytes += lines.length * String(lines.length).length;
  // One call for all texts: its brackets, commas and quotes come on top, which a bound may have.
  return bytes + Buffer.byteLength(JSON.stringify(texts));
}

/**
 * At least as many bytes as the document takes in the authority's submit call: base64, hash, number and punctuation.
 */
export function estimateWireBytesMax(document: SimplifiedDocument): number {
  const base64Bytes = 4 * Math.ceil(estimateBuiltBytesMax(document) / 3);
  return base64Bytes + ENVELOPE_BYTES + Buffer.byteLength(quote(document.referenceId));
}

// The number stands in the document twice, as its own and as the billing reference (docs/rules.md#authority-document).
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
  // The line's total and tax each stand twice: on the line and in its one subtotal, there as exempted tax.
  bytes += 2 * numberBytes(line.lineTotal);
  bytes += numberBytes(line.taxAmount) + numberBytes(line.exemptedTaxAmount ?? line.taxAmount);
  bytes += estimatePriceExtensionBytesMax(line) + estimateRateBytesMax(line);
  if (line.discount !== 0) bytes += SKELETON.lineDiscount + numberBytes(line.discount);
  if (line.taxExemptionReason !== null) bytes += SKELETON.exemptionReason;
  return bytes;
}

// One ringgit more than the product covers both the rounding to sen and the double's own error.
function estimatePriceExtensionBytesMax(line: LineItem): number {
  return numberBytes(Math.ceil(line.quantity * line.unitPrice) + 1) + MONEY_BYTES_BESIDE_RINGGIT;
}

// The skeleton of a line has a percentage.
function estimateRateBytesMax({ unitTax, taxAmount, lineTotal }: LineItem): number {
  const isBelowTotal = taxAmount === 0 || taxAmount < lineTotal;
  if (unitTax === undefined) return isBelowTotal ? PERCENT_BYTES_USUAL : PERCENT_BYTES_MAX;
  return SKELETON.unitTax + numberBytes(unitTax.taxPerUnit) + numberBytes(unitTax.unitCount);
}

function numberBytes(value: number): number {
  // Most numbers are money: to write each of them out would cost a tenth of all that is done with a body.
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

/**
 * Bytes of each part with empty texts, measured on the builder itself when the module is loaded, so that a change of
 * the builder cannot leave the bound behind.
 */
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
  // Halved, since the reason stands on the line and in the document's subtotal.
  const exemptionReason = (skeletonBytes([blankLine({ taxType: 'E', taxExemptionReason: '' })]) - exempt) / 2;
  // The consolidated buyer is a text of the builder, not of the document.
  const longest = Math.max(one, skeletonBytes([blankLine()], 'consolidated'));
  return { header: longest - line - subtotal, line, lineDiscount, unitTax, exemptionReason, subtotal };
}

// The codes are the longest of their lists.
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

// A document with every optional part of the header, of the type that takes most.
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
    // An RFC 4122 text, the longer of the two forms that docs/rules.md#body-rules accepts.
    parentAuthorityUuid: '00000000-0000-0000-0000-000000000000',
    version: '1.0',
  });
  return built.length;
}
