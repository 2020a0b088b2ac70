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
    description: 'Value of the parameter `cause` of the document list.',
  })
  cause: string;

  @ApiProperty({ type: String, example: 'buyer_tin_invalid' })
  code: string;

  @ApiProperty({ type: String, nullable: true, description: 'Name of the field.' })
  field: string | null;

  @ApiProperty({ type: String, description: 'Error of the latest document.' })
  message: string;

  @ApiProperty({ type: String, nullable: true, description: 'Code that the authority refused in the latest document.' })
  sentValue: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'How to fix the error.' })
  hint: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Error code of the authority.' })
  authorityCode: string | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of failed documents.' })
  documents: number;

  @ApiProperty({ type: NamedDocumentDto, isArray: true, description: 'Latest documents with this cause.' })
  examples: NamedDocumentDto[];
}

export class NeedsActionDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of documents that need action.' })
  documents: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of dismissed documents.' })
  dismissed: number;

  @ApiProperty({ type: 'integer', description: 'Maximum of each count. Only the latest documents are counted.' })
  countedMax: number;

  @ApiProperty({ type: CauseDto, isArray: true, description: 'Causes, most frequent first.' })
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
    description: 'Why the documents need no action. The reason is stored in the audit log.',
    example: 'Replaced by a paper invoice before go-live',
    maxLength: REASON_CHARACTERS_MAX,
  })
  reason: string;
}

export class DismissedDto {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of dismissed documents, without those that were resubmitted or dismissed meanwhile.',
  })
  dismissed: number;
}
