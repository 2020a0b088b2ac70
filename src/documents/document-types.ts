import type { DocumentType } from './simplified-document.js';

interface DocumentTypeRow {
  /** `InvoiceTypeCode` of the authority's document. */
  readonly code: string;
  /** What the authority calls it. Case, spaces and hyphens do not matter: its responses differ in them. */
  readonly authorityNames: readonly string[];
  /** The type of the document that `relatedInvoice` must name; null when `relatedInvoice` is refused. */
  readonly parentType: DocumentType | null;
}

/** All that the service knows of a document type: one that has no row does not compile. */
export const DOCUMENT_TYPE_ROWS: Readonly<Record<DocumentType, DocumentTypeRow>> = {
  invoice: { code: '01', authorityNames: ['Invoice'], parentType: null },
  credit_note: { code: '02', authorityNames: ['Credit Note'], parentType: 'invoice' },
};

export const DOCUMENT_TYPES = Object.keys(DOCUMENT_TYPE_ROWS) as readonly DocumentType[];

/** The type that a text is; null when it is none. */
export function parseDocumentType(text: unknown): DocumentType | null {
  return DOCUMENT_TYPES.find((type) => type === text) ?? null;
}

/**
 * The type that the authority means by a name. Null when this build does not know the name: the document may be of any
 * type, so nothing may be concluded from it.
 */
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

/** Kinds of documents of the authority that the service does not send: to send one as another type would be wrong. */
const UNSUPPORTED = /debit|refund|self|\b(?:0[34]|1[1-4])\b/i;
const UNSUPPORTED_HINT =
  "the service sends invoices and credit notes only: issue any other document in the authority's portal, not as one of these";

/** What to do about a text that is no type. */
export function documentTypeHint(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  if (UNSUPPORTED.test(text)) return UNSUPPORTED_HINT;
  const type = DOCUMENT_TYPES.find((each) => DOCUMENT_TYPE_ROWS[each].code === text.padStart(2, '0'));
  return type === undefined ? undefined : `use ${type}`;
}
