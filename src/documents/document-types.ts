import { createSuggester, didYouMean } from '../common/nearest.js';
import type { DocumentType } from './simplified-document.js';

interface DocumentTypeRow {
  readonly code: string;
  /**
   * Names that the authority uses. Case, spaces and hyphens are ignored, because its responses differ in them. Names
   * match only as a whole: "Self-billed Credit Note" contains "credit" and is another type. A lookup neither adopts a
   * document with an unknown name nor counts it as missing, because a resend would create a duplicate.
   */
  readonly authorityNames: readonly string[];
  readonly parentType: DocumentType | null;
}

export const DOCUMENT_TYPE_ROWS: Readonly<Record<DocumentType, DocumentTypeRow>> = {
  invoice: { code: '01', authorityNames: ['Invoice'], parentType: null },
  credit_note: { code: '02', authorityNames: ['Credit Note'], parentType: 'invoice' },
};

export const DOCUMENT_TYPES = Object.keys(DOCUMENT_TYPE_ROWS) as readonly DocumentType[];

export function parseDocumentType(text: unknown): DocumentType | null {
  return DOCUMENT_TYPES.find((type) => type === text) ?? null;
}

/** Returns null for an unknown name, which may denote any type. */
export function findDocumentType(name: string | null): DocumentType | null {
  return name === null ? null : (TYPE_BY_NAME.get(toComparable(name)) ?? null);
}

const TYPE_BY_NAME: ReadonlyMap<string, DocumentType> = new Map(
  DOCUMENT_TYPES.flatMap((type) =>
    DOCUMENT_TYPE_ROWS[type].authorityNames.map((name) => [toComparable(name), type] as const),
  ),
);

function toComparable(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** Codes and common names of documents that the service does not send, without punctuation. */
const UNSUPPORTED = /de[a-z]?b|refund|self|^(?:0?[34]|1[1-4]|[dr]n|sb[a-z]{0,3})$/;
const UNSUPPORTED_HINT =
  'the service sends invoices and credit notes only, no debit notes, refund notes and self-billed documents: issue ' +
  "these in the authority's portal, not as an invoice or a credit note";

const NO_TAX_DOCUMENT = /quot|proforma|estimate|sebutharga|order|delivery/;
const NO_TAX_DOCUMENT_HINT =
  'leave it out: a quotation, a pro forma invoice, an order or a delivery note is no tax document';

const UNCLEAR_HINT = `use ${DOCUMENT_TYPES.join(' or ')} if the document is one of the two; ${UNSUPPORTED_HINT}`;

const suggestType = createSuggester(
  [
    ...DOCUMENT_TYPES.map((type) => [type, type] as const),
    ...['inv', 'tax invoice', 'e-invoice', 'invois'].map((name) => [name, 'invoice'] as const),
    ...['cn', 'credit memo', 'nota kredit'].map((name) => [name, 'credit_note'] as const),
  ],
  { isForgiving: true },
);

/** Never suggests a type, because a wrong guess would produce a wrong document. */
export function documentTypeHint(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const plain = toComparable(text);
  if (UNSUPPORTED.test(plain)) return UNSUPPORTED_HINT;
  if (NO_TAX_DOCUMENT.test(plain)) return NO_TAX_DOCUMENT_HINT;
  const type = DOCUMENT_TYPES.find((each) => DOCUMENT_TYPE_ROWS[each].code === plain.padStart(2, '0'));
  return type === undefined ? (didYouMean(suggestType(text)) ?? UNCLEAR_HINT) : `use ${type}`;
}
