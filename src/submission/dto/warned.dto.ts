import { ApiProperty } from '@nestjs/swagger';
import { WarningDto } from '../../http/validation/warning.dto.js';
import { WARNINGS_LISTED_MAX } from '../../http/validation/warning-list.js';

export class WarnedDto {
  @ApiProperty({
    type: [WarningDto],
    maxItems: WARNINGS_LISTED_MAX,
    example: [],
    description:
      'Fields that were ignored, and values that the authority will probably reject. Empty if there are none. The ' +
      'documents are accepted regardless.',
  })
  warnings: readonly WarningDto[];

  @ApiProperty({
    type: 'integer',
    required: false,
    minimum: 1,
    example: 3,
    description: `Number of warnings beyond the ${WARNINGS_LISTED_MAX} listed. Absent if all are listed.`,
  })
  warningsNotListed?: number;
}
