import { ApiProperty } from '@nestjs/swagger';
import { PROBLEMS_MAX } from '../api-error.js';
import { FindingDto } from './finding.dto.js';

/** Body of every error (docs/rules.md#error-responses). */
export class ErrorDto {
  @ApiProperty({
    example: 'The API key is unknown, or the request has two different keys.',
    description: 'What is wrong, as text. The wording may change: programs use `code`.',
  })
  message: string;

  @ApiProperty({
    example: 'api_key_invalid',
    pattern: '^[a-z][a-z0-9_]*$',
    description: 'Stable code, listed in docs/errors.md with its fix; new ones may be added.',
  })
  code: string;

  @ApiProperty({
    example: '019a8b5e-7c1f-7000-8000-000000000009',
    maxLength: 128,
    description:
      'Identifies this request in our logs; the same as `X-Request-Id`. Send it when you ask us about the error.',
  })
  requestId: string;
}

export class ProblemDto extends FindingDto {
  @ApiProperty({ example: 'must be 5 digits', description: 'What is wrong, as text without the path.' })
  message: string;
}

export class NotVerifiedDto {
  @ApiProperty({
    enum: ['unverified', 'waiting', 'refused'],
    example: 'waiting',
    description:
      '`unverified`: the profile or the check of the appointment is missing; `waiting`: for the operator of this ' +
      'service; `refused`: by the operator.',
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

export class ValidationErrorDto extends ErrorDto {
  @ApiProperty({
    required: false,
    type: [String],
    maxItems: PROBLEMS_MAX,
    example: ['documents[0].recipient.postcode must be 5 digits'],
    description:
      'With `validation_failed`: every broken rule as one sentence that starts with its path, in the order of the body; ' +
      'the first is also the `message`. With `supplier_profile_incomplete` and `supplier_not_verified`: the message.',
  })
  errors?: string[];

  @ApiProperty({
    required: false,
    type: [ProblemDto],
    maxItems: PROBLEMS_MAX,
    description: 'With `validation_failed`: the same problems as in `errors`, with separate fields for programs.',
  })
  details?: ProblemDto[];

  @ApiProperty({
    required: false,
    type: [String],
    example: ['TIN', 'MSIC'],
    description:
      "With `supplier_profile_incomplete`: the fields that your organisation's profile lacks. The operator of this service adds them.",
  })
  missing?: string[];

  @ApiProperty({
    required: false,
    type: () => NotVerifiedDto,
    description: 'With `supplier_not_verified`: the verification of your organisation for its TIN in this environment.',
  })
  verification?: NotVerifiedDto;
}

export class InsufficientCreditsDto extends ErrorDto {
  @ApiProperty({ type: 'integer', minimum: 1, example: 3, description: 'Credits that the request costs.' })
  requiredCredits: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 1,
    description: 'Credits that your organisation has, for both environments together.',
  })
  remainingCredits: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    example: 2,
    description: '`requiredCredits` less `remainingCredits`: buy at least this many, then send the same request again.',
  })
  shortBy: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    example: 3,
    description: 'Number of documents in the request; 1 for a cancel.',
  })
  documentCount: number;
}
