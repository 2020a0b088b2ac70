import { AmountField, TextField } from '../../http/validation/fields.js';
import { classificationHint, taxTypeHint, unitHint } from '../code-hints.js';

// Prevents readers from making a negative amount positive, which would charge a deposit instead of deducting it.
const REDUCTION_OR_RETURN =
  'put a reduction into discount or totalDiscountAmount, and a return into a credit note, whose amounts are positive';
const REMARK = 'leave a line without quantity and price out';
const NO_QUANTITY = `send 1 if the price is for the whole line; ${REMARK}; send a free item with its quantity and the unitPrice 0`;
const NO_UNIT_TAX = 'leave it out, and taxUnitCount too, unless the line has a tax by unit';
// Prevents readers from leaving out taxUnitCount alone, which would tax every unit.
const NO_TAXED_UNIT =
  'if no unit is taxed, leave taxPerUnit and taxUnitCount out; otherwise send the number of taxed units';

function orZero(ifZero: string, ifNegative: string): (value: number) => string {
  return (value) => (value === 0 ? ifZero : ifNegative);
}

const TAX_RATE = {
  example: 8,
  decimals: 2,
  minimum: 0,
  maximum: 100,
  unit: 'percent',
  minimumHint: () => 'a rate is not negative; send the tax of a reduced line as taxAmount, without the rate',
  // Without an explanation, readers take an amount in MYR for a rate.
  maximumHint: 'send the rate in percent, such as 8; send a tax in MYR as taxAmount, without the rate',
  roundingHint: 'if that changes the tax, send the tax as taxAmount, without the rate',
  required: false,
} as const;

export class LineItemDto {
  @TextField({
    label: 'description',
    description: 'Description of the goods or services.',
    example: 'Consulting',
    maxLength: 300,
    layout: 'paragraph',
  })
  description: string;

  @AmountField({
    label: 'quantity',
    description: 'Quantity.',
    example: 2,
    missingHint: `send how many units were sold; 1 if the price is for the whole line; ${REMARK}`,
    decimals: 5,
    minimum: 0,
    isMinimumExcluded: true,
    minimumHint: orZero(NO_QUANTITY, REDUCTION_OR_RETURN),
    unit: 'units',
  })
  quantity: number;

  @AmountField({
    label: 'unit price',
    description: 'Price of one unit in MYR.',
    example: 100,
    missingHint: `send the price of one unit before tax; 0 if it is given away; ${REMARK}`,
    decimals: 5,
    minimum: 0,
    minimumHint: () => REDUCTION_OR_RETURN,
    roundingHint: 'if that changes the line total, send the price of 1,000 units and a thousandth of the quantity',
  })
  unitPrice: number;

  @AmountField({
    label: 'discount',
    description: 'Discount on the line in MYR, at most quantity × unitPrice. Default: 0.',
    example: 10,
    decimals: 2,
    minimum: 0,
    minimumHint: () => 'a discount is sent as a positive amount; a surcharge is a line with its own price',
    required: false,
  })
  discount?: number;

  @AmountField({
    label: 'line total',
    description:
      'Line extension amount in MYR before tax, within 0.01 of quantity × unitPrice − discount. Computed if omitted.',
    example: 190,
    decimals: 2,
    minimum: 0,
    minimumHint: () => REDUCTION_OR_RETURN,
    required: false,
  })
  lineTotal?: number;

  @AmountField({
    label: 'tax amount',
    description:
      'Tax on the line in MYR, within 0.01 of the tax computed from taxRate or taxPerUnit. If omitted, the computed tax, or 0. For tax type `E`, the tax that would have been due, which totals exclude.',
    example: 15.2,
    decimals: 2,
    minimum: 0,
    minimumHint: () =>
      'after a reduction, send the lower tax of the line that it reduces; a return goes into a credit note, whose ' +
      'amounts are positive',
    required: false,
  })
  taxAmount?: number;

  @AmountField({
    label: 'tax rate',
    ...TAX_RATE,
    description: 'Tax rate in percent. If omitted, a rate that matches the taxes of all lines.',
    alias: 'tax_rate',
  })
  taxRate?: number;

  @AmountField({ ...TAX_RATE, description: 'Tax rate.', aliasOf: 'taxRate' })
  tax_rate?: number;

  @AmountField({
    label: 'tax per unit',
    description: 'Tax per unit in MYR, if the tax is not a percentage, such as tourism tax per night.',
    example: 10,
    decimals: 5,
    minimum: 0,
    isMinimumExcluded: true,
    minimumHint: orZero(NO_UNIT_TAX, REDUCTION_OR_RETURN),
    required: false,
  })
  taxPerUnit?: number;

  @AmountField({
    label: 'taxed units',
    description: 'Number of units taxed by taxPerUnit. Default: the quantity.',
    example: 3,
    decimals: 5,
    minimum: 0,
    isMinimumExcluded: true,
    minimumHint: orZero(NO_TAXED_UNIT, REDUCTION_OR_RETURN),
    unit: 'units',
    required: false,
  })
  taxUnitCount?: number;

  @TextField({
    label: 'tax type',
    description: "Tax type code. Default: `06` without tax, otherwise the supplier's default.",
    example: '02',
    maxLength: 2,
    hint: taxTypeHint,
    required: false,
  })
  taxType?: string;

  @TextField({
    label: 'reason for the exemption',
    description: 'Reason for the exemption. Required for tax type `E`.',
    example: 'Exempted under order 2018',
    maxLength: 300,
    layout: 'paragraph',
    required: false,
  })
  taxExemptionReason?: string;

  @TextField({
    label: 'classification',
    description:
      "Classification code. Default: `004` for consolidated documents, otherwise `022` or the supplier's default.",
    example: '022',
    maxLength: 3,
    hint: classificationHint,
    required: false,
  })
  classification?: string;

  @TextField({
    label: 'unit',
    description: 'UN/ECE unit code. Default: `C62` (one).',
    example: 'C62',
    maxLength: 3,
    hint: unitHint,
    required: false,
  })
  unitCode?: string;
}

/** The optional texts of a line. */
export const LINE_TEXTS = [
  'classification',
  'unitCode',
  'taxType',
  'taxExemptionReason',
] as const satisfies readonly (keyof LineItemDto)[];

export type LineTexts = Readonly<Partial<Record<(typeof LINE_TEXTS)[number], string | null>>>;
