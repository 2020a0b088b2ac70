import { ApiProperty } from '@nestjs/swagger';
import { ID_TYPES, type IdType } from '../../documents/identity.js';
import { ChosenField, InstantField } from '../../common/response-fields.js';

export type TaxpayerCheckReason = 'malformed' | 'general' | 'not_found';
export const TAXPAYER_CHECK_REASONS: readonly TaxpayerCheckReason[] = ['malformed', 'general', 'not_found'];

export class TaxpayerCheckDto {
  @ApiProperty({ example: 'C25845632020', description: 'The TIN as the authority writes it: upper case, no spaces.' })
  tin: string;

  @ChosenField(ID_TYPES, {
    nullable: true,
    example: 'BRN',
    description: 'Scheme of the id that was checked. Null for `malformed` and `general`, for which no id is checked.',
  })
  idType: IdType | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '201901234567',
    description:
      'The id that was checked: the one sent, or that of your latest document to the TIN. Null like `idType`.',
  })
  idValue: string | null;

  @ApiProperty({ example: true, description: 'Whether the authority knows the TIN together with the id.' })
  valid: boolean;

  @ChosenField(TAXPAYER_CHECK_REASONS, {
    nullable: true,
    example: null,
    description:
      '`malformed`: the form of a TIN is different; `general`: one of the general TINs `EI00000000010` to `EI00000000040`; ' +
      '`not_found`: the authority does not know the pair. Null when the authority confirmed it.',
  })
  reason: TaxpayerCheckReason | null;

  @InstantField('When the authority gave this verdict, or the service for `malformed` and `general`.')
  checkedAt: string;

  @ApiProperty({
    example: false,
    description:
      'Whether the verdict is from an earlier check: valid ones are kept for 24 hours, others for 5 minutes.',
  })
  cached: boolean;
}
