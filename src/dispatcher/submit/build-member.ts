import { hash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { isCalendarDate } from '../../common/malaysian-days.js';
import type { Signer } from '../../common/signing/signer.js';
import { type AuthorityVersion, buildAuthorityDocument } from '../../documents/authority-document.js';
import type { DocumentError } from '../../documents/error-catalogue.js';
import { chooseIssueTime } from '../../documents/issue-time.js';
import { signDocument } from '../../documents/signature.js';
import type { SimplifiedDocument, Supplier } from '../../documents/simplified-document.js';
import { DOCUMENT_BYTES_MAX } from '../../documents/wire-size.js';
import type { DocumentTransaction } from '../../entities/document-transaction.entity.js';
import type { CallMember } from '../queue/claimed-submission.js';
import type { StatusChange } from '../queue/status-changes.js';

export interface UnbuiltTransaction extends Pick<
  DocumentTransaction,
  'id' | 'documentType' | 'referenceId' | 'refusals' | 'submissionBatchId' | 'attempt'
> {
  readonly payload: unknown;
  readonly traceparent: string | null;
  readonly parentAuthorityUuid: string | null;
}

export interface BuildContext {
  readonly suppliers: Readonly<Record<string, Supplier>>;
  readonly taken: ReadonlyMap<string, readonly Date[]>;
  readonly signer: Signer | null;
  /** Time of the first login on behalf of the taxpayer. Signed documents must not be issued before it. */
  readonly appointedSince: Date | null;
  readonly now: Date;
}

/** Signing failed for a reason that is independent of the document. */
export class SigningError extends Error {}

const NOT_BUILDABLE: DocumentError = {
  code: 'document_not_buildable',
  message: "The tax authority's document could not be built from the stored data, so it was never sent",
  pointer: null,
  hint: 'Submit the document again. If it fails again, ask the operator of this service and quote documentId',
  authorityCode: null,
  authorityMessage: null,
};

const logger = new Logger('Building');

/** Returns version 1.1 of the authority's format for signed documents (docs/rules.md#authority-document). */
export function chooseVersion(signer: Signer | null): AuthorityVersion {
  return signer === null ? '1.0' : '1.1';
}

export function identityKey(documentType: string, referenceId: string): string {
  return `${documentType}/${referenceId}`;
}

/**
 * Builds the bytes of a queued attempt. Returns a failed status if its stored data is unusable.
 * @throws SigningError
 */
export function buildMember(queued: UnbuiltTransaction, context: BuildContext): CallMember | StatusChange {
  const { id: transactionId, documentType, referenceId, refusals, traceparent } = queued;
  let unsigned: { bytes: Buffer; issuedAt: Date };
  try {
    unsigned = buildUnsigned(queued, context);
  } catch (error) {
    logger.error(
      `Transaction ${transactionId} cannot be built: ${error instanceof Error ? error.message : 'no error'}`,
    );
    return { transactionId, to: 'submitFailed', cause: 'not_buildable', facts: { errors: [NOT_BUILDABLE] } };
  }
  const bytes = sign(unsigned.bytes, context);
  const sha256 = hash('sha256', bytes, 'hex');
  const { issuedAt } = unsigned;
  return {
    transactionId,
    documentType,
    referenceId,
    refusals,
    bytes,
    sha256,
    issuedAt,
    traceparent,
    isResponseLost: false,
  };
}

function buildUnsigned(queued: UnbuiltTransaction, context: BuildContext): { bytes: Buffer; issuedAt: Date } {
  const { attempt, parentAuthorityUuid } = queued;
  const { now, signer, appointedSince: notBefore } = context;
  const document = queued.payload as SimplifiedDocument;
  const supplier = context.suppliers[queued.submissionBatchId];
  if (supplier === undefined) throw new Error('its batch has no supplier');
  if (!isCalendarDate(document.documentDate)) throw new Error('its date is not a calendar date');
  const taken = context.taken.get(identityKey(queued.documentType, queued.referenceId));
  const { documentDate } = document;
  const issue = chooseIssueTime({ now, documentDate, earlierAttempts: attempt - 1, taken, notBefore });
  const version = chooseVersion(signer);
  const bytes = buildAuthorityDocument({ document, supplier, ...issue, parentAuthorityUuid, version });
  // Acceptance rejects larger documents (docs/rules.md#body-rules).
  if (bytes.length > DOCUMENT_BYTES_MAX) throw new Error('it is larger than the authority accepts');
  return { bytes, issuedAt: issue.issuedAt };
}

function sign(unsigned: Buffer, { signer, now }: BuildContext): Buffer {
  if (signer === null) return unsigned;
  try {
    return signDocument(unsigned, signer, now);
  } catch (error) {
    throw new SigningError(error instanceof Error ? error.message : 'no error', { cause: error });
  }
}
