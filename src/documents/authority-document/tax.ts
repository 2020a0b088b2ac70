import { type Decimal, ZERO, decimalOf } from '../../common/decimal.js';
import { roundMoney } from '../totals.js';
import type { LineItem } from '../simplified-document.js';
import type { LineCodes } from './line-defaults.js';
import { type UblNode, amount, element } from './ubl.js';

const HUNDRED = decimalOf(100);

type TaxCategory = Pick<LineCodes, 'taxType' | 'taxExemptionReason'>;

export interface TaxSubtotal extends TaxCategory {
  readonly taxableAmount: Decimal;
  readonly taxAmount: Decimal;
}

/** A line's own tax. A fixed-rate tax is sent as the percentage it amounts to: the payload carries no rate (D7). */
export function lineTax(line: LineItem, codes: LineCodes): UblNode[] {
  const taxableAmount = decimalOf(line.lineTotal);
  const taxAmount = decimalOf(line.taxAmount);
  const percent = percentOf(taxAmount, taxableAmount);
  const subtotal = { taxType: codes.taxType, taxExemptionReason: codes.taxExemptionReason, taxableAmount, taxAmount };
  return [{ TaxAmount: amount(taxAmount), TaxSubtotal: [taxSubtotal(subtotal, percent)] }];
}

/** One subtotal per tax type, in the order of the codes whatever the order of the lines. */
export function documentTax(total: Decimal, subtotals: readonly TaxSubtotal[]): UblNode[] {
  return [{ TaxAmount: amount(total), TaxSubtotal: subtotals.map((subtotal) => taxSubtotal(subtotal)) }];
}

/**
 * Lines summed by tax type. A type has one exemption reason in the document's summary, that of its first line; each line
 * carries its own.
 */
export function taxSubtotalsOf(lines: readonly { line: LineItem; codes: LineCodes }[]): TaxSubtotal[] {
  const byType = new Map<string, TaxSubtotal>();
  for (const { line, codes } of lines) {
    const { taxType } = codes;
    const earlier = byType.get(taxType);
    byType.set(taxType, {
      taxType,
      taxExemptionReason: earlier ? earlier.taxExemptionReason : codes.taxExemptionReason,
      taxableAmount: (earlier?.taxableAmount ?? ZERO).plus(decimalOf(line.lineTotal)),
      taxAmount: (earlier?.taxAmount ?? ZERO).plus(decimalOf(line.taxAmount)),
    });
  }
  return [...byType.values()].sort((a, b) => (a.taxType < b.taxType ? -1 : 1));
}

/** round2(tax ÷ taxable × 100), and 0 for a line of 0 (D7). */
export function percentOf(taxAmount: Decimal, taxableAmount: Decimal): Decimal {
  if (taxableAmount.eq(ZERO)) return ZERO;
  // Multiplied first: the quotient is cut at 20 decimals, and so stays exact where a half decides the rounding.
  return roundMoney(taxAmount.times(HUNDRED).div(taxableAmount));
}

function taxSubtotal(subtotal: TaxSubtotal, percent?: Decimal): UblNode {
  return {
    TaxableAmount: amount(subtotal.taxableAmount),
    TaxAmount: amount(subtotal.taxAmount),
    Percent: percent === undefined ? undefined : element(percent),
    TaxCategory: taxCategory(subtotal),
  };
}

function taxCategory(category: TaxCategory): UblNode[] {
  const reason = category.taxExemptionReason;
  return [
    {
      ID: element(category.taxType),
      TaxExemptionReason: reason === null ? undefined : element(reason),
      TaxScheme: [{ ID: element('OTH', { schemeID: 'UN/ECE 5153', schemeAgencyID: '6' }) }],
    },
  ];
}
