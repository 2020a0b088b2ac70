import { ApiProperty } from '@nestjs/swagger';
import type { Warning } from './warning-list.js';
import { FindingDto } from '../../errors/dto/error.dto.js';

export class WarningDto extends FindingDto implements Warning {
  @ApiProperty({ example: '/documents/0/recipient/postCode' })
  override pointer: string;

  @ApiProperty({ example: 'member_unknown' })
  override rule: string;

  @ApiProperty({ type: String, example: 'did you mean postcode?' })
  override hint: string | null;

  @ApiProperty({
    example: 'documents[0].recipient.postCode is not a known field and was ignored',
    description: 'The warning as text; starts with the path.',
  })
  message: string;
}
