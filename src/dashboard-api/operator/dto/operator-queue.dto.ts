import { ApiProperty } from '@nestjs/swagger';
import { ChosenField, DocumentTypeField, InstantField, ReferenceIdField } from '../../../common/response-fields.js';
import { ChoiceField, ListField, TextField } from '../../../http/validation/fields.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';
import { DOCUMENT_TYPES } from '../../../documents/document-types.js';
import type { DocumentType } from '../../../documents/simplified-document.js';
import { QUEUE_WAITING_CODES, type QueueWaitingCode } from '../../../dispatcher/operations/queue-report.js';
import {
  RELEASE_DECISIONS,
  type ReleaseDecision,
  STATED_OUTCOMES,
  type StatedOutcome,
} from '../../../dispatcher/releases/release-decisions.js';
import { OutageDto } from '../../overview/dto/overview.dto.js';

const OPERATIONS = ['submit', 'cancel'] as const;
const DOCUMENTS_MAX = 100;

class TenantQueueDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  tenantName: string;

  @ChosenField(ENVIRONMENTS, { description: 'Which environment.' })
  environment: Environment;

  @ChosenField(OPERATIONS, { description: 'What waits: documents, or cancellations.' })
  operation: (typeof OPERATIONS)[number];

  @ApiProperty({ type: 'integer', description: 'Ready to be sent, or waiting for their next try.' })
  waiting: number;

  @ApiProperty({ type: 'integer', description: 'Credit notes that wait for their parent.' })
  held: number;

  @ApiProperty({ type: 'integer', description: 'In a call at this moment.' })
  processing: number;

  @ApiProperty({ type: 'integer', description: 'Documents and cancellations of calls whose response was lost.' })
  inDoubt: number;

  @ApiProperty({ type: 'integer', description: 'At the authority, which has not decided them yet.' })
  atAuthority: number;

  @ApiProperty({
    type: 'integer',
    description: 'Of all these, without the held ones: those that wait longer than usual.',
  })
  late: number;

  @InstantField('When the oldest of them was accepted.', { nullable: true })
  oldestAt: Date | null;

  @InstantField('Until when nothing is sent.', { nullable: true })
  waitingUntil: Date | null;

  @ChosenField(QUEUE_WAITING_CODES, {
    nullable: true,
    description:
      'Why its work waits: a recovery after a restore, an outage, a reason of the organisation, a lost response, the ' +
      'decision of the authority, the parent of a credit note, or a missing dispatcher with the client id of its calls. ' +
      'Null if it only waits for its turn.',
  })
  waitingCode: QueueWaitingCode | null;

  @InstantField('Since when; null: since the oldest of them was accepted.', { nullable: true })
  waitingSince: Date | null;
}

class EnvironmentOutageDto extends OutageDto {
  @ChosenField(ENVIRONMENTS, { nullable: true, description: 'Where; null: in both environments.' })
  environment: Environment | null;
}

export class OutagesDto {
  @ApiProperty({ type: EnvironmentOutageDto, isArray: true, description: 'The gravest first.' })
  outages: EnvironmentOutageDto[];
}

export class CallBudgetDto {
  @ChosenField(ENVIRONMENTS, { description: 'Which environment.' })
  environment: Environment;

  @ApiProperty({ type: String, description: 'Which of its APIs, by our names.' })
  api: string;

  @ApiProperty({ type: String })
  clientId: string;

  @InstantField('The earliest time of the next call.')
  nextAt: Date;

  @InstantField('Until when it is not called; null: it is.', { nullable: true })
  blockedUntil: Date | null;

  @InstantField('Since when.', { nullable: true })
  blockedSince: Date | null;

  @ApiProperty({ type: String, nullable: true })
  blockedReason: string | null;

  @ApiProperty({ type: 'integer', description: 'Failed calls in a row; from five on it is only probed.' })
  failures: number;
}

class DoubtDto {
  @ApiProperty({ type: String, format: 'uuid' })
  submissionId: string;

  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  tenantName: string;

  @ChosenField(ENVIRONMENTS, { description: 'Where it was sent.' })
  environment: Environment;

  @InstantField('When it was sent first.')
  sentAt: Date;

  @ApiProperty({ type: 'integer' })
  sends: number;

  @ApiProperty({ type: String, isArray: true, description: 'Numbers of its documents, as they were accepted.' })
  referenceIds: string[];

  @ApiProperty({ type: String, nullable: true, description: 'Why it is listed.' })
  reason: string | null;

  @InstantField('When it is looked up next; null: never.', { nullable: true })
  nextLookAt: Date | null;

  @ApiProperty({ enum: RELEASE_DECISIONS, isArray: true, description: 'What an operator can decide now.' })
  decisions: readonly ReleaseDecision[];
}

class DeadLetterDto {
  @ApiProperty({ type: String, description: 'The consumer that cannot handle the event.' })
  consumer: string;

  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  tenantName: string;

  @ChosenField(ENVIRONMENTS, { description: 'Which environment.' })
  environment: Environment;

  @ApiProperty({ type: String, format: 'uuid' })
  documentId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;

  @ApiProperty({ type: String, description: 'Of the event; later ones of the document wait behind it.' })
  eventId: string;

  @ApiProperty({ type: 'integer', description: 'How often the consumer failed.' })
  attempts: number;

  @InstantField('Since when it is not tried again.')
  deadAt: Date;

  @ApiProperty({ type: String, description: 'The last error of the consumer.' })
  error: string;
}

export class QueueDto extends OutagesDto {
  @ApiProperty({ type: TenantQueueDto, isArray: true, description: 'The longest wait first.' })
  tenantQueues: TenantQueueDto[];

  @ApiProperty({ type: CallBudgetDto, isArray: true })
  callBudgets: CallBudgetDto[];

  @ApiProperty({ type: DoubtDto, isArray: true, description: 'Those that an operator must decide first.' })
  doubts: DoubtDto[];

  @ApiProperty({
    type: DeadLetterDto,
    isArray: true,
    description: 'Document events that a consumer failed to handle too often, the oldest first.',
  })
  deadLetters: DeadLetterDto[];
}

export class RetryTenantQueuesDto {
  @TextField({ description: 'The organisation.', maxLength: 36 })
  tenantId: string;
}

class RetriedQueueDto {
  @ChosenField(ENVIRONMENTS, { description: 'Which environment.' })
  environment: Environment;

  @ApiProperty({ type: String, description: 'Why it waited.' })
  reason: string;
}

export class RetriedDto {
  @ApiProperty({ type: RetriedQueueDto, isArray: true, description: 'Empty if no queue waited.' })
  retried: RetriedQueueDto[];
}

export class RetryEventsDto {
  @TextField({ description: 'The consumer.', example: 'accounting-export', maxLength: 200 })
  consumer: string;

  @TextField({ description: 'The document alone; all of the consumer when left out.', required: false, maxLength: 36 })
  documentId?: string;
}

export class RetriedEventsDto {
  @ApiProperty({ type: 'integer', description: 'Events that are delivered again; 0 when none was a dead letter.' })
  events: number;
}

export class AdoptedDocumentDto {
  @TextField({ description: 'The document’s number.', example: 'INV-1001', maxLength: 50 })
  referenceId: string;

  @TextField({ description: 'The authority’s uuid of it.', example: 'F9D425P6DS7D8IU', maxLength: 64 })
  authorityUuid: string;
}

export class DocumentOutcomeDto {
  @TextField({ description: 'The document’s number.', example: 'INV-1001', maxLength: 50 })
  referenceId: string;

  @ChoiceField({ description: 'Its status in the authority’s portal.', choices: STATED_OUTCOMES })
  status: StatedOutcome;

  @TextField({
    description: 'The authority’s uuid of a valid or cancelled document, if the authority has not confirmed it.',
    example: 'F9D425P6DS7D8IU',
    required: false,
    maxLength: 64,
  })
  authorityUuid?: string;
}

export class ReleaseDto {
  @ChoiceField({
    description:
      '`resend`: none is at the authority, send them again. `adopt`: they are there, under these uuids. `outcome`: no ' +
      'dispatcher works on them, and the portal shows these outcomes. `fail`: none is there and none is wanted.',
    choices: RELEASE_DECISIONS,
  })
  decision: ReleaseDecision;

  @ListField(() => AdoptedDocumentDto, {
    description: 'For `adopt`: those that were found; the others stay in doubt.',
    required: ({ decision }) => decision === 'adopt',
    ruleScope: 'document',
    minItems: 1,
    maxItems: DOCUMENTS_MAX,
  })
  documents?: AdoptedDocumentDto[];

  @ListField(() => DocumentOutcomeDto, {
    description: 'For `outcome`: the documents whose outcome is known; the others stay as they are.',
    required: ({ decision }) => decision === 'outcome',
    ruleScope: 'document',
    minItems: 1,
    maxItems: DOCUMENTS_MAX,
  })
  outcomes?: DocumentOutcomeDto[];
}

class ReleasedDocumentDto {
  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;

  @ApiProperty({ type: String, nullable: true })
  authorityUuid: string | null;

  @ChosenField(STATED_OUTCOMES, { nullable: true, description: 'The stated outcome; null for other decisions.' })
  status: StatedOutcome | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'What could not be compared with an adopted document; null if number, type, supplier and issue time are equal.',
  })
  unclear: string | null;
}

export class ReleasedDto {
  @ApiProperty({ type: String, format: 'uuid' })
  submissionId: string;

  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ChosenField(ENVIRONMENTS, { description: 'Where it was sent.' })
  environment: Environment;

  @ChosenField(RELEASE_DECISIONS, { description: 'What was decided.' })
  decision: ReleaseDecision;

  @ApiProperty({ type: ReleasedDocumentDto, isArray: true })
  documents: ReleasedDocumentDto[];

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The submission of those documents that were not named: still in doubt.',
  })
  stillInDoubt: string | null;
}
