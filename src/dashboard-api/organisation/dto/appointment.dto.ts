import { ApiProperty } from '@nestjs/swagger';
import { InstantField } from '../../../common/response-fields.js';

export class AppointmentProblemDto {
  @ApiProperty({ type: String, description: 'What stands in the way.' })
  message: string;

  @ApiProperty({ type: String, description: 'What to do about it, and who can.' })
  fix: string;
}

export class AppointmentDto {
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the authority lets the service act for the organisation; null when it gave no verdict.',
  })
  isAppointed: boolean | null;

  @InstantField('When the authority said so, or gave no verdict.')
  checkedAt: Date;

  @ApiProperty({ type: AppointmentProblemDto, isArray: true })
  problems: AppointmentProblemDto[];

  @ApiProperty({ type: String, nullable: true, description: "The authority's own words; null when it said nothing." })
  authorityMessage: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Seconds to wait before another try makes sense; null when there is nothing to wait for.',
  })
  retryAfterSeconds: number | null;
}
