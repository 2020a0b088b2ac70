import type { SendWait } from '../../common/metrics.js';
import type { Taxpayer } from '../../authority/tokens.js';
import type { DocumentToSubmit } from '../../authority/wire.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import type { TenantQueue } from './tenant-queues.js';

/** A document of a call, with the bytes that are sent. */
export interface CallMember extends DocumentToSubmit {
  readonly transactionId: string;
  readonly documentType: DocumentType;
  readonly issuedAt: Date;
  /** The trace of its batch. */
  readonly traceparent: string | null;
  /** How often it was refused alone in its call. */
  readonly refusals: number;
  /** The response to an earlier send of these bytes was lost: a refusal does not show that the send did not arrive. */
  readonly isResponseLost: boolean;
}

/** A call that is durable, leased to this process and about to be made. */
export interface ClaimedSubmission extends TenantQueue {
  readonly submissionId: string;
  readonly owner: string;
  readonly taxpayer: Taxpayer;
  /** Sends before this one, each of which may have arrived. */
  readonly earlierSends: number;
  /** In the order of their transactions' ids: the same members always give the same bytes. */
  readonly members: readonly CallMember[];
  /** Of the members, how long they had waited when they were claimed; none of a call that is repeated. */
  readonly waits: readonly SendWait[];
}

/** A tenant queue on behalf of whose taxpayer no login has succeeded since the taxpayer last refused us. */
export interface LoginNeeded extends TenantQueue {
  readonly taxpayer: Taxpayer;
}
