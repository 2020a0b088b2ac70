import { ApiProperty } from '@nestjs/swagger';
import {
  ChosenField,
  DocumentIdField,
  DocumentTypeField,
  EXAMPLE_IDS,
  InstantField,
  ReferenceIdField,
  SubmissionBatchIdField,
  TransactionIdField,
} from '../../../common/response-fields.js';
import { DOCUMENT_TYPES } from '../../../documents/document-types.js';
import type { DocumentType } from '../../../documents/simplified-document.js';
import { TextField } from '../../../http/validation/fields.js';
import { PageOf } from '../../cursor.js';
import { ActorDto, ActorField } from '../../shown-actor.js';
import { SHOWN_STATUSES, type ShownStatus } from '../shown-status.js';

export function ShownStatusField(): PropertyDecorator {
  return ChosenField(SHOWN_STATUSES, {
    example: 'Valid',
    description: 'Status at the authority, or before that the submission status.',
  });
}

export class TransactionRowDto {
  @TransactionIdField({ description: 'Id of the attempt.' })
  transactionId: string;

  @DocumentIdField()
  documentId: string;

  @SubmissionBatchIdField()
  submissionBatchId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;

  @ShownStatusField()
  status: ShownStatus;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the attempt, starting at 1.' })
  attempt: number;

  @ApiProperty({ type: Boolean, description: 'Whether the document was submitted again later.' })
  isSuperseded: boolean;

  @ApiProperty({ type: String, format: 'date', description: 'Document date.' })
  documentDate: string;

  @ApiProperty({ type: String, nullable: true, description: 'Name of the buyer; null for a consolidated document.' })
  buyerName: string | null;

  @ApiProperty({ type: String })
  buyerTin: string;

  @ApiProperty({ type: Number, description: 'Payable amount in ringgit.' })
  totalPayableAmount: number;

  @ApiProperty({ type: String, nullable: true, description: 'UUID of the document at the authority.' })
  authorityUuid: string | null;

  @InstantField('Time of acceptance.')
  createdAt: Date;

  @InstantField('End of the validation by the authority. Null until then.', { nullable: true })
  validatedAt: Date | null;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of errors.' })
  errorCount: number;

  @ApiProperty({ type: String, nullable: true, description: 'Message of the first error.' })
  firstError: string | null;

  @ActorField('Submitter; null for attempts from before submitters were recorded.')
  submittedBy: ActorDto | null;
}

export class TransactionPageDto extends PageOf(TransactionRowDto) {}

export class StatusCountDto {
  @ShownStatusField()
  status: ShownStatus;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 4000, description: 'Number of counted documents.' })
  documents: number;

  @ApiProperty({ type: Boolean, description: 'Whether more documents may exist.' })
  hasMore: boolean;
}

export class StatusCountsDto {
  @ApiProperty({ type: StatusCountDto, isArray: true, description: 'One entry per status.' })
  counts: readonly StatusCountDto[];
}

/** An attempt referenced by a request. */
export class SelectedAttemptDto {
  @TextField({
    description: 'Id of an attempt in the document list.',
    example: EXAMPLE_IDS.transactionId,
    maxLength: 36,
    format: {
      pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
      message: 'must be a UUID',
      hint: 'use the transactionId from the list of documents',
    },
  })
  transactionId: string;
}
