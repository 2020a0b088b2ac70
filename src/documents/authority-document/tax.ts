import { type Decimal, ZERO, decimalOf } from '../../common/decimal.js';
import type { LineItem } from '../simplified-document.js';
import type { LineCodes } from './line-defaults.js';
import { roundedToSen } from '../rounding.js';
import { type Source, type UblNode, type UblObject, amount, constant, element } from './ubl.js';

const HUNDRED = decimalOf(100);

type TaxCategory = Pick<LineCodes, 'taxType' | 'taxExemptionReason'>;

export interface TaxSubtotal extends TaxCategory {
  readonly taxableAmount: Decimal;
  readonly taxAmount: Decimal;
}

/** A line's own tax. A fixed-rate tax is sent as the percentage it amounts to: the payload carries no rate (D7). */
export function lineTax(line: LineItem, codes: LineCodes, from: string): UblNode {
  const taxAmount = amount(line.taxAmount, `${from}/taxAmount`);
  return [
    {
      TaxAmount: taxAmount,
      TaxSubtotal: [
        {
          TaxableAmount: amount(line.lineTotal, `${from}/lineTotal`),
          TaxAmount: taxAmount,
          Percent: element(percentOf(line), `${from}/taxAmount`),
          TaxCategory: taxCategory(codes, `${from}/taxType`, `${from}/taxExemptionReason`),
        },
      ],
    },
  ];
}

/** One subtotal per tax type, in the order of the codes whatever the order of the lines. */
export function documentTax(total: number, subtotals: readonly TaxSubtotal[]): UblNode {
  return [{ TaxAmount: amount(total, FROM_LINES), TaxSubtotal: subtotals.map(taxSubtotal) }];
}

const FROM_LINES = '/lineItems';

function taxSubtotal(subtotal: TaxSubtotal): UblObject {
  return {
    TaxableAmount: amount(subtotal.taxableAmount, FROM_LINES),
    TaxAmount: amount(subtotal.taxAmount, FROM_LINES),
    TaxCategory: taxCategory(subtotal, FROM_LINES, FROM_LINES),
  };
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
function percentOf({ taxAmount, lineTotal }: LineItem): number | Decimal {
  if (lineTotal === 0) return 0;
  // Multiplied first: the quotient is cut at 20 decimals, and so stays exact where a half decides the rounding.
  const exact = (): Decimal => decimalOf(taxAmount).times(HUNDRED).div(decimalOf(lineTotal));
  return roundedToSen((taxAmount * 100) / lineTotal, exact);
}

function taxCategory(category: TaxCategory, typeFrom: Source, reasonFrom: Source): UblNode {
  return [
    {
      ID: element(category.taxType, typeFrom),
      TaxExemptionReason: element(category.taxExemptionReason, reasonFrom),
      TaxScheme: TAX_SCHEME,
    },
  ];
}

const TAX_SCHEME: UblNode = [{ ID: constant('OTH', { schemeID: 'UN/ECE 5153', schemeAgencyID: '6' }) }];
