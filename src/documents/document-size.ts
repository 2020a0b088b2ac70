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
  // With a default of one letter, `E`, every line is a byte shorter.
  const bytesMin = built.length - SUBTOTAL_BYTES_MAX - document.lineItems.length;
  return bytesMin > DOCUMENT_BYTES_MAX ? buildTooLarge(`at least ${groupDigits(bytesMin)}`) : null;
}

/**
 * The problem of a document that is too large with its own issuer. Counted as it is sent at its longest: with a period,
 * since its day may be over by then, and with room for a signature.
 */
export function buildTooLargeWith(supplier: Supplier, document: SimplifiedDocument): SizeProblem | null {
  const { documentDate } = document;
  const built = buildAuthorityDocument({
    document,
    supplier,
    issuedAt: new Date(0),
    period: { start: documentDate, end: documentDate },
    parentAuthorityUuid: document.relatedInvoice?.authorityUuid ?? '0'.repeat(AUTHORITY_UUID_CHARACTERS),
    version: '1.1',
  });
  const bytes = built.length + SIGNATURE_BYTES_MAX;
  return bytes > DOCUMENT_BYTES_MAX ? buildTooLarge(`${groupDigits(bytes)} with its signature`) : null;
}

const AUTHORITY_UUID_CHARACTERS = 26;

function buildTooLarge(size: string): SizeProblem {
  return {
    rule: DOCUMENT_SIZE,
    message: `must be at most ${groupDigits(DOCUMENT_BYTES_MAX)} bytes in the authority's form, here ${size}`,
    hint: 'spread the lines over several documents',
  };
}

function groupDigits(count: number): string {
  return count.toLocaleString('en');
}
