import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import {
  DOCUMENT_TYPES,
  type DocumentType,
  SUBMISSION_TYPES,
  type SubmissionType,
} from '../../documents/simplified-document.js';
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

const EXAMPLE_ID = '019a8b5e-7c1f-7000-8000-000000000001';
const EXAMPLE_INSTANT = '2026-11-20T08:00:00.000Z';

/** An instant that is null until the thing has happened. */
function Instant(description: string, options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: EXAMPLE_INSTANT,
    description,
    ...options,
  });
}

function Count(description: string): PropertyDecorator {
  return ApiProperty({ type: 'integer', minimum: 0, maximum: 100, example: 0, description });
}

function Ringgit(description: string, example: number): PropertyDecorator {
  return ApiProperty({ type: Number, example, description: `${description} Ringgit (MYR), two decimals.` });
}

export class CountsDto {
  @Count('Waiting to be sent to the authority.')
  queued: number;

  @Count('Being sent.')
  processing: number;

  @Count('Taken by the authority, which is validating them.')
  submitted: number;

  @Count('Valid at the authority.')
  valid: number;

  @Count('Found invalid by the authority.')
  invalid: number;

  @Count('Valid once, then cancelled.')
  cancelled: number;

  @Count('Not taken by the authority at all.')
  submitFailed: number;
}

export class TotalsDto {
  @Ringgit('Σ line totals less the header discount.', 100)
  totalExcludingTax: number;

  @Ringgit('Σ line taxes.', 6)
  totalTaxAmount: number;

  @Ringgit('totalExcludingTax plus totalTaxAmount.', 106)
  totalIncludingTax: number;

  @Ringgit('totalIncludingTax plus the header rounding.', 106)
  totalPayableAmount: number;
}

export class DocumentErrorDto {
  @ApiProperty({
    example: 'buyer_tin_invalid',
    description: 'Stable code of the error. The catalogue, docs/errors.md, lists every code with what to do about it.',
  })
  code: string;

  @ApiProperty({
    example: "The buyer's TIN is not a valid tax identification number.",
    description: 'What is wrong.',
  })
  message: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '/documents/1/recipient/tin',
    description:
      "JSON Pointer into the submitted body. Null for what the body does not hold: the supplier's data, a cancellation.",
  })
  pointer: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Send the TIN as the buyer is registered: letters in upper case and digits, without spaces or hyphens.',
    description: 'How to mend it.',
  })
  hint: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'CF358',
    description: "The authority's own code; null where it gives none.",
  })
  authorityCode: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Invalid buyer TIN', description: "The authority's own text." })
  authorityMessage: string | null;
}

export class WaitingDto implements Waiting {
  @ApiProperty({ enum: WAITING_CODES })
  code: WaitingCode;

  @ApiProperty({ example: 'The tax authority does not answer; the document is sent when it does' })
  message: string;

  @ApiProperty({ type: String, format: 'date-time', example: EXAMPLE_INSTANT })
  since: string;
}

export class HeldForDto {
  @ApiProperty({ enum: DOCUMENT_TYPES, example: 'invoice' })
  documentType: DocumentType;

  @ApiProperty({ example: 'INV-2026-0001' })
  referenceId: string;
}

export class CancellationDto {
  @ApiProperty({ format: 'uuid', example: EXAMPLE_ID, description: 'From the answer of cancel.' })
  transactionId: string;

  @ApiProperty({ enum: CANCELLATION_STATUSES })
  status: CancellationStatus;

  @ApiProperty({ example: 'Wrong buyer details' })
  reason: string;

  @ApiProperty({ type: String, format: 'date-time', example: EXAMPLE_INSTANT })
  requestedAt: string;

  @ApiProperty({ type: [DocumentErrorDto], description: 'Why it failed.' })
  errors: DocumentErrorDto[];
}

export class DocumentStatusDto {
  @ApiProperty({ format: 'uuid', example: EXAMPLE_ID })
  documentId: string;

  @ApiProperty({ format: 'uuid', example: EXAMPLE_ID, description: 'This attempt to submit the document.' })
  transactionId: string;

  @ApiProperty({ enum: DOCUMENT_TYPES })
  documentType: DocumentType;

  @ApiProperty({ example: 'INV-2026-0001' })
  referenceId: string;

  @ApiProperty({ enum: SUBMISSION_STATUSES, description: 'Platform status of this attempt.' })
  submissionStatus: SubmissionStatus;

  @ApiProperty({ enum: AUTHORITY_STATUSES, nullable: true, description: 'Null until the authority has answered.' })
  authorityStatus: AuthorityStatus | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'F9D425P6DS7D8IU8T5Q2X9VE10',
    description: "The authority's id of the document: 26 letters and digits.",
  })
  authorityUuid: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'HJSD135P2S7D8IU8T5Q2X9VE10' })
  authoritySubmissionUid: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Only valid documents have one.' })
  authorityLongId: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'uri',
    example: 'https://preprod.myinvois.hasil.gov.my/F9D425P6DS7D8IU8T5Q2X9VE10/share/YQH73576FY9VR57B',
    description: "The authority's public page of the valid document; the content of its QR code.",
  })
  validationUrl: string | null;

  @ApiProperty({ type: TotalsDto })
  totals: TotalsDto;

  @Instant('Date and time of issue in the built document.')
  issuedAt: string | null;

  @Instant('When the authority took the document.')
  submittedAt: string | null;

  @Instant('When the authority ended its validation, valid or invalid.')
  validatedAt: string | null;

  @Instant('Until when a valid document can be cancelled: 72 hours from validation.')
  cancellableUntil: string | null;

  @Instant('When it was cancelled, through this service or elsewhere.', { example: null })
  cancelledAt: string | null;

  @Instant('When the buyer requested its rejection at the authority.', { example: null })
  rejectionRequestedAt: string | null;

  @ApiProperty({ type: HeldForDto, nullable: true, description: 'The parent invoice that a credit note waits for.' })
  heldFor: HeldForDto | null;

  @ApiProperty({ type: WaitingDto, nullable: true, description: 'Why the document is not moving.' })
  waiting: WaitingDto | null;

  @ApiProperty({ type: [DocumentErrorDto], description: 'Why the authority refused it, or found it invalid.' })
  errors: DocumentErrorDto[];

  @ApiProperty({ type: CancellationDto, nullable: true, description: 'The latest cancel request.' })
  cancellation: CancellationDto | null;
}

export class SubmissionStatusDto {
  @ApiProperty({ format: 'uuid', example: EXAMPLE_ID })
  submissionBatchId: string;

  @ApiProperty({ enum: SUBMISSION_TYPES })
  submissionType: SubmissionType;

  @ApiProperty({ enum: ENVIRONMENTS })
  environment: Environment;

  @ApiProperty({ enum: BATCH_STATUSES })
  status: BatchStatus;

  @ApiProperty({ description: 'Whether every document has its outcome.', example: false })
  terminal: boolean;

  @ApiProperty({ type: String, format: 'date-time', example: EXAMPLE_INSTANT })
  createdAt: string;

  @ApiProperty({ type: String, format: 'date-time', example: EXAMPLE_INSTANT })
  updatedAt: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100, example: 1 })
  documentCount: number;

  @ApiProperty({ type: CountsDto })
  counts: CountsDto;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 2,
    maximum: 60,
    example: 2,
    description: 'When to ask again; null when terminal.',
  })
  nextPollAfterSeconds: number | null;

  @ApiProperty({ type: [DocumentStatusDto], description: 'In the order of submission.' })
  documents: DocumentStatusDto[];
}
