import { ApiProperty } from '@nestjs/swagger';
import { PROBLEMS_MAX } from '../api-error.js';
import { FindingDto } from './finding.dto.js';

/** Body of every error (docs/rules.md#error-responses). */
export class ErrorDto {
  @ApiProperty({
    example: 'The API key is not known, or two different ones were sent.',
    description: 'What is wrong, for people. The wording may change; programs go by `code`.',
  })
  message: string;

  @ApiProperty({
    example: 'api_key_invalid',
    pattern: '^[a-z][a-z0-9_]*$',
    description: 'Stable code, listed in docs/errors.md with what to do about it; new ones may be added.',
  })
  code: string;

  @ApiProperty({
    example: '019a8b5e-7c1f-7000-8000-000000000009',
    maxLength: 128,
    description:
      'Names this call in our logs; the same as in `X-Request-Id`. Quote it when you ask us about the error.',
  })
  requestId: string;
}

export class ProblemDto extends FindingDto {
  @ApiProperty({ example: 'must be 5 digits', description: 'What is wrong there, for people, without the path.' })
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
    description: 'With `validation_failed`: the same as `errors`, one by one, for programs.',
  })
  details?: ProblemDto[];

  @ApiProperty({
    required: false,
    type: [String],
    example: ['TIN', 'MSIC'],
    description:
      "With `supplier_profile_incomplete`: what your organisation's profile lacks. The operator of this service adds it.",
  })
  missing?: string[];

  @ApiProperty({
    required: false,
    type: () => NotVerifiedDto,
    description: 'With `supplier_not_verified`: where your organisation stands with its TIN in this environment.',
  })
  verification?: NotVerifiedDto;
}

export class InsufficientCreditsDto extends ErrorDto {
  @ApiProperty({ type: 'integer', minimum: 1, example: 3, description: 'What the call costs, in credits.' })
  requiredCredits: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 1,
    description: 'What your organisation has, in credits, over both environments.',
  })
  remainingCredits: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    example: 2,
    description: '`requiredCredits` less `remainingCredits`: buy at least so many, then send the call again as it is.',
  })
  shortBy: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    example: 3,
    description: 'How many documents the call is about; 1 for a cancel.',
  })
  documentCount: number;
}
