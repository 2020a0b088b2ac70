import type { Taxpayer } from '../../authority/tokens.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import type { AuthorityStatus } from '../../documents/statuses.js';

export interface FollowedDocument {
  readonly transactionId: string;
  readonly referenceId: string;
  readonly documentType: DocumentType;
  readonly supplierTin: string;
  readonly issuedAt: Date;
  /** Stated by the response to the submit, and possibly wrong until a poll has confirmed it. */
  readonly authorityUuid: string | null;
  readonly isUuidConfirmed: boolean;
  readonly authorityStatus: AuthorityStatus;
  readonly acceptedAt: Date;
  readonly validatedAt: Date | null;
  readonly submittedAt: Date | null;
  readonly isWithoutReason: boolean;
  /** The document has an outcome, but no poll could read one of its values yet. */
  readonly isIncomplete: boolean;
}

export interface FollowedSubmission {
  readonly tenantId: string;
  readonly submissionId: string;
  readonly submissionUid: string;
  readonly polls: number;
  readonly pollsWithoutReason: number;
  /** Time since which each poll missed a document or could not read its outcome. Null if the last poll read all. */
  readonly missingSince: Date | null;
  readonly taxpayer: Taxpayer;
  readonly polledAt: Date;
  /** Whether a search found the documents after lookups had ended. Only a poll then ends the doubt. */
  readonly isInDoubt: boolean;
}
