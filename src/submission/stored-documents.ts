import type { Problem } from '../errors/problem.js';
import { type Duplicate } from './duplicate-document-error.js';
import { forbiddenCharacterHint } from '../http/validation/hints.js';
import { hasInvisible } from '../documents/invisible.js';
import type { DocumentType } from '../documents/simplified-document.js';
import { type AuthorityStatus, mayResubmit, type SubmissionStatus } from '../documents/statuses.js';
import type { ParsedDocument } from './parsed-document.js';

/** The state of an attempt that a credit note depends on. */
export interface StoredAttempt {
  readonly submissionStatus: SubmissionStatus;
  readonly authorityStatus: AuthorityStatus | null;
  readonly authorityUuid: string | null;
  readonly buyerTin: string;
  readonly hasCancellationUnderWay: boolean;
}

/** A document that the tenant has submitted before, with the state of its current attempt. */
export interface StoredDocument extends StoredAttempt {
  readonly documentId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly attempts: number;
  readonly submissionBatchId: string;
  /** Its attempts, earlier ones too, that have a uuid by which the request names a parent. */
  readonly issued: readonly (StoredAttempt & { readonly authorityUuid: string })[];
}

/** An attempt of the tenant's that a request names by its uuid. */
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

  /** By a uuid in any case. */
  findIssued(authorityUuid: string): IssuedDocument | undefined {
    return this.byAuthorityUuid.get(authorityUuid.toUpperCase());
  }
}

/** Names one document of a tenant and environment. */
export function toDocumentKey(documentType: DocumentType, referenceId: string): string {
  return `${documentType}/${referenceId}`;
}

/**
 * Finds new numbers with invisible characters. A number that was stored before may be sent again
 * (docs/rules.md#numbers-and-ids).
 */
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

/** What only the stored numbers can show: an old one may be sent again. */
export const INVISIBLE_REFERENCE = {
  rule: 'reference_id_invisible',
  message: 'must not contain invisible characters, which make equal numbers different',
};

/**
 * The documents of a request that may not be submitted again, in its order (docs/rules.md#resubmission,
 * docs/rules.md#error-responses).
 */
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
