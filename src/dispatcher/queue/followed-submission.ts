import type { Taxpayer } from '../../authority/tokens.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import type { AuthorityStatus } from '../../documents/statuses.js';

/** A document of an accepted call, as far as following it needs. */
export interface FollowedDocument {
  readonly transactionId: string;
  readonly referenceId: string;
  readonly documentType: DocumentType;
  readonly supplierTin: string;
  readonly issuedAt: Date;
  /** What the response to its submit claimed, until the authority has confirmed it. */
  readonly authorityUuid: string | null;
  readonly isUuidConfirmed: boolean;
  readonly authorityStatus: AuthorityStatus;
  readonly acceptedAt: Date;
  readonly validatedAt: Date | null;
  readonly submittedAt: Date | null;
  /** Invalid without a reason of the authority. */
  readonly isWithoutReason: boolean;
  /** The document has its outcome, but a value that belongs to it was missing or unreadable in each poll so far. */
  readonly isIncomplete: boolean;
}

export interface FollowedSubmission {
  readonly tenantId: string;
  readonly submissionId: string;
  readonly submissionUid: string;
  /** Polls before this one. */
  readonly polls: number;
  /** Number of these polls that showed an invalid document without its errors. */
  readonly pollsWithoutReason: number;
  /** Since when each poll has missed a document or could not read its outcome; null: the last one read all. */
  readonly missingSince: Date | null;
  readonly taxpayer: Taxpayer;
  /** Time of this poll. */
  readonly polledAt: Date;
  /** Whether a search found the documents after lookups had ended. The call stays in doubt until a poll confirms them. */
  readonly isInDoubt: boolean;
}
