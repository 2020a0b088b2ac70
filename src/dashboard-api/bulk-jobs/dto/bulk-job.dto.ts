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
import type { BulkCounts } from '../bulk-jobs.sql.js';

/** Documents of one job. */
export const BULK_DOCUMENTS_MAX = 1_000;
const VALUE_CHARACTERS_MAX = 300;

export class CreateBulkJobDto {
  @ChoiceField({
    description: 'Correct one field and submit again, or cancel.',
    example: 'correct',
    choices: BULK_KINDS,
  })
  kind: BulkKind;

  @ChoiceField({
    description: 'Of a correction: the field. That of a line is set where an error names the line, or in all lines.',
    example: '/recipient/tin',
    choices: BULK_FIELDS,
    required: ({ kind }) => kind === 'correct',
  })
  field?: string;

  @TextField({
    description: 'Of a correction: the new value.',
    example: 'C1234567890',
    maxLength: VALUE_CHARACTERS_MAX,
    required: ({ kind }) => kind === 'correct',
  })
  value?: string;

  @TextField({
    description: 'Of cancellations: what the authority and the buyers are told.',
    example: 'Wrong buyer details',
    maxLength: CANCELLATION_REASON_CHARACTERS_MAX,
    required: ({ kind }) => kind === 'cancel',
  })
  reason?: string;

  @ListField(() => SelectedAttemptDto, {
    description: 'The documents; without them, those that the filters of the query find.',
    ruleScope: 'documents',
    minItems: 1,
    maxItems: BULK_DOCUMENTS_MAX,
    required: false,
  })
  documents?: SelectedAttemptDto[];
}

class BulkCountsDto implements BulkCounts {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Not checked yet.' })
  waiting: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Checked, and not sent yet.' })
  ready: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Would be refused, and are not sent.' })
  refused: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Sent.' })
  done: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Changed by others meanwhile, and left alone.' })
  changed: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Refused when they were sent.' })
  failed: number;
}

export class BulkJobDto {
  @ApiProperty({ type: String, format: 'uuid' })
  jobId: string;

  @ChosenField(BULK_KINDS, { description: 'What is done with each document.' })
  kind: BulkKind;

  @ApiProperty({ type: String, nullable: true, description: 'The corrected field; null for cancellations.' })
  field: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Buyer’s TIN', description: 'The same in words.' })
  fieldName: string | null;

  @ApiProperty({ type: String, description: 'The new value, or the reason of the cancellations.' })
  value: string;

  @ApiProperty({ type: Boolean, description: `Whether more than ${BULK_DOCUMENTS_MAX} documents matched.` })
  isCut: boolean;

  @ChosenField(BULK_JOB_STATUSES, {
    description: '`checked` waits for its start; `paused` for somebody to continue it, see `pauseReason`.',
  })
  status: BulkJobStatus;

  @ApiProperty({ type: String, nullable: true, description: 'Why it is paused, and what to do.' })
  pauseReason: string | null;

  @InstantField('When it goes on by itself, see `waitReason`. Null if it does not wait.', { nullable: true })
  waitsUntil: Date | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why it waits; nobody has to do anything.' })
  waitReason: string | null;

  @InstantField('When it was made.')
  createdAt: Date;

  @InstantField('When it was first started.', { nullable: true })
  startedAt: Date | null;

  @InstantField('When its last document was done.', { nullable: true })
  endedAt: Date | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'How many documents it has.' })
  documents: number;

  @ApiProperty({ type: BulkCountsDto })
  counts: BulkCountsDto;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Credits that the documents cost that are ready.' })
  requiredCredits: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Credits that were charged.' })
  chargedCredits: number;

  @ActorField('Who made it, then who started it: it submits in their name.')
  by: ActorDto | null;
}

export class BulkJobDetailDto extends BulkJobDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Credits that can be spent.' })
  remainingCredits: number;
}

export class BulkJobPageDto extends PageOf(BulkJobDto) {}

class BulkProblemDto implements BulkProblem {
  @ApiProperty({ type: String, nullable: true, example: 'Buyer’s TIN', description: 'Where it is, in words.' })
  field: string | null;

  @ApiProperty({ type: String, description: 'What is wrong.' })
  message: string;

  @ApiProperty({ type: String, nullable: true, description: 'How to fix it.' })
  hint: string | null;
}

export class BulkItemDto {
  @TransactionIdField({ description: 'The attempt that was selected.' })
  transactionId: string;

  @DocumentIdField()
  documentId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: string;

  @ReferenceIdField()
  referenceId: string;

  @ChosenField(BULK_ITEM_STATES, { description: 'Where it stands in the job.' })
  state: BulkItemState;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'What it costs, then what it was charged.' })
  credits: number;

  @ApiProperty({ type: BulkProblemDto, isArray: true, description: 'Why it is not sent.' })
  problems: BulkProblemDto[];

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The submission batch, or the cancellation.',
  })
  resultId: string | null;

  @TransactionIdField({ description: 'The last attempt of the document.' })
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
  @ApiProperty({ type: BulkFieldDto, isArray: true, description: 'Fields that can be corrected in many documents.' })
  fields: BulkFieldDto[];
}
