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

  @Count('Being sent.')
  processing: number;

  @Count('Accepted by the authority, which is validating them.')
  submitted: number;

  @Count('Valid at the authority.', 1)
  valid: number;

  @Count('Found invalid by the authority.')
  invalid: number;

  @Count('Valid once, then cancelled.')
  cancelled: number;

  @Count(
    'Refused by the authority at submission, or not sent: it cannot be built, its parent failed, or an operator gave it up.',
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
      'Stable code of the error; others may be added. docs/errors.md has the fix for every code, and who can make it. ' +
      `The errors that the authority finds, with its own codes:\n\n${[...new Set(FINDINGS)].join('\n')}`,
  })
  code: string;

  @ApiProperty({
    example: "The buyer's TIN is not a valid tax identification number.",
    description: 'What is wrong, as text.',
  })
  message: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '/documents/1/recipient/tin',
    description:
      "JSON Pointer into the submitted body. Null if the body does not contain it: the supplier's data, a cancellation.",
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
    description: "The authority's own code; null if it sent none.",
  })
  authorityCode: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Invalid buyer TIN',
    description: "The authority's own text. Null if it sent none.",
  })
  authorityMessage: string | null;
}

export class WaitingDto implements Waiting {
  @ChosenField(WAITING_CODES, {
    example: 'authority_unavailable',
    description: 'Why it waits; docs/errors.md lists the reasons, with their fixes. New ones may be added.',
  })
  code: WaitingCode;

  @ApiProperty({
    example:
      'The tax authority does not respond, or does not let this service log in; the document is sent when it does',
    description: 'The reason as text.',
  })
  message: string;

  @ApiProperty({ example: 'No action is needed.', description: 'What to do to end the wait.' })
  hint: string;

  @InstantField('When the wait began.')
  since: string;
}

export class HeldForDto {
  @DocumentTypeField(DOCUMENT_TYPES, { description: 'What the parent is: always an `invoice`.' })
  documentType: DocumentType;

  @ReferenceIdField({ description: 'Your number of the parent invoice. The credit note is sent when it is `Valid`.' })
  referenceId: string;
}

export class CancellationDto {
  @TransactionIdField({ example: EXAMPLE_IDS.cancellationId, description: 'From the response of cancel.' })
  transactionId: string;

  @ChosenField(CANCELLATION_STATUSES, {
    example: 'Completed',
    description:
      '`Queued` and `Processing` until the authority has responded, then `Completed` or `Failed`. After `Failed` the ' +
      'document is as it was, and another cancel may be sent.',
  })
  status: CancellationStatus;

  @ApiProperty({
    example: 'Wrong buyer details',
    maxLength: 300,
    description: 'The reason that the authority and the buyer see: your `cancellationReason`, or the default.',
  })
  reason: string;

  @InstantField('When the cancel request was accepted.')
  requestedAt: string;

  @ApiProperty({
    type: [DocumentErrorDto],
    example: [],
    description: 'With `Failed`: why the authority refused it. Otherwise empty.',
  })
  errors: DocumentErrorDto[];
}

export class DocumentStatusDto {
  @DocumentIdField()
  documentId: string;

  @TransactionIdField({ description: 'Identifies this attempt to submit the document; a resubmission has another.' })
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
      "The authority's id of the document, 26 letters and digits; `authorityUuid` of the `relatedInvoice` of a credit " +
      'note. Null until the authority has shown the document under it, which is seconds after it accepted the document, ' +
      'and while it shows another document under it.',
  })
  authorityUuid: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'HJSD135P2S7D8IU8T5Q2X9VE10',
    description:
      "The authority's id of the call that it accepted; use it when you contact the authority. Null as long as `authorityUuid` is.",
  })
  authoritySubmissionUid: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: AUTHORITY_LONG_ID,
    description: "The secret part of the document's public address. Null until the document is `Valid`.",
  })
  authorityLongId: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'uri',
    example: `https://preprod.myinvois.hasil.gov.my/${AUTHORITY_UUID}/share/${AUTHORITY_LONG_ID}`,
    description:
      "The authority's public page of the document: print it as a QR code on the invoice. Null until the document is " +
      '`Valid`.',
  })
  validationUrl: string | null;

  @ApiProperty({ type: TotalsDto, description: 'The totals that the service computed from the lines.' })
  totals: TotalsDto;

  @Happened('Date and time of issue in the document that was built.')
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

  @Happened('When it was cancelled, through this service or elsewhere.', { example: null })
  cancelledAt: string | null;

  @Happened('When the buyer requested its rejection at the authority: cancel it, or settle it with the buyer.', {
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
      'Why the document waits; it continues automatically once the reason is gone. Null if it does not wait.',
  })
  waiting: WaitingDto | null;

  @ApiProperty({
    type: [DocumentErrorDto],
    example: [],
    description:
      'With `SubmitFailed` and `Invalid`: what the authority found. Correct it and submit again. Otherwise empty.',
  })
  errors: DocumentErrorDto[];

  @ApiProperty({
    type: CancellationDto,
    nullable: true,
    example: null,
    description: 'The latest cancel request. Null when there was none.',
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
      'The status of all documents together. `Queued`, `Processing` and `Submitted` are under way; the others are ' +
      'final: `Valid` (all are, or were before they were cancelled), `PartiallyValid` (some are), `Invalid` (none is), ' +
      '`SubmitFailed` (the authority accepted none), `Cancelled` (all are).',
  })
  status: BatchStatus;

  @ApiProperty({
    description:
      'Whether every document has its outcome and no cancellation is under way: stop polling. A later cancel ' +
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
    description: 'How many documents the batch has: the sum of `counts`.',
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
