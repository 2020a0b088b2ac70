import type { Problem } from '../errors/problem.js';
import type { Duplicate } from './duplicate-document-error.js';
import { forbiddenCharacterHint } from '../http/validation/hints.js';
import { hasInvisible } from '../http/validation/text.js';
import type { DocumentType } from '../documents/simplified-document.js';
import { type AuthorityStatus, mayResubmit, type SubmissionStatus } from '../documents/statuses.js';
import type { ParsedDocument } from './parsed-document.js';

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
