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

  @ChosenField(ENVIRONMENTS, { description: 'Environment.' })
  environment: Environment;

  @ChosenField(OPERATIONS, { description: 'Whether documents or cancellations wait.' })
  operation: (typeof OPERATIONS)[number];

  @ApiProperty({ type: 'integer', description: 'Documents ready to be sent or waiting for a retry.' })
  waiting: number;

  @ApiProperty({ type: 'integer', description: 'Credit notes that wait for their parent invoice.' })
  held: number;

  @ApiProperty({ type: 'integer', description: 'Documents in a call in progress.' })
  processing: number;

  @ApiProperty({ type: 'integer', description: 'Documents and cancellations in calls without a response.' })
  inDoubt: number;

  @ApiProperty({ type: 'integer', description: 'Documents that the authority is validating.' })
  atAuthority: number;

  @ApiProperty({ type: 'integer', description: 'Documents that wait longer than usual, except held credit notes.' })
  late: number;

  @InstantField('Acceptance of the oldest waiting document.', { nullable: true })
  oldestAt: Date | null;

  @InstantField('End of the pause in sending.', { nullable: true })
  waitingUntil: Date | null;

  @ChosenField(QUEUE_WAITING_CODES, {
    nullable: true,
    description:
      'Cause of the wait: recovery after a restore, an outage, a problem of the organisation, a lost response, ' +
      'validation by the authority, the parent of a credit note, or no dispatcher with the client id of the calls. ' +
      'Null if the documents only wait for their turn.',
  })
  waitingCode: QueueWaitingCode | null;

  @InstantField('Start of the wait. Null if it started when the oldest document was accepted.', { nullable: true })
  waitingSince: Date | null;
}

class EnvironmentOutageDto extends OutageDto {
  @ChosenField(ENVIRONMENTS, { nullable: true, description: 'Affected environment; null means both.' })
  environment: Environment | null;
}

export class OutagesDto {
  @ApiProperty({ type: EnvironmentOutageDto, isArray: true, description: 'Most severe first.' })
  outages: EnvironmentOutageDto[];
}

export class CallBudgetDto {
  @ChosenField(ENVIRONMENTS, { description: 'Environment.' })
  environment: Environment;

  @ApiProperty({ type: String, description: 'API of the authority.' })
  api: string;

  @ApiProperty({ type: String })
  clientId: string;

  @InstantField('Earliest time of the next call.')
  nextAt: Date;

  @InstantField('End of the pause in calls; null if calls are allowed.', { nullable: true })
  blockedUntil: Date | null;

  @InstantField('Start of the pause.', { nullable: true })
  blockedSince: Date | null;

  @ApiProperty({ type: String, nullable: true })
  blockedReason: string | null;

  @ApiProperty({ type: 'integer', description: 'Consecutive failed calls. After five, only probes are sent.' })
  failures: number;
}

class DoubtDto {
  @ApiProperty({ type: String, format: 'uuid' })
  submissionId: string;

  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  tenantName: string;

  @ChosenField(ENVIRONMENTS, { description: 'Environment of the call.' })
  environment: Environment;

  @InstantField('Time of the first send.')
  sentAt: Date;

  @ApiProperty({ type: 'integer' })
  sends: number;

  @ApiProperty({ type: String, isArray: true, description: 'Document numbers.' })
  referenceIds: string[];

  @ApiProperty({ type: String, nullable: true, description: 'Why the submission is in doubt.' })
  reason: string | null;

  @InstantField('Time of the next lookup; null if none is scheduled.', { nullable: true })
  nextLookAt: Date | null;

  @ApiProperty({ enum: RELEASE_DECISIONS, isArray: true, description: 'Decisions that an operator may make now.' })
  decisions: readonly ReleaseDecision[];
}

class DeadLetterDto {
  @ApiProperty({ type: String, description: 'Consumer that failed to handle the event.' })
  consumer: string;

  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  tenantName: string;

  @ChosenField(ENVIRONMENTS, { description: 'Environment.' })
  environment: Environment;

  @ApiProperty({ type: String, format: 'uuid' })
  documentId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;

  @ApiProperty({ type: String, description: 'Id of the event. Later events of the document wait behind it.' })
  eventId: string;

  @ApiProperty({ type: 'integer', description: 'Failed attempts of the consumer.' })
  attempts: number;

  @InstantField('Time of the last attempt.')
  deadAt: Date;

  @ApiProperty({ type: String, description: 'Last error of the consumer.' })
  error: string;
}

export class QueueDto extends OutagesDto {
  @ApiProperty({ type: TenantQueueDto, isArray: true, description: 'Longest wait first.' })
  tenantQueues: TenantQueueDto[];

  @ApiProperty({ type: CallBudgetDto, isArray: true })
  callBudgets: CallBudgetDto[];

  @ApiProperty({
    type: DoubtDto,
    isArray: true,
    description: 'Submissions in doubt. Those that need a decision come first.',
  })
  doubts: DoubtDto[];

  @ApiProperty({
    type: DeadLetterDto,
    isArray: true,
    description: 'Document events that a consumer failed to handle, oldest first.',
  })
  deadLetters: DeadLetterDto[];
}

export class RetryTenantQueuesDto {
  @TextField({ description: 'Id of the organisation.', maxLength: 36 })
  tenantId: string;
}

class RetriedQueueDto {
  @ChosenField(ENVIRONMENTS, { description: 'Environment.' })
  environment: Environment;

  @ApiProperty({ type: String, description: 'Why the queue waited.' })
  reason: string;
}

export class RetriedDto {
  @ApiProperty({ type: RetriedQueueDto, isArray: true, description: 'Empty if no queue waited.' })
  retried: RetriedQueueDto[];
}

export class RetryEventsDto {
  @TextField({ description: 'Name of the consumer.', example: 'accounting-export', maxLength: 200 })
  consumer: string;

  @TextField({
    description: 'Id of one document. By default, all events of the consumer.',
    required: false,
    maxLength: 36,
  })
  documentId?: string;
}

export class RetriedEventsDto {
  @ApiProperty({ type: 'integer', description: 'Number of redelivered events.' })
  events: number;
}

export class AdoptedDocumentDto {
  @TextField({ description: 'Document number.', example: 'INV-1001', maxLength: 50 })
  referenceId: string;

  @TextField({ description: 'UUID of the document at the authority.', example: 'F9D425P6DS7D8IU', maxLength: 64 })
  authorityUuid: string;
}

export class DocumentOutcomeDto {
  @TextField({ description: 'Document number.', example: 'INV-1001', maxLength: 50 })
  referenceId: string;

  @ChoiceField({ description: 'Status in the authority’s portal.', choices: STATED_OUTCOMES })
  status: StatedOutcome;

  @TextField({
    description: 'UUID of a valid or cancelled document at the authority, if the authority has not confirmed it.',
    example: 'F9D425P6DS7D8IU',
    required: false,
    maxLength: 64,
  })
  authorityUuid?: string;
}

export class ReleaseDto {
  @ChoiceField({
    description:
      '`resend`: the authority has no document, so send all again. `adopt`: the authority has the documents with ' +
      'these UUIDs. `outcome`: no dispatcher handles the documents, and the portal shows these outcomes. `fail`: the ' +
      'authority has no document, and none is to be sent.',
    choices: RELEASE_DECISIONS,
  })
  decision: ReleaseDecision;

  @ListField(() => AdoptedDocumentDto, {
    description: 'For `adopt`: documents found at the authority. All others remain in doubt.',
    required: ({ decision }) => decision === 'adopt',
    ruleScope: 'document',
    minItems: 1,
    maxItems: DOCUMENTS_MAX,
  })
  documents?: AdoptedDocumentDto[];

  @ListField(() => DocumentOutcomeDto, {
    description: 'For `outcome`: documents with a known outcome. All others remain unchanged.',
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

  @ChosenField(STATED_OUTCOMES, { nullable: true, description: 'Entered outcome; null for other decisions.' })
  status: StatedOutcome | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Members of an adopted document that could not be compared; null if number, type, supplier and issue time match.',
  })
  unclear: string | null;
}

export class ReleasedDto {
  @ApiProperty({ type: String, format: 'uuid' })
  submissionId: string;

  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ChosenField(ENVIRONMENTS, { description: 'Environment of the call.' })
  environment: Environment;

  @ChosenField(RELEASE_DECISIONS, { description: 'Decision.' })
  decision: ReleaseDecision;

  @ApiProperty({ type: ReleasedDocumentDto, isArray: true })
  documents: ReleasedDocumentDto[];

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'New submission with the documents that remain in doubt.',
  })
  stillInDoubt: string | null;
}
