import { ApiProperty } from '@nestjs/swagger';
import { PROBLEMS_MAX } from '../api-error.js';
import { ERROR_CODES } from '../error-codes.js';
import { EXAMPLE_REFERENCE_ID } from '../../common/response-fields.js';

/** Common members of all error bodies (docs/rules.md#error-responses). */
export class ErrorDto {
  @ApiProperty({
    example: 'The API key is unknown, or the request has two different keys.',
    description: 'Explanation of the error. The wording may change, so programs must use `code`.',
  })
  message: string;

  @ApiProperty({
    enum: Object.keys(ERROR_CODES),
    example: 'api_key_invalid',
    description: 'Error code for programs.',
  })
  code: string;

  @ApiProperty({
    example: '019a8b5e-7c1f-7000-8000-000000000009',
    maxLength: 128,
    description: 'Identifies this request in our logs, like `X-Request-Id`. Send it if you ask us about the error.',
  })
  requestId: string;

  @ApiProperty({
    example: '/docs/errors/api_key_invalid',
    description:
      'Path on this host of the page about this code, with its cause, its fix and an example. It needs no key.',
  })
  helpUrl: string;
}

/** Common members of broken rules and warnings (docs/rules.md#body-rules). */
export abstract class FindingDto {
  @ApiProperty({
    example: '/documents/0/recipient/postcode',
    description:
      'JSON Pointer (RFC 6901) into the request body, or the name of a query parameter, such as `/idType`. Empty for the ' +
      'whole request.',
  })
  pointer: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 0,
    example: 0,
    description: 'Position of the document in `documents`, starting at 0. Null if the problem is not about a document.',
  })
  documentIndex: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: EXAMPLE_REFERENCE_ID,
    description:
      'Document number as submitted. Null if the document has no number, or if the problem does not concern a document.',
  })
  referenceId: string | null;

  @ApiProperty({
    example: 'recipient_postcode_format',
    description: 'Stable rule identifier for programs. New rules may be added.',
  })
  rule: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'use 50480, not 5048',
    description: 'How to fix the problem, with the value to send if it is known. Null if there is no hint.',
  })
  hint: string | null;
}

export class ProblemDto extends FindingDto {
  @ApiProperty({ example: 'must be 5 digits', description: 'Explanation of the problem without the path.' })
  message: string;
}

export const VERIFICATION_STATUSES = ['unverified', 'waiting', 'refused'];

export class NotVerifiedDto {
  @ApiProperty({
    enum: VERIFICATION_STATUSES,
    example: 'waiting',
    description:
      '`unverified`: the profile is incomplete or the appointment was not checked; `waiting`: the operator of this ' +
      'service must decide; `refused`: the operator refused.',
  })
  status: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Why the operator refused; null otherwise.',
  })
  reason: string | null;
}

// Members specific to a code.

export class ValidationFailedDto {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: PROBLEMS_MAX,
    example: ['documents[0].recipient.postcode must be 5 digits'],
    description:
      'All broken rules in the order of the body, each as a sentence that starts with its path. The first is also ' +
      'the `message`.',
  })
  errors: string[];

  @ApiProperty({
    type: [ProblemDto],
    minItems: 1,
    maxItems: PROBLEMS_MAX,
    description: 'The same problems as in `errors`, with separate fields for programs.',
  })
  details: ProblemDto[];
}

abstract class SupplierErrorDto {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: 1,
    example: ["The organisation's supplier profile is incomplete: TIN, MSIC missing"],
    description: 'The `message`.',
  })
  errors: string[];
}

export class SupplierProfileIncompleteDto extends SupplierErrorDto {
  @ApiProperty({
    type: [String],
    minItems: 1,
    example: ['TIN', 'MSIC'],
    description: "The fields that your organisation's profile lacks. The operator of this service adds them.",
  })
  missing: string[];
}

export class SupplierNotVerifiedDto extends SupplierErrorDto {
  @ApiProperty({
    type: () => NotVerifiedDto,
    description: 'The verification of your organisation for its TIN in this environment.',
  })
  verification: NotVerifiedDto;
}

export class InsufficientCreditsDto {
  @ApiProperty({ type: 'integer', minimum: 1, example: 3, description: 'Credits that the request costs.' })
  requiredCredits: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 1,
    description: "Credits that your organisation has, for your key's environment.",
  })
  remainingCredits: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    example: 2,
    description:
      '`requiredCredits` minus `remainingCredits`. Buy at least this many credits, then send the same request again.',
  })
  shortBy: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    example: 3,
    description: 'Number of documents in the request, or 1 for a cancel request.',
  })
  documentCount: number;
}
