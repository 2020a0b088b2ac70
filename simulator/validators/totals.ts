import { type Decimal, absolute, add, formatDecimal, isAbove, multiply, negate, toDecimal, zero } from '../decimal.js';
import type { ValidationFinding } from '../documents.js';
import { type UblNode, nodeAt, nodesAt, numberAt, textAt } from '../ubl.js';
import { type ContentValidator, toPropertyPath } from './validator.js';

// The authority has not published whether it checks sums, and the sums in some of its samples are wrong. The check is
// therefore optional and uses a code of the simulator. The formulas are the authority's mathematical mappings, and its
// multi-line sample follows them.

const totalsCode = 'SIM-TOTALS';
const exemptType = 'E';

/** Tolerance of half a sen, because amounts are rounded to two decimals. */
const sameMax = toDecimal(0.005);
/** Tolerance for products: half a sen for rounding, plus one sen. */
const productMax = toDecimal(0.015);
/** Tolerance of 0.005 %, because percentages are rounded to two decimals. */
const percentMax = toDecimal(0.000_05);

export const validateTotals: ContentValidator = ({ invoice }, settings) => {
  const isOneCurrency = [textAt(invoice, 'DocumentCurrencyCode'), ''].includes(textAt(invoice, 'TaxCurrencyCode'));
  if (!settings.checkTotals || !isOneCurrency) return [];
  const lines = nodesAt(invoice, 'InvoiceLine');
  return [...lines.flatMap(lineFindings), ...taxFindings(invoice, lines), ...monetaryFindings(invoice, lines)];
};

function lineFindings(line: UblNode): ValidationFinding[] {
  const amount = (name: string): Decimal => amountAt(line, name);
  const gross = multiply(amount('Price.PriceAmount'), toDecimal(numberAt(line, 'InvoicedQuantity') ?? 1));
  const subtotals = nodesAt(line, 'TaxTotal.TaxSubtotal');
  return [
    ...expectSum('InvoiceLine.ItemPriceExtension.Amount', amount('ItemPriceExtension.Amount'), gross, productMax),
    ...expectSum(
      'InvoiceLine.LineExtensionAmount',
      amount('LineExtensionAmount'),
      add(amount('ItemPriceExtension.Amount'), sumAllowances(line)),
      productMax,
    ),
    ...expectSum('InvoiceLine.TaxTotal.TaxAmount', amount('TaxTotal.TaxAmount'), chargedTax(subtotals)),
    ...subtotals.flatMap(rateFindings),
  ];
}

/** Checks a tax subtotal of a line. A tax per unit is the product of rate and quantity and has no percentage. */
function rateFindings(subtotal: UblNode): ValidationFinding[] {
  const elements = 'InvoiceLine.TaxTotal.TaxSubtotal';
  const [perUnit, units] = [numberAt(subtotal, 'PerUnitAmount'), numberAt(subtotal, 'BaseUnitMeasure')];
  if (perUnit === undefined && units === undefined) return percentFindings(subtotal, elements);
  if (perUnit === undefined || units === undefined || numberAt(subtotal, 'Percent') !== undefined) {
    return [finding(`${elements}.PerUnitAmount`, 'A fixed rate is PerUnitAmount and BaseUnitMeasure, without Percent')];
  }
  const product = multiply(toDecimal(perUnit), toDecimal(units));
  return expectSum(`${elements}.TaxAmount`, amountAt(subtotal, 'TaxAmount'), product, productMax);
}

/** Checks the tax amount against the percentage. Exempted tax may omit the rate, but charged tax must state one. */
function percentFindings(subtotal: UblNode, elements: string): ValidationFinding[] {
  const percent = numberAt(subtotal, 'Percent');
  const tax = amountAt(subtotal, 'TaxAmount');
  if (percent === undefined) {
    const isRateless = isExempt(subtotal) || tax.units === 0n;
    return isRateless ? [] : [finding(`${elements}.Percent`, 'A tax is a percentage or a fixed rate')];
  }
  const taxable = amountAt(subtotal, 'TaxableAmount');
  if (taxable.units === 0n) return [];
  const share = multiply(multiply(taxable, toDecimal(percent)), toDecimal(0.01));
  const offMax = add(productMax, multiply(absolute(taxable), percentMax));
  return expectSum(`${elements}.TaxAmount`, tax, share, offMax);
}

function taxFindings(invoice: UblNode, lines: readonly UblNode[]): ValidationFinding[] {
  const subtotals = nodesAt(invoice, 'TaxTotal.TaxSubtotal');
  const lineSubtotals = lines.flatMap((line) => nodesAt(line, 'TaxTotal.TaxSubtotal'));
  const total = amountAt(invoice, 'TaxTotal.TaxAmount');
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
  const amount = (name: string): Decimal => amountAt(invoice, `LegalMonetaryTotal.${name}`);
  const net = sumAt(lines, 'LineExtensionAmount');
  const excluding = add(net, sumAllowances(invoice));
  const including = add(amount('TaxExclusiveAmount'), amountAt(invoice, 'TaxTotal.TaxAmount'));
  const prepaid = sumAt(nodesAt(invoice, 'PrepaidPayment'), 'PaidAmount');
  const payable = add(add(amount('TaxInclusiveAmount'), negate(prepaid)), amount('PayableRoundingAmount'));
  const expected = {
    LineExtensionAmount: net,
    TaxExclusiveAmount: excluding,
    TaxInclusiveAmount: including,
    PayableAmount: payable,
  };
  return Object.entries(expected).flatMap(([name, sum]) => expectSum(`LegalMonetaryTotal.${name}`, amount(name), sum));
}

/** Sums the tax that the buyer pays, which excludes exempted tax. */
function chargedTax(subtotals: readonly UblNode[]): Decimal {
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

/** Returns charges minus discounts. */
function sumAllowances(owner: UblNode): Decimal {
  return nodesAt(owner, 'AllowanceCharge')
    .map((allowance) => {
      const amount = amountAt(allowance, 'Amount');
      return nodeAt(allowance, 'ChargeIndicator')?._ === true ? amount : negate(amount);
    })
    .reduce(add, zero);
}

function sumAt(nodes: readonly UblNode[], path: string): Decimal {
  return nodes.map((node) => amountAt(node, path)).reduce(add, zero);
}

function amountAt(node: UblNode, path: string): Decimal {
  return toDecimal(numberAt(node, path) ?? 0);
}

function expectSum(elements: string, stated: Decimal, computed: Decimal, offMax = sameMax): ValidationFinding[] {
  if (!isAbove(absolute(add(stated, negate(computed))), offMax)) return [];
  return [finding(elements, `The amount is ${formatDecimal(stated)}, and adds up to ${formatDecimal(computed)}`)];
}

function finding(elements: string, message: string): ValidationFinding {
  return { code: totalsCode, message, path: toPropertyPath(elements) };
}
