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
