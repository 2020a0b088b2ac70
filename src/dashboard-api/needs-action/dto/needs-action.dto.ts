import { ApiProperty, PickType } from '@nestjs/swagger';
import { ListField, TextField } from '../../../http/validation/fields.js';
import { SelectedAttemptDto, TransactionRowDto } from '../../transactions/dto/transaction-row.dto.js';

export const DISMISSED_AT_ONCE_MAX = 100;
const REASON_CHARACTERS_MAX = 300;

class NamedDocumentDto extends PickType(TransactionRowDto, ['transactionId', 'referenceId']) {}

export class CauseDto {
  @ApiProperty({
    type: String,
    example: 'buyer_tin_invalid:/recipient/tin',
    description: 'Names the cause, for the list of its documents.',
  })
  cause: string;

  @ApiProperty({ type: String, example: 'buyer_tin_invalid' })
  code: string;

  @ApiProperty({ type: String, nullable: true, description: 'Where it is, in words.' })
  field: string | null;

  @ApiProperty({ type: String, description: 'What is wrong, as the latest of them says it.' })
  message: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The code that the authority refused in the latest of them.',
  })
  sentValue: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'How to fix it.' })
  hint: string | null;

  @ApiProperty({ type: String, nullable: true, description: "The authority's own code." })
  authorityCode: string | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'How many documents failed by it.' })
  documents: number;

  @ApiProperty({ type: NamedDocumentDto, isArray: true, description: 'The latest of them.' })
  examples: NamedDocumentDto[];
}

export class NeedsActionDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Documents that need action.' })
  documents: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Documents that somebody dismissed.' })
  dismissed: number;

  @ApiProperty({ type: 'integer', description: 'How many are counted at most, the latest first.' })
  countedMax: number;

  @ApiProperty({ type: CauseDto, isArray: true, description: 'Why they failed, the cause of most documents first.' })
  causes: CauseDto[];
}

export class DismissDto {
  @ListField(() => SelectedAttemptDto, {
    description: 'Documents whose last attempt failed.',
    ruleScope: 'documents',
    minItems: 1,
    maxItems: DISMISSED_AT_ONCE_MAX,
  })
  documents: SelectedAttemptDto[];

  @TextField({
    description: 'Why they need no action. The audit log keeps it.',
    example: 'Replaced by a paper invoice before go-live',
    maxLength: REASON_CHARACTERS_MAX,
  })
  reason: string;
}

export class DismissedDto {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'How many were dismissed; those submitted again or dismissed meanwhile were not.',
  })
  dismissed: number;
}
