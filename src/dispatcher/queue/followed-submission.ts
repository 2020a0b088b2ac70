import type { Taxpayer } from '../../authority/tokens.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import type { AuthorityStatus } from '../../documents/statuses.js';

export interface FollowedDocument {
  readonly transactionId: string;
  readonly referenceId: string;
  readonly documentType: DocumentType;
  readonly supplierTin: string;
  readonly issuedAt: Date;
  /** The uuid from the submit response. It may be wrong until a poll confirms it. */
  readonly authorityUuid: string | null;
  readonly isUuidConfirmed: boolean;
  readonly authorityStatus: AuthorityStatus;
  readonly acceptedAt: Date;
  readonly validatedAt: Date | null;
  readonly submittedAt: Date | null;
  readonly isWithoutReason: boolean;
  /** Whether the document has an outcome, but a value was unreadable in every poll. */
  readonly isIncomplete: boolean;
}

export interface FollowedSubmission {
  readonly tenantId: string;
  readonly submissionId: string;
  readonly submissionUid: string;
  readonly polls: number;
  readonly pollsWithoutReason: number;
  /**
   * Time since which every poll missed a document or could not read its outcome. Null if the last poll read all
   * of them.
   */
  readonly missingSince: Date | null;
  readonly taxpayer: Taxpayer;
  readonly polledAt: Date;
  /** Whether a search found the documents after their lookups had ended. Only a poll can then end the doubt. */
  readonly isInDoubt: boolean;
}
