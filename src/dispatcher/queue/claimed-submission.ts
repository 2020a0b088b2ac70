import type { DocumentToSubmit } from '../../authority/wire.js';
import type { DocumentType } from '../../documents/simplified-document.js';

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
