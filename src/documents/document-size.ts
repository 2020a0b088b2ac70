import type { Problem } from '../errors/problem.js';
import { buildAuthorityDocument } from './authority-document.js';
import { SIGNATURE_BYTES_MAX } from './signature.js';
import type { SimplifiedDocument, Supplier } from './simplified-document.js';
import { DOCUMENT_BYTES_MAX, estimateBuiltBytesMax } from './wire-size.js';

// The built form of a document is at most DOCUMENT_BYTES_MAX (docs/rules.md#body-rules). Nearly all documents are far
// below, which the bound of wire-size tells without building them. The others are built: first with the shortest issuer
// there can be, which shows what surely cannot fit before the issuer is known, then with the tenant's own.

/** Identifier of the rule. */
export const DOCUMENT_SIZE = 'document_size';

/** The wire form is base64: within the limit's own base64, the built form need not be measured apart. */
const WIRE_BYTES_NEVER_TOO_LARGE = (DOCUMENT_BYTES_MAX / 3) * 4;

const SHORTEST_SUPPLIER: Supplier = {
  name: '',
  tin: '',
  idType: 'BRN',
  idValue: '',
  sstNumber: '',
  ttxNumber: '',
  msic: '',
  activity: '',
  addressLines: [''],
  city: '',
  postcode: '',
  stateCode: '',
  country: '',
  phone: '',
  email: null,
  // An issuer's own default may share a subtotal that another default needs; this one is taken off below.
  defaultTaxType: '01',
  defaultClassification: null,
};

// More than one tax subtotal of the document's summary takes in addition to its exemption reason, which no default
// brings along.
const SUBTOTAL_BYTES_MAX = 600;

// With a default of one letter, `E`, every line is a byte shorter. Which lines share a type decides their percentage:
// `5` may be `12.25` with another default.
const LINE_BYTES_BY_DEFAULT_MAX = 1 + 5;

type SizeProblem = Omit<Problem, 'pointer'>;

/** Whether the document must be measured with its issuer; false for nearly all, at the cost of a comparison. */
export function mayBeTooLarge(document: SimplifiedDocument, wireBytesMax: number): boolean {
  return wireBytesMax > WIRE_BYTES_NEVER_TOO_LARGE && estimateBuiltBytesMax(document) > DOCUMENT_BYTES_MAX;
}

/** The problem of a document that fits with no issuer whatever. */
export function findSizeProblem(document: SimplifiedDocument): SizeProblem | null {
  const built = buildAuthorityDocument({
    document,
    supplier: SHORTEST_SUPPLIER,
    issuedAt: new Date(0),
    period: null,
    parentAuthorityUuid: '',
    version: '1.0',
  });
  const bytesMin = built.length - SUBTOTAL_BYTES_MAX - LINE_BYTES_BY_DEFAULT_MAX * document.lineItems.length;
  if (bytesMin <= DOCUMENT_BYTES_MAX) return null;
  return buildSizeProblem(document, `at least ${groupDigits(bytesMin)}`, countLinesWithin(document, 0));
}

/**
 * Finds the size problem of a document with its own issuer. Measures its longest form: with a period, because its day may
 * have ended when it is sent, and with a signature.
 */
export function findSizeProblemWith(supplier: Supplier, document: SimplifiedDocument): SizeProblem | null {
  const bytes = measureWith(supplier, document);
  if (bytes <= DOCUMENT_BYTES_MAX) return null;
  const fitting = countLinesWith(supplier, document, bytes);
  return buildSizeProblem(document, `${groupDigits(bytes)} with its signature`, fitting);
}

/**
 * Counts the first lines that fit. The error of the bound grows with the lines, so the count for a measured excess is
 * never too low. It is measured in turn until it fits, which takes two or three builds.
 */
function countLinesWith(supplier: Supplier, document: SimplifiedDocument, bytes: number): number {
  let [first, size] = [document, bytes];
  while (size > DOCUMENT_BYTES_MAX && first.lineItems.length > 1) {
    const excess = estimateBuiltBytesMax(first) - size;
    first = withLines(document, countLinesWithin(first, excess));
    size = measureWith(supplier, first);
  }
  return first.lineItems.length;
}

function measureWith(supplier: Supplier, document: SimplifiedDocument): number {
  const { documentDate } = document;
  const built = buildAuthorityDocument({
    document,
    supplier,
    issuedAt: new Date(0),
    period: { start: documentDate, end: documentDate },
    parentAuthorityUuid: document.relatedInvoice?.authorityUuid ?? '0'.repeat(AUTHORITY_UUID_CHARACTERS),
    version: '1.1',
  });
  return built.length + SIGNATURE_BYTES_MAX;
}

/**
 * Counts the first lines that fit into a document, by the upper bound of their size.
 * @param excess what the bound is known to be too large by; with 0 the lines surely fit
 */
function countLinesWithin(document: SimplifiedDocument, excess: number): number {
  let [fitting, tooMany] = [1, document.lineItems.length];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    const bytes = estimateBuiltBytesMax(withLines(document, middle)) - excess;
    if (bytes <= DOCUMENT_BYTES_MAX) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}

function withLines(document: SimplifiedDocument, count: number): SimplifiedDocument {
  return { ...document, lineItems: document.lineItems.slice(0, count) };
}

const AUTHORITY_UUID_CHARACTERS = 26;

function buildSizeProblem(document: SimplifiedDocument, size: string, fitting: number): SizeProblem {
  const { lineItems, totalDiscountAmount, totalRoundingAmount } = document;
  const divide =
    totalDiscountAmount === 0 && totalRoundingAmount === 0
      ? ''
      : ', and divide totalDiscountAmount and totalRoundingAmount among them';
  return {
    rule: DOCUMENT_SIZE,
    message:
      `must be at most ${groupDigits(DOCUMENT_BYTES_MAX)} bytes in the authority's form, here ${size}; ` +
      `the first ${fitting} of its ${lineItems.length} lines fit`,
    hint: `split it into documents of at most ${fitting} lines, each with its own referenceId${divide}`,
  };
}

function groupDigits(count: number): string {
  return count.toLocaleString('en');
}
