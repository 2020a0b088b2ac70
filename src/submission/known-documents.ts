import { ValidationError } from '../errors/api-error.js';
import { type Duplicate } from './duplicate-document-error.js';
import { forbiddenCharacterHint } from '../validation/hints.js';
import { hasInvisible } from '../documents/invisible.js';
import type { DocumentType } from '../documents/simplified-document.js';
import { type AuthorityStatus, mayResubmit, type SubmissionStatus } from '../documents/statuses.js';
import type { StatedDocument } from './stated-document.js';

/** Where an attempt stands, as far as a credit note that refers to it depends on that. */
export interface KnownAttempt {
  readonly submissionStatus: SubmissionStatus;
  readonly authorityStatus: AuthorityStatus | null;
  readonly authorityUuid: string | null;
  readonly buyerTin: string;
  readonly hasCancellationUnderWay: boolean;
}

/** A document that the tenant has submitted before, where its current attempt stands. */
export interface KnownDocument extends KnownAttempt {
  readonly documentId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly attempts: number;
  readonly submissionBatchId: string;
  /** Its attempts, earlier ones too, that have a uuid by which the request names a parent. */
  readonly issued: readonly (KnownAttempt & { readonly authorityUuid: string })[];
}

/** An attempt of the tenant's that a request names by its uuid. */
export interface IssuedDocument {
  readonly document: KnownDocument;
  readonly attempt: KnownAttempt;
}

export class KnownDocuments {
  private readonly byIdentity = new Map<string, KnownDocument>();
  private readonly byAuthorityUuid = new Map<string, IssuedDocument>();

  constructor(documents: readonly KnownDocument[]) {
    for (const document of documents) {
      this.byIdentity.set(toDocumentKey(document.documentType, document.referenceId), document);
      for (const attempt of document.issued) {
        this.byAuthorityUuid.set(attempt.authorityUuid.toUpperCase(), { document, attempt });
      }
    }
  }

  find(documentType: DocumentType, referenceId: string): KnownDocument | undefined {
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
 * A number that was stored before may be sent again; a new one must be readable (docs/rules.md#numbers-and-ids).
 * @throws ValidationError (400) naming every new number with invisible characters
 */
export function refuseInvisible(documents: readonly { document: StatedDocument }[], known: KnownDocuments): void {
  const problems = documents.flatMap(({ document: { documentType, referenceId } }, index) => {
    if (!hasInvisible(referenceId) || known.find(documentType, referenceId) !== undefined) return [];
    const hint = forbiddenCharacterHint(referenceId, hasInvisible);
    return [{ pointer: `/documents/${index}/referenceId`, ...INVISIBLE_REFERENCE, ...(hint && { hint }) }];
  });
  if (problems.length === 0) return;
  throw new ValidationError(problems, (index) => documents[index]?.document.referenceId ?? null);
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
export function findDuplicates(documents: readonly { document: StatedDocument }[], known: KnownDocuments): Duplicate[] {
  return documents.flatMap(({ document }, documentIndex) => {
    const earlier = known.find(document.documentType, document.referenceId);
    if (earlier === undefined || mayResubmit(earlier)) return [];
    const { documentType, referenceId, submissionStatus, authorityStatus, documentId, submissionBatchId } = earlier;
    const existing = { documentType, referenceId, submissionStatus, authorityStatus, documentId, submissionBatchId };
    return [{ documentIndex, existing }];
  });
}
