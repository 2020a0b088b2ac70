import { ApiProperty } from '@nestjs/swagger';
import {
  AuthorityStatusField,
  EXAMPLE_IDS,
  InstantField,
  SubmissionStatusField,
  TransactionIdField,
} from '../../common/response-fields.js';
import { AUTHORITY_STATUSES, SUBMISSION_STATUSES } from '../../documents/statuses.js';

// The members that a 409 of cancel has in addition to those of every error (docs/rules.md#cancellation).

export class DocumentNotValidDto {
  @SubmissionStatusField(SUBMISSION_STATUSES, { description: 'The platform status of the document.' })
  submissionStatus: string;

  @AuthorityStatusField(AUTHORITY_STATUSES, {
    example: 'Invalid',
    description: 'Its status at the authority; null until the authority has accepted it.',
  })
  authorityStatus: string | null;
}

export class CancellationInProgressDto {
  @TransactionIdField({
    example: EXAMPLE_IDS.cancellationId,
    description: 'The id of the cancellation that is under way.',
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
    description: 'Your numbers of the credit notes to cancel first.',
  })
  referencingDocuments: string[];
}

export const CANCEL_ERROR_MEMBERS = {
  document_not_valid: DocumentNotValidDto,
  cancellation_in_progress: CancellationInProgressDto,
  cancellation_window_closed: CancellationWindowClosedDto,
  active_referencing_documents: ActiveReferencingDocumentsDto,
};
