import { ApiProperty } from '@nestjs/swagger';
import type { ShownStatus } from '../shown-status.js';
import { ShownStatusField } from './transaction-row.dto.js';

export class StatusCountDto {
  @ShownStatusField()
  status: ShownStatus;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 4000, description: 'How many were counted.' })
  documents: number;

  @ApiProperty({ type: Boolean, description: 'Whether there may be more than were counted.' })
  hasMore: boolean;
}

export class StatusCountsDto {
  @ApiProperty({ type: StatusCountDto, isArray: true, description: 'One of each status.' })
  counts: readonly StatusCountDto[];
}
