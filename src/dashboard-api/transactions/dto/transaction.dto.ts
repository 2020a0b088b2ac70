import { ApiProperty, PickType } from '@nestjs/swagger';
import {
  ChosenField,
  DocumentTypeField,
  InstantField,
  ReferenceIdField,
  SubmissionBatchIdField,
  TransactionIdField,
} from '../../../common/response-fields.js';
import { DOCUMENT_TYPES } from '../../../documents/document-types.js';
import { SubmitDto } from '../../../submission/dto/submit.dto.js';
import { CANCELLATION_REASON_CHARACTERS_MAX } from '../../../cancellation/dto/cancel.dto.js';
import { TextField } from '../../../http/validation/fields.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { ID_TYPES, type IdType } from '../../../documents/identity.js';
import { type DocumentType, SUBMISSION_TYPES, type SubmissionType } from '../../../documents/simplified-document.js';
import { DocumentErrorDto, DocumentStatusDto } from '../../../status/dto/submission-status.dto.js';
import { ActorDto, ActorField } from '../../shown-actor.js';
import type { NamedField } from '../field-names.js';
import type { ShownStatus } from '../shown-status.js';
import { ShownStatusField, TransactionRowDto } from './transaction-row.dto.js';

class TransactionErrorDto extends DocumentErrorDto {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Buyer’s TIN',
    description: 'Name of the field in the document or the profile. Null if the error does not refer to a field.',
  })
  field: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'C123',
    description:
      'Sent value of the field, up to 200 characters; empty if missing. Null for a group of fields or an unknown value.',
  })
  sentValue: string | null;
}

class BuyerDto {
  @ApiProperty({ type: String })
  name: string;

  @ApiProperty({ type: String })
  tin: string;

  @ChosenField(ID_TYPES, { description: 'Type of the id other than the TIN.' })
  idType: IdType;

  @ApiProperty({ type: String })
  idValue: string;
}

class NamedFieldDto implements NamedField {
  @ApiProperty({ type: String, example: 'Discount on the document' })
  name: string;

  @ApiProperty({ type: String, example: '10.00', description: 'Sent value; an amount is in ringgit.' })
  value: string;
}

class BuiltDocumentDto {
  @ApiProperty({ type: String, description: 'SHA-256 of the bytes, hexadecimal.' })
  sha256: string;

  @ApiProperty({ type: String, description: 'Version of the authority’s format. 1.1 is signed.' })
  version: string;

  @ApiProperty({ type: 'integer' })
  bytes: number;
}

export class CancelOptionDto {
  @ApiProperty({ type: Boolean })
  isPossible: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Reason why the document cannot be cancelled, and the alternative.',
  })
  reason: string | null;
}

export class DismissalDto {
  @InstantField('Time of the dismissal.')
  at: Date;

  @ActorField('User who dismissed the document.')
  by: ActorDto | null;

  @ApiProperty({ type: String, description: 'Reason for the dismissal.' })
  reason: string;
}

export class AttemptDto extends PickType(TransactionRowDto, [
  'transactionId',
  'submissionBatchId',
  'attempt',
  'status',
  'createdAt',
  'errorCount',
]) {}

export class TimelineStepDto {
  @InstantField('Time of the step.')
  at: Date;

  @ApiProperty({ type: String, example: 'Found valid by the tax authority' })
  text: string;

  @ApiProperty({ type: String, nullable: true, description: 'New status; null if the status did not change.' })
  status: ShownStatus | null;

  @ApiProperty({ type: String, nullable: true, description: 'Id of the call at the authority, for support requests.' })
  correlationId: string | null;

  @ActorField('Actor of the step; null for the service and the authority, and if no actor was recorded.')
  by: ActorDto | null;
}

/** Response of the status endpoint for one attempt, with further details. */
export class TransactionDto extends DocumentStatusDto {
  @ShownStatusField()
  status: ShownStatus;

  @ChosenField(ENVIRONMENTS, { description: 'Environment.' })
  environment: Environment;

  @SubmissionBatchIdField()
  submissionBatchId: string;

  @ChosenField(SUBMISSION_TYPES, { description: 'Submission type of the batch.' })
  submissionType: SubmissionType;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the attempt, starting at 1.' })
  attempt: number;

  @ApiProperty({ type: Boolean, description: 'Whether the attempt is the latest of its document.' })
  isCurrent: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether the document number may be submitted again now.' })
  mayResubmit: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether the attempt failed, was not resubmitted and is not dismissed.' })
  needsAction: boolean;

  @ApiProperty({ type: DismissalDto, nullable: true, description: 'Dismissal of the failure; null if not dismissed.' })
  dismissal: DismissalDto | null;

  @ApiProperty({ type: String, format: 'date' })
  documentDate: string;

  @ApiProperty({ type: BuyerDto, nullable: true, description: 'Buyer; null for a consolidated document.' })
  buyer: BuyerDto | null;

  @ApiProperty({ type: 'integer', minimum: 1 })
  lineCount: number;

  @ApiProperty({ type: [NamedFieldDto], description: 'Optional fields of the document that were sent.' })
  otherFields: NamedFieldDto[];

  @InstantField('Time of acceptance.')
  createdAt: Date;

  @ActorField('Submitter; null for attempts from before submitters were recorded.')
  submittedBy: ActorDto | null;

  @InstantField('Time of the last change.')
  updatedAt: Date;

  @InstantField('Current time of the service, for countdowns.')
  now: Date;

  @ApiProperty({ type: [TransactionErrorDto], description: 'Errors reported by the authority.' })
  override errors: TransactionErrorDto[];

  @ApiProperty({ type: CancelOptionDto, description: 'Whether the document can be cancelled now.' })
  cancel: CancelOptionDto;

  @ApiProperty({
    type: BuiltDocumentDto,
    nullable: true,
    description: 'Document built for the authority; null until then.',
  })
  builtDocument: BuiltDocumentDto | null;

  @ApiProperty({ type: [AttemptDto], description: 'All attempts of the document, newest first.' })
  attempts: AttemptDto[];

  @ApiProperty({ type: [TimelineStepDto], description: 'History of the attempt, earliest step first.' })
  timeline: TimelineStepDto[];
}

export class CancelDocumentDto {
  @TextField({
    description: 'Reason that the authority and the buyer see.',
    example: 'Wrong buyer details',
    maxLength: CANCELLATION_REASON_CHARACTERS_MAX,
    required: false,
  })
  cancellationReason?: string;
}

export class LinkedDocumentDto {
  @TransactionIdField({ description: 'Current attempt of the document.' })
  transactionId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;

  @ShownStatusField()
  status: ShownStatus;
}

export class CreditedDto {
  @ApiProperty({ example: 108, description: 'Payable amount of the invoice.' })
  payableAmount: number;

  @ApiProperty({
    example: 54,
    description: 'Amount that is not credited yet; negative if the credit notes exceed the invoice.',
  })
  leftAmount: number;

  @ApiProperty({
    type: SubmitDto,
    nullable: true,
    description:
      'Submit body with the remaining lines and amounts; null if the credit notes credit more than quantities of its lines.',
  })
  leftRequest: SubmitDto | null;
}

export class TransactionContentDto {
  @ApiProperty({ type: SubmitDto, description: 'Document as a submit body.' })
  request: SubmitDto;

  @ApiProperty({
    type: LinkedDocumentDto,
    nullable: true,
    description: 'Parent invoice of a credit note; null if it was not submitted here.',
  })
  parent: LinkedDocumentDto | null;

  @ApiProperty({
    type: LinkedDocumentDto,
    isArray: true,
    description: 'Credit notes of an invoice, newest first, at most 100.',
  })
  creditNotes: LinkedDocumentDto[];

  @ApiProperty({
    type: CreditedDto,
    nullable: true,
    description: 'Rest of a credited invoice; null without credit notes that count, or with too many.',
  })
  credited: CreditedDto | null;
}
