import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiResponse, ApiSecurity, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';

/** Body of every error (D14). */
export class ErrorDto {
  @ApiProperty({ example: 'This API key is not known', description: 'What is wrong and how to mend it.' })
  message: string;

  @ApiProperty({ example: 'api_key_invalid', description: 'Stable code; new ones may be added.' })
  code: string;

  @ApiProperty({
    example: '019a8b5e-7c1f-7000-8000-000000000001',
    description: 'Also in `X-Request-Id`; quote it to us.',
  })
  requestId: string;
}

export class ProblemDto {
  @ApiProperty({ example: '/documents/0/recipient/postcode', description: 'JSON Pointer into the request body.' })
  pointer: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 0 })
  documentIndex: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'INV-2026-0001' })
  referenceId: string | null;

  @ApiProperty({ example: 'recipient_postcode_format', description: 'Stable identifier of the broken rule.' })
  rule: string;

  @ApiProperty({ example: 'must be 5 digits' })
  message: string;

  @ApiProperty({ type: String, nullable: true, example: 'use 50480, not 5048' })
  hint: string | null;
}

export class ValidationErrorDto extends ErrorDto {
  @ApiProperty({
    required: false,
    type: [String],
    maxItems: 500,
    example: ['documents[0].recipient.postcode must be 5 digits'],
    description: 'Every broken rule, each text starting with its path.',
  })
  errors?: string[];

  @ApiProperty({ required: false, type: [ProblemDto], maxItems: 500, description: 'The same, for programs.' })
  details?: ProblemDto[];

  @ApiProperty({
    required: false,
    type: [String],
    example: ['tin', 'msic'],
    description: 'With `supplier_profile_incomplete`: the missing fields.',
  })
  missing?: string[];
}

export class InsufficientCreditsDto extends ErrorDto {
  @ApiProperty({ type: 'integer', example: 3 })
  requiredCredits: number;

  @ApiProperty({ type: 'integer', example: 1 })
  remainingCredits: number;

  @ApiProperty({ type: 'integer', example: 2 })
  shortBy: number;

  @ApiProperty({ type: 'integer', example: 3 })
  documentCount: number;
}

export class SubmitConflictDto extends ErrorDto {
  @ApiProperty({ required: false, enum: ['invoice', 'credit_note'], description: 'With `duplicate_document`.' })
  documentType?: string;

  @ApiProperty({ required: false, example: 'INV-2026-0001' })
  referenceId?: string;

  @ApiProperty({ required: false, example: 'Submitted', description: 'Platform status of the existing document.' })
  submissionStatus?: string;

  @ApiProperty({ required: false, type: String, nullable: true, example: 'Valid' })
  authorityStatus?: string | null;

  @ApiProperty({ required: false, format: 'uuid' })
  documentId?: string;

  @ApiProperty({ required: false, format: 'uuid', description: 'Where the existing document can be followed.' })
  submissionBatchId?: string;
}

export class CancelConflictDto extends ErrorDto {
  @ApiProperty({ required: false, example: 'Submitted', description: 'With `document_not_valid`.' })
  submissionStatus?: string;

  @ApiProperty({ required: false, type: String, nullable: true, example: 'Invalid' })
  authorityStatus?: string | null;

  @ApiProperty({ required: false, format: 'uuid', description: 'With `cancellation_in_progress`.' })
  transactionId?: string;

  @ApiProperty({ required: false, format: 'date-time', description: 'With `cancellation_window_closed`.' })
  cancellableUntil?: string;

  @ApiProperty({ required: false, type: [String], description: 'With `active_referencing_documents`.' })
  referencingDocuments?: string[];
}

type ErrorBody = new () => ErrorDto;

interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly description: string;
}

const UNAUTHORIZED: ErrorAnswer = {
  status: 401,
  body: ErrorDto,
  description:
    'No usable key: `api_key_missing`, `api_key_invalid`, `api_key_expired`, `api_key_revoked`, `api_key_wrong_environment`.',
};
const BODY_ERRORS: readonly ErrorAnswer[] = [
  { status: 413, body: ErrorDto, description: 'The body is over 10 MB: `body_too_large`.' },
  { status: 415, body: ErrorDto, description: 'The body is not JSON: `unsupported_media_type`.' },
];
const SERVER_ERRORS: readonly ErrorAnswer[] = [
  { status: 500, body: ErrorDto, description: '`Internal error`; retry later with the same key and body.' },
  {
    status: 503,
    body: ErrorDto,
    description: 'Nothing was decided; retry after `Retry-After` with the same key and body.',
  },
];
const CREDITS: ErrorAnswer = {
  status: 402,
  body: InsufficientCreditsDto,
  description: 'Insufficient prepaid credits: `insufficient_credits`. Nothing was queued.',
};

const ERRORS_BY_OPERATION: Record<'submit' | 'status' | 'taxpayer' | 'cancel', readonly ErrorAnswer[]> = {
  submit: [
    {
      status: 400,
      body: ValidationErrorDto,
      description:
        'The body breaks rules (`validation_failed`: every one of them is listed), is not JSON (`malformed_json`), the ' +
        'header is missing (`idempotency_key_invalid`), or the organisation is not ready (`supplier_profile_incomplete`).',
    },
    UNAUTHORIZED,
    CREDITS,
    {
      status: 409,
      body: SubmitConflictDto,
      description: '`duplicate_document`, `idempotency_key_reused` or `idempotency_key_in_progress`.',
    },
    ...BODY_ERRORS,
    ...SERVER_ERRORS,
  ],
  cancel: [
    {
      status: 400,
      body: ValidationErrorDto,
      description: '`validation_failed`, `malformed_json`, `idempotency_key_invalid` or `supplier_profile_incomplete`.',
    },
    UNAUTHORIZED,
    CREDITS,
    { status: 404, body: ErrorDto, description: 'No such document for this key: `document_not_found`.' },
    {
      status: 409,
      body: CancelConflictDto,
      description:
        '`document_not_valid`, `cancellation_in_progress`, `cancellation_window_closed`, `active_referencing_documents`, ' +
        '`idempotency_key_reused` or `idempotency_key_in_progress`.',
    },
    ...BODY_ERRORS,
    ...SERVER_ERRORS,
  ],
  status: [
    { status: 400, body: ErrorDto, description: 'Not a UUID: `submission_batch_id_invalid`.' },
    UNAUTHORIZED,
    { status: 404, body: ErrorDto, description: 'No such batch for this key: `submission_batch_not_found`.' },
    ...SERVER_ERRORS,
  ],
  taxpayer: [
    {
      status: 400,
      body: ValidationErrorDto,
      description: '`taxpayer_id_required`, `validation_failed` or `supplier_profile_incomplete`.',
    },
    UNAUTHORIZED,
    ...SERVER_ERRORS,
  ],
};

/** Documents the key and every error answer of an operation, each with its body. */
export function ApiErrors(operation: keyof typeof ERRORS_BY_OPERATION): MethodDecorator {
  const answers = ERRORS_BY_OPERATION[operation];
  return applyDecorators(
    ApiSecurity('X-API-Key'),
    ApiSecurity('Bearer'),
    ApiExtraModels(...answers.map(({ body }) => body)),
    ...answers.map(({ status, body, description }) =>
      ApiResponse({ status, description, schema: { $ref: getSchemaPath(body) } }),
    ),
  );
}
