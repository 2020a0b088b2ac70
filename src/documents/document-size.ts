import type { Problem } from '../errors/problem.js';
import { buildAuthorityDocument } from './authority-document.js';
import { SIGNATURE_BYTES_MAX } from './signature.js';
import type { SimplifiedDocument, Supplier } from './simplified-document.js';
import { DOCUMENT_BYTES_MAX, estimateBuiltBytesMax } from './wire-size.js';

// Few documents exceed the upper bound of wire-size.ts. These are built to measure them, first with the shortest
// possible supplier and then with the tenant's own (docs/rules.md#body-rules).

export const DOCUMENT_SIZE = 'document_size';

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
  // The default may save a subtotal, which SUBTOTAL_BYTES_MAX subtracts.
  defaultTaxType: '01',
  defaultClassification: null,
};

// More than a tax subtotal of the summary has, without its exemption reason.
const SUBTOTAL_BYTES_MAX = 600;

// The default tax type `E` is one byte shorter, and another grouping of lines can shorten a percentage such as `12.25`
// to `5`.
const LINE_BYTES_BY_DEFAULT_MAX = 1 + 5;

type SizeProblem = Omit<Problem, 'pointer'>;

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

/** Measures the longest form of the document, including a period and a signature. */
export function findSizeProblemWith(supplier: Supplier, document: SimplifiedDocument): SizeProblem | null {
  const bytes = measureWith(supplier, document);
  if (bytes <= DOCUMENT_BYTES_MAX) return null;
  const fitting = countLinesWith(supplier, document, bytes);
  return buildSizeProblem(document, `${groupDigits(bytes)} with its signature`, fitting);
}

/** The error of the upper bound grows with the lines, so the count is never too low. Two or three builds correct it. */
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

/** @param excess known error of the upper bound in bytes, or 0 */
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
