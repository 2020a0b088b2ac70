import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../../validation/fields.js';
import { OrderDto } from '../../credits/dto/credits.dto.js';
import { PageOf } from '../../cursor.js';

const REASON_CHARACTERS_MAX = 500;

export class OperatorOrderDto extends OrderDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String, description: "The organisation's name." })
  organisation: string;
}

export class OperatorOrdersDto extends PageOf(OperatorOrderDto) {}

export class ConfirmOrderDto {
  @TextField({
    description: 'Last day in Malaysia on which the credits can be spent; twelve months from today when left out.',
    example: '2027-12-31',
    required: false,
    maxLength: 10,
  })
  lastDay?: string;
}

export class RefuseOrderDto {
  @TextField({
    description: 'Why, for the organisation to read.',
    example: 'No payment with this reference has arrived',
    maxLength: REASON_CHARACTERS_MAX,
    layout: 'paragraph',
  })
  reason: string;
}
