import { ApiProperty } from '@nestjs/swagger';
import { WarningDto } from '../../validation/warning.dto.js';
import { WARNINGS_LISTED_MAX } from '../../validation/warning-list.js';

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
