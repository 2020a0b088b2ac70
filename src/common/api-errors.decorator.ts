import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiResponse, ApiSecurity, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';
import { errorsOf, type Operation } from './error-codes.js';

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
    example: ['TIN', 'MSIC'],
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
type DescribedOperation = Exclude<Operation, 'health'>;

// What any call can meet before it is an operation's (404, 405, 408, 414, 431) is in the docs alone.
const BODIES: Readonly<Record<DescribedOperation, Readonly<Record<number, ErrorBody>>>> = {
  submit: {
    400: ValidationErrorDto,
    401: ErrorDto,
    402: InsufficientCreditsDto,
    409: SubmitConflictDto,
    413: ErrorDto,
    415: ErrorDto,
    500: ErrorDto,
    503: ErrorDto,
  },
  cancel: {
    400: ValidationErrorDto,
    401: ErrorDto,
    402: InsufficientCreditsDto,
    404: ErrorDto,
    409: CancelConflictDto,
    413: ErrorDto,
    415: ErrorDto,
    500: ErrorDto,
    503: ErrorDto,
  },
  status: { 400: ErrorDto, 401: ErrorDto, 404: ErrorDto, 500: ErrorDto, 503: ErrorDto },
  taxpayer: { 400: ValidationErrorDto, 401: ErrorDto, 500: ErrorDto, 503: ErrorDto },
};

/** The codes of a status, those of the operation itself before those of every call. */
function describe(operation: DescribedOperation, status: number): string {
  const errors = errorsOf(operation, status);
  const [own, common] = [errors.filter(({ operations }) => operations), errors.filter(({ operations }) => !operations)];
  return [...own, ...common].map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n\n');
}

/** Documents the key and every error answer of an operation, each with its body. */
export function ApiErrors(operation: DescribedOperation): MethodDecorator {
  const answers = Object.entries(BODIES[operation]);
  return applyDecorators(
    ApiSecurity('X-API-Key'),
    ApiSecurity('Bearer'),
    ApiExtraModels(...answers.map(([, body]) => body)),
    ...answers.map(([status, body]) =>
      ApiResponse({
        status: Number(status),
        description: describe(operation, Number(status)),
        schema: { $ref: getSchemaPath(body) },
      }),
    ),
  );
}
