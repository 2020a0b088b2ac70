import { ApiProperty } from '@nestjs/swagger';
import { CANCELLATION_REASON_CHARACTERS_MAX } from '../../../cancellation/dto/cancel.dto.js';
import {
  ChosenField,
  DocumentIdField,
  DocumentTypeField,
  InstantField,
  ReferenceIdField,
  TransactionIdField,
} from '../../../common/response-fields.js';
import { DOCUMENT_TYPES } from '../../../documents/document-types.js';
import { BULK_ITEM_STATES, type BulkItemState, type BulkProblem } from '../../../entities/bulk-job-item.entity.js';
import { BULK_JOB_STATUSES, type BulkJobStatus, BULK_KINDS, type BulkKind } from '../../../entities/bulk-job.entity.js';
import { ChoiceField, ListField, TextField } from '../../../http/validation/fields.js';
import { PageOf } from '../../cursor.js';
import { ActorDto, ActorField } from '../../shown-actor.js';
import { SelectedAttemptDto, ShownStatusField } from '../../transactions/dto/transaction-row.dto.js';
import type { ShownStatus } from '../../transactions/shown-status.js';
import { BULK_FIELDS } from '../bulk-fields.js';

/** Maximum number of documents per job. */
export const BULK_DOCUMENTS_MAX = 1_000;
const VALUE_CHARACTERS_MAX = 300;

export class CreateBulkJobDto {
  @ChoiceField({
    description: 'Whether to correct one field and resubmit, or to cancel.',
    example: 'correct',
    choices: BULK_KINDS,
  })
  kind: BulkKind;

  @ChoiceField({
    description:
      'Field to correct. A line field is corrected in lines with an error in this field, or else in all lines.',
    example: '/recipient/tin',
    choices: BULK_FIELDS,
    required: ({ kind }) => kind === 'correct',
  })
  field?: string;

  @TextField({
    description: 'New value of the corrected field.',
    example: 'C1234567890',
    maxLength: VALUE_CHARACTERS_MAX,
    required: ({ kind }) => kind === 'correct',
  })
  value?: string;

  @TextField({
    description: 'Reason of cancellations that the authority and the buyers see.',
    example: 'Wrong buyer details',
    maxLength: CANCELLATION_REASON_CHARACTERS_MAX,
    required: ({ kind }) => kind === 'cancel',
  })
  reason?: string;

  @ListField(() => SelectedAttemptDto, {
    description: 'Documents of the job. By default, the documents that match the query parameters.',
    ruleScope: 'documents',
    minItems: 1,
    maxItems: BULK_DOCUMENTS_MAX,
    required: false,
  })
  documents?: SelectedAttemptDto[];
}

class BulkCountsDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Not checked yet.' })
  waiting: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Checked and not sent yet.' })
  ready: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Not sent because they would be refused.' })
  refused: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Sent.' })
  done: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Not sent because they were changed meanwhile.' })
  changed: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Refused after they were sent.' })
  failed: number;
}

export class BulkJobDto {
  @ApiProperty({ type: String, format: 'uuid' })
  jobId: string;

  @ChosenField(BULK_KINDS, { description: 'Change of each document.' })
  kind: BulkKind;

  @ApiProperty({ type: String, nullable: true, description: 'Corrected field; null for cancellations.' })
  field: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Buyer’s TIN', description: 'Name of the field.' })
  fieldName: string | null;

  @ApiProperty({ type: String, description: 'New value or reason of the cancellations.' })
  value: string;

  @ApiProperty({ type: Boolean, description: `Whether more than ${BULK_DOCUMENTS_MAX} documents matched.` })
  isCut: boolean;

  @ChosenField(BULK_JOB_STATUSES, {
    description:
      'A `checked` job waits for its start. A `paused` job waits for a user to continue it; see `pauseReason`.',
  })
  status: BulkJobStatus;

  @ApiProperty({ type: String, nullable: true, description: 'Reason of the pause and the next step.' })
  pauseReason: string | null;

  @InstantField('Time of the automatic continuation. Null if the job does not wait.', { nullable: true })
  waitsUntil: Date | null;

  @ApiProperty({ type: String, nullable: true, description: 'Reason of the wait. No action is needed.' })
  waitReason: string | null;

  @InstantField('Creation of the job.')
  createdAt: Date;

  @InstantField('First start.', { nullable: true })
  startedAt: Date | null;

  @InstantField('End of the job.', { nullable: true })
  endedAt: Date | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of documents.' })
  documents: number;

  @ApiProperty({ type: BulkCountsDto })
  counts: BulkCountsDto;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Cost of the ready documents in credits.' })
  requiredCredits: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Charged credits.' })
  chargedCredits: number;

  @ActorField('User who created the job or last started it. Documents are submitted on behalf of this user.')
  by: ActorDto | null;
}

export class BulkJobDetailDto extends BulkJobDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Remaining credits of the organisation.' })
  remainingCredits: number;
}

export class BulkJobPageDto extends PageOf(BulkJobDto) {}

class BulkProblemDto implements BulkProblem {
  @ApiProperty({ type: String, nullable: true, example: 'Buyer’s TIN', description: 'Name of the field.' })
  field: string | null;

  @ApiProperty({ type: String, description: 'Problem.' })
  message: string;

  @ApiProperty({ type: String, nullable: true, description: 'How to fix the problem.' })
  hint: string | null;
}

export class BulkItemDto {
  @TransactionIdField({ description: 'Selected attempt.' })
  transactionId: string;

  @DocumentIdField()
  documentId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: string;

  @ReferenceIdField()
  referenceId: string;

  @ChosenField(BULK_ITEM_STATES, { description: 'State within the job.' })
  state: BulkItemState;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Expected cost, then charged credits.' })
  credits: number;

  @ApiProperty({ type: BulkProblemDto, isArray: true, description: 'Reasons why the document is not sent.' })
  problems: BulkProblemDto[];

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Id of the submission batch or the cancellation.',
  })
  resultId: string | null;

  @TransactionIdField({ description: 'Current attempt of the document.' })
  currentTransactionId: string;

  @ShownStatusField()
  status: ShownStatus;
}

export class BulkItemPageDto extends PageOf(BulkItemDto) {}

export class BulkFieldDto {
  @ApiProperty({ type: String, example: '/recipient/tin' })
  field: string;

  @ApiProperty({ type: String, example: 'Buyer’s TIN' })
  name: string;
}

export class BulkFieldsDto {
  @ApiProperty({ type: BulkFieldDto, isArray: true, description: 'Fields that a bulk job can correct.' })
  fields: BulkFieldDto[];
}
