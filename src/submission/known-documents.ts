import type { Duplicate } from '../common/errors.js';
import type { DocumentType, SimplifiedDocument } from '../documents/simplified-document.js';
import { type AuthorityStatus, mayResubmit, type SubmissionStatus } from '../documents/statuses.js';

/** A document that the tenant has submitted before, where its current attempt stands. */
export interface KnownDocument {
  readonly documentId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly attempts: number;
  readonly submissionBatchId: string;
  readonly submissionStatus: SubmissionStatus;
  readonly authorityStatus: AuthorityStatus | null;
  readonly authorityUuid: string | null;
  readonly buyerTin: string;
  readonly hasCancellationUnderWay: boolean;
}

export class KnownDocuments {
  private readonly byIdentity = new Map<string, KnownDocument>();
  private readonly byAuthorityUuid = new Map<string, KnownDocument>();

  constructor(documents: readonly KnownDocument[]) {
    for (const document of documents) {
      this.byIdentity.set(identityOf(document.documentType, document.referenceId), document);
      if (document.authorityUuid !== null) this.byAuthorityUuid.set(document.authorityUuid, document);
    }
  }

  find(documentType: DocumentType, referenceId: string): KnownDocument | undefined {
    return this.byIdentity.get(identityOf(documentType, referenceId));
  }

  findIssued(authorityUuid: string): KnownDocument | undefined {
    return this.byAuthorityUuid.get(authorityUuid);
  }
}

/** Names one document of a tenant and environment. */
export function identityOf(documentType: DocumentType, referenceId: string): string {
  return `${documentType}/${referenceId}`;
}

/** The documents of a request that may not be submitted again, in its order (D8, D14). */
export function duplicatesOf(
  documents: readonly { document: SimplifiedDocument }[],
  known: KnownDocuments,
): Duplicate[] {
  return documents.flatMap(({ document }, documentIndex) => {
    const earlier = known.find(document.documentType, document.referenceId);
    if (earlier === undefined || mayResubmit(earlier)) return [];
    const { documentType, referenceId, submissionStatus, authorityStatus, documentId, submissionBatchId } = earlier;
    const existing = { documentType, referenceId, submissionStatus, authorityStatus, documentId, submissionBatchId };
    return [{ documentIndex, existing }];
  });
}
