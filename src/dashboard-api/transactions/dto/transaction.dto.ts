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
    description: 'The field in words, of the document or of the profile. Null if the error names neither.',
  })
  field: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'C123',
    description:
      'The value of the field that was sent, up to 200 characters; empty if none was. Null for a group of fields, and if the value is unknown.',
  })
  sentValue: string | null;
}

class BuyerDto {
  @ApiProperty({ type: String })
  name: string;

  @ApiProperty({ type: String })
  tin: string;

  @ChosenField(ID_TYPES, { description: "The type of the buyer's id, other than the TIN." })
  idType: IdType;

  @ApiProperty({ type: String })
  idValue: string;
}

class NamedFieldDto implements NamedField {
  @ApiProperty({ type: String, example: 'Discount on the document' })
  name: string;

  @ApiProperty({ type: String, example: '10.00', description: 'As it was sent; an amount in ringgit.' })
  value: string;
}

class BuiltDocumentDto {
  @ApiProperty({ type: String, description: 'SHA-256 of its bytes, hexadecimal.' })
  sha256: string;

  @ApiProperty({ type: String, description: "The authority's version of its form; 1.1 is signed." })
  version: string;

  @ApiProperty({ type: 'integer' })
  bytes: number;
}

export class CancelOptionDto {
  @ApiProperty({ type: Boolean })
  isPossible: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Why not, and what to do instead.' })
  reason: string | null;
}

export class DismissalDto {
  @InstantField('When it was dismissed.')
  at: Date;

  @ActorField('Who dismissed it.')
  by: ActorDto | null;

  @ApiProperty({ type: String, description: 'Why it needs no action.' })
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
  @InstantField('When it happened.')
  at: Date;

  @ApiProperty({ type: String, example: 'Found valid by the tax authority' })
  text: string;

  @ApiProperty({ type: String, nullable: true, description: 'Where it stood then; null for what did not move it.' })
  status: ShownStatus | null;

  @ApiProperty({ type: String, nullable: true, description: "The authority's id of the call; quote it when you ask." })
  correlationId: string | null;

  @ActorField('Who had it done; null for what the service or the authority did, and for what was not recorded.')
  by: ActorDto | null;
}

/** One attempt: the status endpoint's answer for it, and what else people want to know. */
export class TransactionDto extends DocumentStatusDto {
  @ShownStatusField()
  status: ShownStatus;

  @ChosenField(ENVIRONMENTS, { description: 'Where it was sent.' })
  environment: Environment;

  @SubmissionBatchIdField()
  submissionBatchId: string;

  @ChosenField(SUBMISSION_TYPES, { description: 'Of its batch.' })
  submissionType: SubmissionType;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Which attempt of the document it is.' })
  attempt: number;

  @ApiProperty({ type: Boolean, description: 'Whether it is the latest attempt of its document.' })
  isCurrent: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether its number may be submitted again now.' })
  mayResubmit: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether it failed, was not submitted again and is not dismissed.' })
  needsAction: boolean;

  @ApiProperty({ type: DismissalDto, nullable: true, description: 'Why its failure needs no action; null for none.' })
  dismissal: DismissalDto | null;

  @ApiProperty({ type: String, format: 'date' })
  documentDate: string;

  @ApiProperty({ type: BuyerDto, nullable: true, description: 'Null of a consolidated document.' })
  buyer: BuyerDto | null;

  @ApiProperty({ type: 'integer', minimum: 1 })
  lineCount: number;

  @ApiProperty({ type: [NamedFieldDto], description: 'What else the document states, in words.' })
  otherFields: NamedFieldDto[];

  @InstantField('When it was accepted.')
  createdAt: Date;

  @ActorField('Who submitted it; null when it was accepted before that was recorded.')
  submittedBy: ActorDto | null;

  @InstantField('When anything about it changed last.')
  updatedAt: Date;

  @InstantField("The service's clock, from which time that is left is counted.")
  now: Date;

  @ApiProperty({ type: [TransactionErrorDto], description: 'What the authority found.' })
  override errors: TransactionErrorDto[];

  @ApiProperty({ type: CancelOptionDto, description: 'Whether it can be cancelled now.' })
  cancel: CancelOptionDto;

  @ApiProperty({
    type: BuiltDocumentDto,
    nullable: true,
    description: 'What was built for the authority; null until then.',
  })
  builtDocument: BuiltDocumentDto | null;

  @ApiProperty({ type: [AttemptDto], description: 'All attempts of the document, the newest first.' })
  attempts: AttemptDto[];

  @ApiProperty({ type: [TimelineStepDto], description: 'What happened, the first first.' })
  timeline: TimelineStepDto[];
}

export class CancelDocumentDto {
  @TextField({
    description: 'What the authority and the buyer are told.',
    example: 'Wrong buyer details',
    maxLength: CANCELLATION_REASON_CHARACTERS_MAX,
    required: false,
  })
  cancellationReason?: string;
}

export class LinkedDocumentDto {
  @TransactionIdField({ description: 'Its last attempt.' })
  transactionId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;

  @ShownStatusField()
  status: ShownStatus;
}

export class CreditedDto {
  @ApiProperty({ example: 108, description: 'What the buyer pays by the invoice.' })
  payableAmount: number;

  @ApiProperty({ example: 54, description: 'What its credit notes have not credited; below zero if they credit more.' })
  leftAmount: number;

  @ApiProperty({
    type: SubmitDto,
    nullable: true,
    description:
      'A submit body with the lines and amounts that are left; null when the credit notes credit something else than quantities of its lines.',
  })
  leftRequest: SubmitDto | null;
}

export class TransactionContentDto {
  @ApiProperty({
    type: SubmitDto,
    description: 'A submit body of this document alone, which is kept as this one is.',
  })
  request: SubmitDto;

  @ApiProperty({
    type: LinkedDocumentDto,
    nullable: true,
    description: 'The invoice that a credit note refers to; null when it is none of this organisation here.',
  })
  parent: LinkedDocumentDto | null;

  @ApiProperty({
    type: LinkedDocumentDto,
    isArray: true,
    description: 'The credit notes that refer to an invoice, the newest first; at most 100.',
  })
  creditNotes: LinkedDocumentDto[];

  @ApiProperty({
    type: CreditedDto,
    nullable: true,
    description: 'What is left of an invoice that was credited; null when no credit note counts, or too many do.',
  })
  credited: CreditedDto | null;
}
