import { ApiProperty } from '@nestjs/swagger';
import {
  AuthorityStatusField,
  EXAMPLE_IDS,
  InstantField,
  SubmissionStatusField,
  TransactionIdField,
  EXAMPLE_INSTANT,
} from '../../common/response-fields.js';
import { AUTHORITY_STATUSES, SUBMISSION_STATUSES } from '../../documents/statuses.js';
import { INSUFFICIENT_CREDITS_EXAMPLE } from '../../credits/insufficient-credits-error.js';
import { type ApiError, ValidationError } from '../../errors/api-error.js';
import { ERROR_CODES } from '../../errors/error-codes.js';
import { IDEMPOTENCY_ERROR_EXAMPLES } from '../../idempotency/idempotency-errors.js';
import { SUPPLIER_ERROR_EXAMPLES } from '../../tenants/supplier-errors.js';
import { CancellationConflictError } from '../cancellation-conflict-error.js';

// Additional members of 409 responses of cancel (docs/rules.md#cancellation).

export class DocumentNotValidDto {
  @SubmissionStatusField(SUBMISSION_STATUSES, { description: 'Submission status of the document.' })
  submissionStatus: string;

  @AuthorityStatusField(AUTHORITY_STATUSES, {
    example: 'Invalid',
    description: 'Status of the document at the authority; null until the authority has accepted it.',
  })
  authorityStatus: string | null;
}

export class CancellationInProgressDto {
  @TransactionIdField({
    example: EXAMPLE_IDS.cancellationId,
    description: 'Id of the cancellation in progress.',
  })
  transactionId: string;
}

export class CancellationWindowClosedDto {
  @InstantField('Until when the document could be cancelled.')
  cancellableUntil: string;
}

export class ActiveReferencingDocumentsDto {
  @ApiProperty({
    type: [String],
    minItems: 1,
    example: ['CN-2026-0001'],
    description: 'Numbers of the credit notes that must be cancelled first.',
  })
  referencingDocuments: string[];
}

export const CANCEL_ERROR_MEMBERS = {
  document_not_valid: DocumentNotValidDto,
  cancellation_in_progress: CancellationInProgressDto,
  cancellation_window_closed: CancellationWindowClosedDto,
  active_referencing_documents: ActiveReferencingDocumentsDto,
};

const documentId = {
  pointer: '/documentId',
  rule: 'document_id_required',
  message: 'is required',
  hint: 'or document_id',
};

export const CANCEL_ERROR_EXAMPLES: readonly ApiError[] = [
  new ValidationError([documentId]),
  ...IDEMPOTENCY_ERROR_EXAMPLES,
  ...SUPPLIER_ERROR_EXAMPLES,
  INSUFFICIENT_CREDITS_EXAMPLE,
  buildConflict('document_not_valid', { submissionStatus: 'Submitted', authorityStatus: 'Invalid' }),
  buildConflict('cancellation_in_progress', { transactionId: EXAMPLE_IDS.cancellationId }),
  buildConflict('cancellation_window_closed', { cancellableUntil: EXAMPLE_INSTANT }),
  buildConflict('active_referencing_documents', { referencingDocuments: ['CN-2026-0001'] }),
];

function buildConflict(
  code: CancellationConflictError['code'],
  facts: Record<string, unknown>,
): CancellationConflictError {
  return new CancellationConflictError(code, ERROR_CODES[code].meaning, facts);
}
