import { ApiProperty } from '@nestjs/swagger';
import { AMOUNT_LIMIT } from './decimal.js';

function Ringgit(description: string, example: number): PropertyDecorator {
  return ApiProperty({
    type: Number,
    minimum: 0,
    maximum: AMOUNT_LIMIT,
    exclusiveMaximum: true,
    example,
    description: `${description} Ringgit (MYR), at most two decimals.`,
  });
}

export class TotalsDto {
  @Ringgit('Σ line totals less `totalDiscountAmount`.', 190)
  totalExcludingTax: number;

  @Ringgit('Σ line taxes.', 15.2)
  totalTaxAmount: number;

  @Ringgit('`totalExcludingTax` plus `totalTaxAmount`.', 205.2)
  totalIncludingTax: number;

  @Ringgit('`totalIncludingTax` plus `totalRoundingAmount`.', 205.2)
  totalPayableAmount: number;
}
