import { ApiProperty } from '@nestjs/swagger';
import {
  AuthorityStatusField,
  EXAMPLE_IDS,
  InstantField,
  SubmissionStatusField,
  TransactionIdField,
} from '../../common/response-fields.js';
import { ErrorDto } from '../../errors/dto/error.dto.js';
import { AUTHORITY_STATUSES, SUBMISSION_STATUSES } from '../../documents/statuses.js';

/** Body of a 409 of cancel (docs/rules.md#cancellation): each code has its own facts. */
export class CancelConflictDto extends ErrorDto {
  @SubmissionStatusField(SUBMISSION_STATUSES, {
    required: false,
    description: 'With `document_not_valid`: the platform status of the document.',
  })
  submissionStatus?: string;

  @AuthorityStatusField(AUTHORITY_STATUSES, {
    required: false,
    example: 'Invalid',
    description: 'With `document_not_valid`: its status at the authority; null until the authority has accepted it.',
  })
  authorityStatus?: string | null;

  @TransactionIdField({
    required: false,
    example: EXAMPLE_IDS.cancellationId,
    description: 'With `cancellation_in_progress`: the id of the cancellation that is under way.',
  })
  transactionId?: string;

  @InstantField('With `cancellation_window_closed`: until when the document could be cancelled.', { required: false })
  cancellableUntil?: string;

  @ApiProperty({
    required: false,
    type: [String],
    example: ['CN-2026-0001'],
    description: 'With `active_referencing_documents`: your numbers of the credit notes to cancel first.',
  })
  referencingDocuments?: string[];
}
