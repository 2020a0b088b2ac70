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

/** A field of every response that shows where an attempt stands. */
export function ShownStatusField(): PropertyDecorator {
  return ChosenField(SHOWN_STATUSES, {
    example: 'Valid',
    description: 'Where the attempt stands: at the authority, and before that with us.',
  });
}

export class TransactionRowDto {
  @TransactionIdField({ description: 'Names the attempt.' })
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

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Which attempt of the document it is.' })
  attempt: number;

  @ApiProperty({ type: Boolean, description: 'Whether the document has been submitted again since.' })
  isSuperseded: boolean;

  @ApiProperty({ type: String, format: 'date', description: 'The date of the document.' })
  documentDate: string;

  @ApiProperty({ type: String, nullable: true, description: 'The buyer; null of a consolidated document.' })
  buyerName: string | null;

  @ApiProperty({ type: String })
  buyerTin: string;

  @ApiProperty({ type: Number, description: 'What is to be paid, in ringgit.' })
  totalPayableAmount: number;

  @ApiProperty({ type: String, nullable: true, description: "The authority's id of the document." })
  authorityUuid: string | null;

  @InstantField('When the attempt was accepted.')
  createdAt: Date;

  @InstantField('When the authority ended its validation. Null until then.', { nullable: true })
  validatedAt: Date | null;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many errors it has.' })
  errorCount: number;

  @ApiProperty({ type: String, nullable: true, description: 'What the first of them says.' })
  firstError: string | null;

  @ActorField('Who submitted it; null when it was accepted before that was recorded.')
  submittedBy: ActorDto | null;
}

export class TransactionPageDto extends PageOf(TransactionRowDto) {}

export class StatusCountDto {
  @ShownStatusField()
  status: ShownStatus;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 4000, description: 'How many were counted.' })
  documents: number;

  @ApiProperty({ type: Boolean, description: 'Whether there may be more than were counted.' })
  hasMore: boolean;
}

export class StatusCountsDto {
  @ApiProperty({ type: StatusCountDto, isArray: true, description: 'One of each status.' })
  counts: readonly StatusCountDto[];
}

/** An attempt that a request refers to. */
export class SelectedAttemptDto {
  @TextField({
    description: 'The attempt from the list.',
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
