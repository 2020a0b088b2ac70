import type { Problem } from '../errors/problem.js';
import type { Duplicate } from './duplicate-document-error.js';
import { forbiddenCharacterHint } from '../http/validation/hints.js';
import { hasInvisible } from '../http/validation/text.js';
import type { DocumentType } from '../documents/simplified-document.js';
import { type AuthorityStatus, mayResubmit, type SubmissionStatus } from '../documents/statuses.js';
import type { ParsedDocument } from './parsed-document.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { BEFORE_E_INVOICING } from '../documents/parent-uuid.js';
import { toSearchKey, foldText } from '../documents/search-key.js';

/** A number to look up, either of a document or of a credit note's parent. */
interface WantedNumber {
  readonly index: number;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  /** Search key for similar numbers. Null for a parent without a uuid, which must match exactly. */
  readonly numberKey: string | null;
}

type Documents = readonly { readonly document: ParsedDocument; readonly numberKey: string }[];

/** Lists the numbers of the documents, followed by those of their parents. */
export function listWantedNumbers(documents: Documents): WantedNumber[] {
  const own = documents.map(({ document: { documentType, referenceId }, numberKey }, index) => ({
    index,
    documentType,
    referenceId,
    numberKey,
  }));
  const parents = documents.flatMap(({ document: { documentType, relatedInvoice } }, index) => {
    const { parentType } = DOCUMENT_TYPE_ROWS[documentType];
    if (parentType === null || relatedInvoice === null) return [];
    const { referenceId, authorityUuid } = relatedInvoice;
    const numberKey = authorityUuid === null ? null : toSearchKey(referenceId);
    return [{ index, documentType: parentType, referenceId, numberKey }];
  });
  return [...own, ...parents];
}

/** The documents to look up by type, number and search key (parallel arrays), and by the authority's uuid. */
export interface WantedDocuments {
  readonly types: readonly string[];
  readonly referenceIds: readonly string[];
  readonly numberKeys: readonly (string | null)[];
  readonly authorityUuids: readonly string[];
}

export function buildWanted(documents: Documents): WantedDocuments {
  const numbers = listWantedNumbers(documents);
  const uuids = documents.flatMap(({ document: { relatedInvoice } }) => relatedInvoice?.authorityUuid ?? []);
  return {
    types: numbers.map(({ documentType }) => documentType),
    referenceIds: numbers.map(({ referenceId }) => referenceId),
    numberKeys: numbers.map(({ numberKey }) => numberKey),
    authorityUuids: [...new Set(uuids)].filter((uuid) => uuid !== BEFORE_E_INVOICING),
  };
}

/** The state of an attempt that decides whether a credit note may reference it. */
export interface StoredAttempt {
  readonly submissionStatus: SubmissionStatus;
  readonly authorityStatus: AuthorityStatus | null;
  readonly authorityUuid: string | null;
  readonly buyerTin: string;
  readonly hasCancellationUnderWay: boolean;
}

/** A stored document with the state of its current attempt. */
export interface StoredDocument extends StoredAttempt {
  readonly documentId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly attempts: number;
  readonly submissionBatchId: string;
  /** All attempts of the document with a uuid that the request uses to reference a parent. */
  readonly issued: readonly (StoredAttempt & { readonly authorityUuid: string })[];
}

export interface IssuedDocument {
  readonly document: StoredDocument;
  readonly attempt: StoredAttempt;
}

export class StoredDocuments {
  private readonly byIdentity = new Map<string, StoredDocument>();
  private readonly byAuthorityUuid = new Map<string, IssuedDocument>();

  constructor(documents: readonly StoredDocument[]) {
    for (const document of documents) {
      this.byIdentity.set(toDocumentKey(document.documentType, document.referenceId), document);
      for (const attempt of document.issued) {
        this.byAuthorityUuid.set(attempt.authorityUuid.toUpperCase(), { document, attempt });
      }
    }
  }

  find(documentType: DocumentType, referenceId: string): StoredDocument | undefined {
    return this.byIdentity.get(toDocumentKey(documentType, referenceId));
  }

  /** Matches the uuid regardless of case. */
  findIssued(authorityUuid: string): IssuedDocument | undefined {
    return this.byAuthorityUuid.get(authorityUuid.toUpperCase());
  }
}

/** Returns a key that is unique per tenant and environment. */
export function toDocumentKey(documentType: DocumentType, referenceId: string): string {
  return `${documentType}/${referenceId}`;
}

/** Finds invisible characters in new numbers. Stored numbers may be sent again (docs/rules.md#numbers-and-ids). */
export function findInvisible(
  documents: readonly { document: ParsedDocument }[],
  stored: StoredDocuments,
): readonly Problem[] {
  return documents.flatMap(({ document: { documentType, referenceId } }, index) => {
    if (!hasInvisible(referenceId) || stored.find(documentType, referenceId) !== undefined) return [];
    const hint = forbiddenCharacterHint(referenceId, hasInvisible);
    return [{ pointer: `/documents/${index}/referenceId`, ...INVISIBLE_REFERENCE, ...(hint && { hint }) }];
  });
}

export const INVISIBLE_REFERENCE = {
  rule: 'reference_id_invisible',
  message: 'must not contain invisible characters, which make equal numbers different',
};

/** Lists the documents that must not be submitted again, in request order (docs/rules.md#resubmission). */
export function findDuplicates(
  documents: readonly { document: ParsedDocument }[],
  stored: StoredDocuments,
): Duplicate[] {
  return documents.flatMap(({ document }, documentIndex) => {
    const earlier = stored.find(document.documentType, document.referenceId);
    if (earlier === undefined || mayResubmit(earlier)) return [];
    const { documentType, referenceId, submissionStatus, authorityStatus, documentId, submissionBatchId } = earlier;
    const existing = { documentType, referenceId, submissionStatus, authorityStatus, documentId, submissionBatchId };
    return [{ documentIndex, existing }];
  });
}

/** A stored number with the same search key as the number at `position` of `listWantedNumbers`. */
export interface StoredReference {
  readonly position: number;
  readonly referenceId: string;
}

export const SIMILAR_REFERENCE = 'reference_id_alike';
export const SIMILAR_PARENT = 'related_invoice_alike';

/**
 * Warns about numbers that differ only by case, width or composition, and probably identify the same
 * document (docs/rules.md#warnings).
 */
export function warnOfSimilar(documents: Documents, stored: readonly StoredReference[]): Problem[] {
  const wanted = listWantedNumbers(documents);
  const storedAt = new Map<number, string>();
  for (const { position, referenceId } of stored) {
    if (!storedAt.has(position) && foldText(referenceId) === foldText(wanted[position].referenceId)) {
      storedAt.set(position, referenceId);
    }
  }
  const firstByFolded = new Map<string, string>();
  return wanted.flatMap(({ index, documentType, referenceId }, position) => {
    const storedReference = storedAt.get(position);
    if (position >= documents.length) {
      return storedReference === undefined ? [] : [buildParentWarning(index, storedReference)];
    }
    const key = `${documentType}/${foldText(referenceId)}`;
    const first = firstByFolded.get(key);
    if (first === undefined) firstByFolded.set(key, referenceId);
    const other = storedReference ?? first;
    return other === undefined ? [] : [buildWarning(index, documentType, other)];
  });
}

function buildParentWarning(index: number, other: string): Problem {
  return {
    pointer: `/documents/${index}/relatedInvoice/referenceId`,
    rule: SIMILAR_PARENT,
    message: `differs from invoice ${other}, which was submitted through this service, only by case, width or composition`,
    hint: `to refer to that invoice, use ${other} and leave authorityUuid out`,
  };
}

function buildWarning(index: number, documentType: DocumentType, other: string): Problem {
  return {
    pointer: `/documents/${index}/referenceId`,
    rule: SIMILAR_REFERENCE,
    message: `differs from ${other}, the number of another ${documentType}, only by case, width or composition`,
    hint: 'if both are the same document, cancel one of them; otherwise keep both, and choose numbers that differ clearly in future',
  };
}
