import { type Decimal, toRinggit, toSen } from '../../common/decimal.js';
import type { LineItem, UnitTax } from '../simplified-document.js';
import { type LineCodes, UNIT_ONE } from './line-defaults.js';
import { type Source, type UblNode, type UblObject, amount, constant, element, fixed } from './ubl.js';

type TaxCategory = Pick<LineCodes, 'taxType' | 'taxExemptionReason'>;

export interface TaxSubtotal extends TaxCategory {
  /** In sen. */
  readonly taxable: number;
  readonly tax: number;
}

export interface BuiltLine {
  readonly line: LineItem;
  readonly codes: LineCodes;
  /** Null for a tax per unit, and for exempted tax without a rate. */
  readonly percent: number | Decimal | null;
}

/** The total is the tax that the buyer pays. The subtotal also includes exempted tax (docs/rules.md#exempted-tax). */
export function lineTax(built: BuiltLine, from: string): UblNode {
  const { line, codes } = built;
  return [
    {
      TaxAmount: amount(line.taxAmount, `${from}/taxAmount`),
      TaxSubtotal: [
        {
          TaxableAmount: amount(line.lineTotal, `${from}/lineTotal`),
          TaxAmount: amount(getStatedTax(line), `${from}/taxAmount`),
          ...buildRate(built, from),
          TaxCategory: taxCategory(codes, `${from}/taxType`, `${from}/taxExemptionReason`),
        },
      ],
    },
  ];
}

function getStatedTax({ taxAmount, exemptedTaxAmount }: LineItem): number {
  return exemptedTaxAmount ?? taxAmount;
}

function buildRate({ line, codes, percent }: BuiltLine, from: string): UblObject {
  if (line.unitTax !== undefined) return buildUnitRate(line, line.unitTax, { codes, from });
  if (percent === null) return {};
  return { Percent: element(percent, `${from}/${line.taxRate === undefined ? 'taxAmount' : 'taxRate'}`) };
}

// Follows the order of the authority's sample. Omits the unit code if the taxed units differ from the sold units.
function buildUnitRate(
  line: LineItem,
  unitTax: UnitTax,
  { codes, from }: { codes: LineCodes; from: string },
): UblObject {
  const isLineQuantity = unitTax.unitCount === line.quantity;
  const unitCode = isLineQuantity ? { value: codes.unitCode, from: `${from}/unitCode` } : UNIT_ONE;
  return {
    BaseUnitMeasure: element(unitTax.unitCount, `${from}/${isLineQuantity ? 'quantity' : 'taxUnitCount'}`, {
      unitCode,
    }),
    PerUnitAmount: amount(unitTax.taxPerUnit, `${from}/taxPerUnit`),
  };
}

export function documentTax(total: number, subtotals: readonly TaxSubtotal[]): UblNode {
  return [{ TaxAmount: amount(total, FROM_LINES), TaxSubtotal: subtotals.map(taxSubtotal) }];
}

const FROM_LINES = '/lineItems';

function taxSubtotal(subtotal: TaxSubtotal): UblObject {
  return {
    TaxableAmount: amount(toRinggit(subtotal.taxable), FROM_LINES),
    TaxAmount: amount(toRinggit(subtotal.tax), FROM_LINES),
    TaxCategory: taxCategory(subtotal, FROM_LINES, FROM_LINES),
  };
}

/** Sums the lines by tax type. Each subtotal takes the exemption reason of its first line. */
export function computeTaxSubtotals(lines: readonly { line: LineItem; codes: LineCodes }[]): TaxSubtotal[] {
  const byType = new Map<string, TaxSubtotal>();
  for (const { line, codes } of lines) {
    const { taxType } = codes;
    const earlier = byType.get(taxType);
    byType.set(taxType, {
      taxType,
      taxExemptionReason: earlier ? earlier.taxExemptionReason : codes.taxExemptionReason,
      taxable: (earlier?.taxable ?? 0) + toSen(line.lineTotal),
      tax: (earlier?.tax ?? 0) + toSen(getStatedTax(line)),
    });
  }
  return [...byType.values()].sort((a, b) => (a.taxType < b.taxType ? -1 : 1));
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

const TAX_SCHEME = fixed([{ ID: constant('OTH', { schemeID: 'UN/ECE 5153', schemeAgencyID: '6' }) }]);
