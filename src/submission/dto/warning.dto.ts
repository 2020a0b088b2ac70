import { ApiProperty } from '@nestjs/swagger';
import { FindingDto } from '../../common/dto/finding.dto.js';
import { WARNINGS_LISTED_MAX, type Warning } from '../warnings.js';

// The same fields with other examples.
export class WarningDto extends FindingDto implements Warning {
  @ApiProperty({ example: '/documents/0/recipient/postCode' })
  override pointer: string;

  @ApiProperty({ example: 'member_unknown' })
  override rule: string;

  @ApiProperty({ type: String, example: 'did you mean postcode?' })
  override hint: string | null;

  @ApiProperty({
    example: 'documents[0].recipient.postCode is not a known field and was ignored',
    description: 'What was noticed, for people; starts with the path.',
  })
  message: string;
}

/** What every answer of submit says about the body that it took. */
export class WarnedDto {
  @ApiProperty({
    type: [WarningDto],
    maxItems: WARNINGS_LISTED_MAX,
    example: [],
    description:
      'What was ignored, or will probably be refused by the authority. Empty when there is nothing. The documents are ' +
      'taken all the same.',
  })
  warnings: readonly WarningDto[];

  @ApiProperty({
    type: 'integer',
    required: false,
    minimum: 1,
    example: 3,
    description: `How many warnings there are beside the ${WARNINGS_LISTED_MAX} that are listed; only when there are more.`,
  })
  warningsNotListed?: number;
}
