import { ApiProperty, PickType } from '@nestjs/swagger';
import { DocumentDto } from '../../../documents/dto/document.dto.js';
import { LINE_TEXTS, LineItemDto } from '../../../documents/dto/line-item.dto.js';
import { RecipientDto } from '../../../documents/dto/recipient.dto.js';
import { ID_TYPES, type IdType } from '../../../documents/identity.js';
import { ChoiceField, TextField } from '../../../http/validation/fields.js';

const ID_TEXT_MAX = 50;

/** Members that a form copies from an earlier line. */
export const SOLD_ITEM_MEMBERS = ['description', 'unitPrice', ...LINE_TEXTS] as const;

export class SoldItemDto extends PickType(LineItemDto, SOLD_ITEM_MEMBERS) {
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 8,
    description: 'Tax in percent; null without tax or if the tax is not a percentage.',
  })
  taxPercent: number | null;
}

export class RememberedDto {
  @ApiProperty({ type: RecipientDto, isArray: true, description: 'Buyers of valid invoices, latest first.' })
  buyers: RecipientDto[];

  @ApiProperty({ type: SoldItemDto, isArray: true, description: 'Items of valid invoices, latest first.' })
  items: SoldItemDto[];
}

export class NextNumberDto extends PickType(DocumentDto, ['documentType', 'referenceId']) {}

export class TinCheckDto {
  @TextField({ description: 'TIN to check.', example: 'C9876543210', maxLength: ID_TEXT_MAX, layout: 'paragraph' })
  tin: string;

  @ChoiceField({ description: 'Type of the id.', example: 'BRN', choices: ID_TYPES })
  idType: IdType;

  @TextField({ description: 'Number of the id.', example: '202001234567', maxLength: ID_TEXT_MAX, layout: 'paragraph' })
  idValue: string;
}
