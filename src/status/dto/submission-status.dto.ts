import { ApiProperty } from '@nestjs/swagger';
import {
  AuthorityStatusField,
  ChosenField,
  DocumentIdField,
  DocumentTypeField,
  EXAMPLE_IDS,
  InstantField,
  ReferenceIdField,
  SubmissionBatchIdField,
  SubmissionStatusField,
  TransactionIdField,
} from '../../common/response-fields.js';
import { TotalsDto } from '../../common/totals.dto.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { AUTHORITY_ERRORS } from '../../documents/error-catalogue.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { type DocumentType, SUBMISSION_TYPES, type SubmissionType } from '../../documents/simplified-document.js';
import {
  AUTHORITY_STATUSES,
  type AuthorityStatus,
  BATCH_STATUSES,
  type BatchStatus,
  CANCELLATION_STATUSES,
  type CancellationStatus,
  SUBMISSION_STATUSES,
  type SubmissionStatus,
} from '../../documents/statuses.js';
import { type Waiting, WAITING_CODES, type WaitingCode } from '../waiting.js';

// All examples belong to one valid invoice.
const AUTHORITY_UUID = 'F9D425P6DS7D8IU8T5Q2X9VE10';
const AUTHORITY_LONG_ID = 'YQH73576FY9VR57B';

/** A timestamp that is null until the event. */
function Happened(description: string, options: { example?: null } = {}): PropertyDecorator {
  return InstantField(`${description} Null until then.`, { nullable: true, ...options });
}

function Count(description: string, example = 0): PropertyDecorator {
  return ApiProperty({ type: 'integer', minimum: 0, maximum: 100, example, description });
}

export class CountsDto {
  @Count('Waiting to be sent to the authority.')
  queued: number;

  @Count('Being sent to the authority.')
  processing: number;

  @Count('Accepted by the authority and being validated.')
  submitted: number;

  @Count('Valid at the authority.', 1)
  valid: number;

  @Count('Invalid at the authority.')
  invalid: number;

  @Count('Cancelled after they were valid.')
  cancelled: number;

  @Count(
    'Rejected by the authority at submission, or not sent because they cannot be built, their parent failed, or an ' +
      'operator marked them as failed.',
  )
  submitFailed: number;
}

/** All codes of authority findings with their messages, from the catalogue. */
const FINDINGS = AUTHORITY_ERRORS.flatMap(({ entries }) => entries).map(
  ({ code, authorityCode, meaning }) => `- \`${code}\` (${authorityCode ?? 'no code'}): ${meaning}`,
);

export class DocumentErrorDto {
  @ApiProperty({
    example: 'buyer_tin_invalid',
    description:
      'Stable error code. New codes may be added. docs/errors.md lists the fix for each code and who can make it. ' +
      `Errors found by the authority, with its own codes:\n\n${[...new Set(FINDINGS)].join('\n')}`,
  })
  code: string;

  @ApiProperty({
    example: "The buyer's TIN is not a valid tax identification number.",
    description: 'Description of the error.',
  })
  message: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '/documents/1/recipient/tin',
    description: 'JSON Pointer to the wrong value in the submitted body. Null if the body does not contain the value.',
  })
  pointer: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Send the TIN as the buyer is registered: letters in upper case and digits, without spaces or hyphens.',
    description: 'How to fix it. Null if there is no hint.',
  })
  hint: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'CF358',
    description: "The authority's error code, or null.",
  })
  authorityCode: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Invalid buyer TIN',
    description: "The authority's error message, or null.",
  })
  authorityMessage: string | null;
}

export class WaitingDto implements Waiting {
  @ChosenField(WAITING_CODES, {
    example: 'authority_unavailable',
    description: 'The reason. docs/errors.md lists all reasons with their fixes. New reasons may be added.',
  })
  code: WaitingCode;

  @ApiProperty({
    example:
      'The tax authority does not respond or rejects the login of this service; the document is sent when the authority is available again',
    description: 'The reason as text.',
  })
  message: string;

  @ApiProperty({ example: 'No action is needed.', description: 'What to do to end the wait.' })
  hint: string;

  @InstantField('When the wait began.')
  since: string;
}

export class HeldForDto {
  @DocumentTypeField(DOCUMENT_TYPES, { description: 'Document type of the parent, always `invoice`.' })
  documentType: DocumentType;

  @ReferenceIdField({ description: 'Number of the parent. The credit note is sent when the parent is `Valid`.' })
  referenceId: string;
}

export class CancellationDto {
  @TransactionIdField({ example: EXAMPLE_IDS.cancellationId, description: 'From the response of the cancel request.' })
  transactionId: string;

  @ChosenField(CANCELLATION_STATUSES, {
    example: 'Completed',
    description:
      '`Queued` and `Processing` until the authority has responded, then `Completed` or `Failed`. After ' +
      '`Failed`, the document is unchanged and can be cancelled again.',
  })
  status: CancellationStatus;

  @ApiProperty({
    example: 'Wrong buyer details',
    maxLength: 300,
    description: 'Reason shown to the authority and the buyer: your `cancellationReason` or the default.',
  })
  reason: string;

  @InstantField('When the cancel request was accepted.')
  requestedAt: string;

  @ApiProperty({
    type: [DocumentErrorDto],
    example: [],
    description: 'The reasons of the authority if the status is `Failed`. Otherwise empty.',
  })
  errors: DocumentErrorDto[];
}

export class DocumentStatusDto {
  @DocumentIdField()
  documentId: string;

  @TransactionIdField({ description: 'Id of this attempt to submit the document. A resubmission has a new id.' })
  transactionId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;

  @SubmissionStatusField(SUBMISSION_STATUSES)
  submissionStatus: SubmissionStatus;

  @AuthorityStatusField(AUTHORITY_STATUSES)
  authorityStatus: AuthorityStatus | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: AUTHORITY_UUID,
    description:
      "The authority's id of the document (26 letters and digits). A credit note refers to it as `authorityUuid` of its " +
      '`relatedInvoice`. Null until the authority has confirmed the id, seconds after it accepted the document, and ' +
      'while it shows another document under the id.',
  })
  authorityUuid: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'HJSD135P2S7D8IU8T5Q2X9VE10',
    description:
      "The authority's id of the accepted call. State it when you contact the authority. Null while `authorityUuid` is " +
      'null.',
  })
  authoritySubmissionUid: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: AUTHORITY_LONG_ID,
    description: "The secret part of the document's public URL. Null until the document is `Valid`.",
  })
  authorityLongId: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'uri',
    example: `https://preprod.myinvois.hasil.gov.my/${AUTHORITY_UUID}/share/${AUTHORITY_LONG_ID}`,
    description:
      "The authority's public page of the document, to be printed as a QR code on the invoice. Null until the document " +
      'is `Valid`.',
  })
  validationUrl: string | null;

  @ApiProperty({ type: TotalsDto, description: 'Totals computed by the service.' })
  totals: TotalsDto;

  @Happened('Issue time in the built document.')
  issuedAt: string | null;

  @Happened('When the authority accepted the document.')
  submittedAt: string | null;

  @Happened('When the authority finished its validation.')
  validatedAt: string | null;

  @InstantField('Until when the document can be cancelled: 72 hours from validation. Null unless it is `Valid`.', {
    nullable: true,
    example: '2026-02-03T08:00:00.000Z',
  })
  cancellableUntil: string | null;

  @Happened('When the document was cancelled, through this service or elsewhere.', { example: null })
  cancelledAt: string | null;

  @Happened('When the buyer requested its rejection at the authority. Cancel the document, or agree with the buyer.', {
    example: null,
  })
  rejectionRequestedAt: string | null;

  @ApiProperty({
    type: HeldForDto,
    nullable: true,
    example: null,
    description: 'The parent invoice that a held credit note waits for. Null for other documents.',
  })
  heldFor: HeldForDto | null;

  @ApiProperty({
    type: WaitingDto,
    nullable: true,
    example: null,
    description:
      'Why the document waits. It continues automatically when the reason no longer applies. Null if it does not wait.',
  })
  waiting: WaitingDto | null;

  @ApiProperty({
    type: [DocumentErrorDto],
    example: [],
    description: 'Errors of a `SubmitFailed` or `Invalid` document. Correct them and submit it again. Otherwise empty.',
  })
  errors: DocumentErrorDto[];

  @ApiProperty({
    type: CancellationDto,
    nullable: true,
    example: null,
    description: 'The latest cancel request, or null.',
  })
  cancellation: CancellationDto | null;
}

export class SubmissionStatusDto {
  @SubmissionBatchIdField()
  submissionBatchId: string;

  @ChosenField(SUBMISSION_TYPES, { example: 'non-consolidated', description: 'The `submission_type` of the request.' })
  submissionType: SubmissionType;

  @ChosenField(ENVIRONMENTS, { example: 'sandbox', description: 'The environment of the key that submitted it.' })
  environment: Environment;

  @ChosenField(BATCH_STATUSES, {
    example: 'Valid',
    description:
      'Status of the whole batch. `Queued`, `Processing` and `Submitted` are in progress. The others are final: `Valid` ' +
      '(all documents are valid, or were before they were cancelled), `PartiallyValid` (some are valid), `Invalid` ' +
      '(none is valid), `SubmitFailed` (the authority accepted none) and `Cancelled` (all were cancelled).',
  })
  status: BatchStatus;

  @ApiProperty({
    description:
      'True when every document has its outcome and no cancellation is in progress. Stop polling then. A later cancel ' +
      'request makes it false again.',
    example: true,
  })
  terminal: boolean;

  @InstantField('When the batch was accepted.')
  createdAt: string;

  @InstantField('When the batch last changed.')
  updatedAt: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    example: 1,
    description: 'Number of documents in the batch: the sum of `counts`.',
  })
  documentCount: number;

  @ApiProperty({ type: CountsDto, description: 'Number of documents in each status.' })
  counts: CountsDto;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 2,
    maximum: 60,
    example: null,
    description: 'Seconds until the next poll; also in `Retry-After`. Null if terminal.',
  })
  nextPollAfterSeconds: number | null;

  @ApiProperty({
    type: [DocumentStatusDto],
    minItems: 1,
    maxItems: 100,
    description: 'Each document with its own status, in the order of submission.',
  })
  documents: DocumentStatusDto[];
}
