import type { ValidationFinding } from '../documents.js';
import { type UblNode, nodeAt, nodesAt, numberAt, textAt } from '../ubl.js';
import { type ContentValidator, toPropertyPath } from './validator.js';

// Whether the authority adds anything up is not public, and its own samples do not add up: hence a setting, and a code
// of the simulator's own. The formulas are the authority's mathematical mappings; its multi-line sample keeps them.

const totalsCode = 'SIM-TOTALS';
const exemptType = 'E';

/** Doubles and rounding; figures of which the second decimal is the last. */
const sameMax = 0.005;
/** How far a rounded product may be from what it is multiplied of. */
const productMax = 0.0151;

export const validateTotals: ContentValidator = ({ invoice }, settings) => {
  const isOneCurrency = [textAt(invoice, 'DocumentCurrencyCode'), ''].includes(textAt(invoice, 'TaxCurrencyCode'));
  if (!settings.checkTotals || !isOneCurrency) return [];
  const lines = nodesAt(invoice, 'InvoiceLine');
  return [...lines.flatMap(lineFindings), ...taxFindings(invoice, lines), ...monetaryFindings(invoice, lines)];
};

function lineFindings(line: UblNode): ValidationFinding[] {
  const at = (name: string): number => numberAt(line, name) ?? 0;
  const gross = at('Price.PriceAmount') * (numberAt(line, 'InvoicedQuantity') ?? 1);
  const subtotals = nodesAt(line, 'TaxTotal.TaxSubtotal');
  return [
    ...expectSum('InvoiceLine.ItemPriceExtension.Amount', at('ItemPriceExtension.Amount'), gross, productMax),
    ...expectSum(
      'InvoiceLine.LineExtensionAmount',
      at('LineExtensionAmount'),
      at('ItemPriceExtension.Amount') + sumAllowances(line),
      productMax,
    ),
    ...expectSum('InvoiceLine.TaxTotal.TaxAmount', at('TaxTotal.TaxAmount'), chargedTax(subtotals)),
    ...subtotals.flatMap(rateFindings),
  ];
}

/** Of one subtotal of a line: a tax by unit is the product of its two parts, and has no percentage. */
function rateFindings(subtotal: UblNode): ValidationFinding[] {
  const elements = 'InvoiceLine.TaxTotal.TaxSubtotal';
  const [perUnit, units] = [numberAt(subtotal, 'PerUnitAmount'), numberAt(subtotal, 'BaseUnitMeasure')];
  if (perUnit === undefined && units === undefined) return percentFindings(subtotal, elements);
  if (perUnit === undefined || units === undefined || numberAt(subtotal, 'Percent') !== undefined) {
    return [finding(`${elements}.PerUnitAmount`, 'A fixed rate is PerUnitAmount and BaseUnitMeasure, without Percent')];
  }
  return expectSum(`${elements}.TaxAmount`, numberAt(subtotal, 'TaxAmount') ?? 0, perUnit * units, productMax);
}

/**
 * Within what a percentage of two decimals leaves open. Exempted tax may come without any rate, charged tax may not.
 */
function percentFindings(subtotal: UblNode, elements: string): ValidationFinding[] {
  const percent = numberAt(subtotal, 'Percent');
  const tax = numberAt(subtotal, 'TaxAmount') ?? 0;
  if (percent === undefined) {
    const isRateless = isExempt(subtotal) || tax === 0;
    return isRateless ? [] : [finding(`${elements}.Percent`, 'A tax is a percentage or a fixed rate')];
  }
  const taxable = numberAt(subtotal, 'TaxableAmount') ?? 0;
  if (taxable === 0) return [];
  return expectSum(`${elements}.TaxAmount`, tax, (taxable * percent) / 100, productMax + Math.abs(taxable) * 0.00005);
}

function taxFindings(invoice: UblNode, lines: readonly UblNode[]): ValidationFinding[] {
  const subtotals = nodesAt(invoice, 'TaxTotal.TaxSubtotal');
  const lineSubtotals = lines.flatMap((line) => nodesAt(line, 'TaxTotal.TaxSubtotal'));
  const total = numberAt(invoice, 'TaxTotal.TaxAmount') ?? 0;
  const types = new Set([...subtotals, ...lineSubtotals].map(readTaxType));
  return [
    ...expectSum('TaxTotal.TaxAmount', total, chargedTax(subtotals)),
    ...expectSum('TaxTotal.TaxAmount', total, sumAt(lines, 'TaxTotal.TaxAmount')),
    ...[...types].flatMap((type) => {
      const isOfType = (subtotal: UblNode): boolean => readTaxType(subtotal) === type;
      return ['TaxableAmount', 'TaxAmount'].flatMap((name) =>
        expectSum(
          `TaxTotal.TaxSubtotal.${name}`,
          sumAt(subtotals.filter(isOfType), name),
          sumAt(lineSubtotals.filter(isOfType), name),
        ),
      );
    }),
  ];
}

function monetaryFindings(invoice: UblNode, lines: readonly UblNode[]): ValidationFinding[] {
  const at = (name: string): number => numberAt(invoice, `LegalMonetaryTotal.${name}`) ?? 0;
  const net = sumAt(lines, 'LineExtensionAmount');
  const excluding = net + sumAllowances(invoice);
  const including = at('TaxExclusiveAmount') + (numberAt(invoice, 'TaxTotal.TaxAmount') ?? 0);
  const payable = at('TaxInclusiveAmount') - at('PrepaidAmount') + at('PayableRoundingAmount');
  const expected = {
    LineExtensionAmount: net,
    TaxExclusiveAmount: excluding,
    TaxInclusiveAmount: including,
    PayableAmount: payable,
  };
  return Object.entries(expected).flatMap(([name, sum]) => expectSum(`LegalMonetaryTotal.${name}`, at(name), sum));
}

/** The tax that the buyer pays: exempted tax is stated separately. */
function chargedTax(subtotals: readonly UblNode[]): number {
  return sumAt(
    subtotals.filter((subtotal) => !isExempt(subtotal)),
    'TaxAmount',
  );
}

function isExempt(subtotal: UblNode): boolean {
  return readTaxType(subtotal) === exemptType;
}

function readTaxType(subtotal: UblNode): string {
  return textAt(subtotal, 'TaxCategory.ID');
}

/** Charges less discounts. */
function sumAllowances(owner: UblNode): number {
  return nodesAt(owner, 'AllowanceCharge').reduce((sum, allowance) => {
    const isCharge = nodeAt(allowance, 'ChargeIndicator')?._ === true;
    const amount = numberAt(allowance, 'Amount') ?? 0;
    return sum + (isCharge ? amount : -amount);
  }, 0);
}

function sumAt(nodes: readonly UblNode[], path: string): number {
  return nodes.reduce((sum, node) => sum + (numberAt(node, path) ?? 0), 0);
}

function expectSum(elements: string, stated: number, computed: number, offMax = sameMax): ValidationFinding[] {
  // Ten-trillions of ringgit, which doubles count by thousandths, are added up nowhere better.
  if (Math.abs(stated - computed) <= offMax + Math.abs(computed) * 1e-13) return [];
  return [finding(elements, `The amount is ${stated}, and adds up to ${computed.toFixed(2)}`)];
}

function finding(elements: string, message: string): ValidationFinding {
  return { code: totalsCode, message, path: toPropertyPath(elements) };
}
