import type { SendWait } from '../../common/metrics.js';
import type { Taxpayer } from '../../authority/tokens.js';
import type { DocumentToSubmit } from '../../authority/wire.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import type { TenantQueue } from './tenant-queues.js';

export interface CallMember extends DocumentToSubmit {
  readonly transactionId: string;
  readonly documentType: DocumentType;
  readonly issuedAt: Date;
  readonly traceparent: string | null;
  /** Number of refused calls that contained only this document. */
  readonly refusals: number;
  /**
   * Whether the response to an earlier send was lost. A refusal then does not prove that the document did not arrive.
   */
  readonly isResponseLost: boolean;
}

export interface ClaimedSubmission extends TenantQueue {
  readonly submissionId: string;
  readonly owner: string;
  readonly taxpayer: Taxpayer;
  /** Number of earlier sends, any of which may have arrived. */
  readonly earlierSends: number;
  /** Ordered by transaction id, so that a resend is identical byte for byte. */
  readonly members: readonly CallMember[];
  readonly waits: readonly SendWait[];
}

/** A tenant queue that needs a login before its signed documents can be issued. */
export interface LoginNeeded extends TenantQueue {
  readonly taxpayer: Taxpayer;
}
