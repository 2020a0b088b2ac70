import { type Decimal, toDecimal, divideRounded, roundMoney, toRinggit, toSen } from '../common/decimal.js';
import type { LineCodes } from './authority-document/line-defaults.js';
import type { LineItem } from './simplified-document.js';

// Percentages that documents state for the tax of a line (docs/rules.md#tax-rate).

type Taxed = Pick<LineItem, 'taxAmount' | 'lineTotal'>;

interface TypedLine {
  readonly line: LineItem;
  readonly codes: Pick<LineCodes, 'taxType'>;
}

/** Rates in use in Malaysia, which precede the percentages nearest to the quotient. */
const USUAL_PERCENTS: readonly number[] = [0, 5, 6, 8, 10];

const PARTS_OF_PERCENT: readonly number[] = [1, 2, 4];

const HUNDRED = toDecimal(100);

// A percentage with two decimals is a whole number of ten-thousandths.
const WHOLE = 10_000;
const PERCENT_UNITS = WHOLE / 100;

/** Returns round2(lineTotal × percent ÷ 100) in ringgit, for a percentage with at most two decimals. */
export function computeTax(lineTotal: number, percent: number): number {
  const product = toSen(lineTotal) * toSen(percent);
  if (Number.isSafeInteger(product)) return toRinggit(divideRounded(product, WHOLE));
  return Number(roundMoney(toDecimal(lineTotal).times(toDecimal(percent)).div(HUNDRED)));
}

/**
 * Returns the percentage of each line: the stated rate, else the first candidate that gives the tax of all lines of the
 * type, else the first that gives the tax of the line, else the quotient. Returns null for a tax per unit, and for
 * exempted tax without a stated rate.
 */
export function choosePercents(lines: readonly TypedLine[]): (number | Decimal | null)[] {
  const commonByType = findCommonPercents(lines);
  return lines.map(({ line, codes }) => {
    if (line.taxRate !== undefined) return line.taxRate;
    if (!isRateDerived(line)) return null;
    if (line.lineTotal === 0) return 0;
    return commonByType.get(codes.taxType) ?? findPercent(line) ?? computeQuotient(line);
  });
}

export function findPercent(line: Taxed): number | undefined {
  return USUAL_PERCENTS.find(isFor(line)) ?? (line.lineTotal === 0 ? undefined : listNearest(line).find(isFor(line)));
}

export function computeQuotient({ taxAmount, lineTotal }: Taxed): number | Decimal {
  if (lineTotal === 0) return 0;
  const dividend = toSen(taxAmount) * WHOLE;
  if (Number.isSafeInteger(dividend)) return divideRounded(dividend, toSen(lineTotal)) / PERCENT_UNITS;
  // The 20 decimals of big.js are enough to round amounts below 10^13 correctly.
  return roundMoney(toDecimal(taxAmount).times(HUNDRED).div(toDecimal(lineTotal)));
}

function findCommonPercents(lines: readonly TypedLine[]): ReadonlyMap<string, number | undefined> {
  const linesByType = new Map<string, LineItem[]>();
  for (const { line, codes } of lines) {
    // Any percentage gives the tax of a line total of 0.
    if (!isRateDerived(line) || line.lineTotal === 0) continue;
    const ofType = linesByType.get(codes.taxType);
    if (ofType === undefined) linesByType.set(codes.taxType, [line]);
    else ofType.push(line);
  }
  return new Map(Array.from(linesByType, ([taxType, ofType]) => [taxType, findCommonPercent(ofType)]));
}

function findCommonPercent(lines: readonly LineItem[]): number | undefined {
  const nearest = lines.map(listNearest);
  const candidates = new Set([
    ...USUAL_PERCENTS,
    ...PARTS_OF_PERCENT.flatMap((_, position) => nearest.map((ofLine) => ofLine[position])),
  ]);
  return lines.reduce((left, line) => left.filter(isFor(line)), [...candidates]).at(0);
}

function listNearest({ taxAmount, lineTotal }: Taxed): number[] {
  const quotient = (100 * toSen(taxAmount)) / toSen(lineTotal);
  return PARTS_OF_PERCENT.map((parts) => Math.round(quotient * parts) / parts);
}

/** Tests whether a percentage is the stated rate of the line or, without one, gives its tax. */
function isFor({ taxRate, taxAmount, lineTotal }: Taxed & Pick<LineItem, 'taxRate'>): (percent: number) => boolean {
  return (percent) => (taxRate === undefined ? computeTax(lineTotal, percent) === taxAmount : percent === taxRate);
}

function isRateDerived({ unitTax, exemptedTaxAmount }: LineItem): boolean {
  return unitTax === undefined && exemptedTaxAmount === undefined;
}
