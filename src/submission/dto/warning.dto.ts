import { ApiProperty } from '@nestjs/swagger';
import { WARNINGS_LISTED_MAX, type Warning } from '../warnings.js';

export class WarningDto implements Warning {
  @ApiProperty({ example: '/documents/0/referenceID', description: 'JSON Pointer into the request body.' })
  pointer: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 0 })
  documentIndex: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'INV-2026-0001' })
  referenceId: string | null;

  @ApiProperty({ example: 'member_unknown', description: 'Stable identifier of the warning; new ones may be added.' })
  rule: string;

  @ApiProperty({ example: 'documents[0].referenceID is not a known field and was ignored' })
  message: string;

  @ApiProperty({ type: String, nullable: true, example: 'did you mean referenceId?' })
  hint: string | null;
}

/** What every answer of submit says about the body that it took. */
export class WarnedDto {
  @ApiProperty({
    type: [WarningDto],
    maxItems: WARNINGS_LISTED_MAX,
    description: 'What was ignored, or will probably be refused by the authority. Empty when there is nothing.',
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
