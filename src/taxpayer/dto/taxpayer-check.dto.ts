import { ApiProperty } from '@nestjs/swagger';

export type TaxpayerCheckReason = 'malformed' | 'general' | 'not_found';
const TAXPAYER_CHECK_REASONS: readonly TaxpayerCheckReason[] = ['malformed', 'general', 'not_found'];

export class TaxpayerCheckDto {
  @ApiProperty({ example: 'C25845632020', description: 'The TIN as the authority writes it: upper case, no spaces.' })
  tin: string;

  @ApiProperty({ example: true, description: 'Whether the authority knows the TIN together with the id.' })
  valid: boolean;

  @ApiProperty({
    type: String,
    enum: [...TAXPAYER_CHECK_REASONS, null],
    nullable: true,
    example: null,
    description:
      '`malformed`: no TIN looks like this; `general`: one of the general TINs `EI00000000010` to `EI00000000040`; ' +
      '`not_found`: the authority does not know the pair. Null when the authority confirmed it.',
  })
  reason: TaxpayerCheckReason | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    example: '2026-11-20T08:00:00.000Z',
    description: 'When the authority gave this verdict, or the service for `malformed` and `general`.',
  })
  checkedAt: string;

  @ApiProperty({
    example: false,
    description: 'From an earlier check: valid ones are kept for 24 hours, others for 5 minutes.',
  })
  cached: boolean;
}
