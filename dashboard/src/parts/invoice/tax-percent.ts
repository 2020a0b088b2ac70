import { roundShare, roundSum } from './exact-amount.js';

/** Percentages in the order in which the service tries them (docs/rules.md). */
const USUAL_PERCENTS = [0, 5, 6, 8, 10];
const PARTS_OF_PERCENT = [1, 2, 4];

/** Line whose tax has a percentage: not exempt, not taxed per unit, and with a total other than 0. */
export interface TaxedLine {
  readonly taxType: string;
  readonly total: number;
  readonly tax: number;
  /** Null for a tax that was typed as an amount. */
  readonly rate: number | null;
}

/** Tax type of a line without tax. */
const NOT_APPLICABLE = '06';
/** Placeholder for the default tax type of the profile. */
const DEFAULT_TYPE = '';

/**
 * Returns the tax percentage that the document will state for a line. Returns null if there is none or if it depends on
 * the default tax type, which the form does not know.
 */
export function computePercent(own: TaxedLine, lines: readonly TaxedLine[]): number | null {
  if (own.rate !== null || own.tax === 0) return null;
  const types = new Set(lines.map(chooseType).filter((type) => type !== NOT_APPLICABLE));
  if (types.size > 1 && types.has(DEFAULT_TYPE)) return null;
  const ofType = lines.filter((line) => chooseType(line) === chooseType(own));
  return findCommonPercent(ofType) ?? findCommonPercent([own]) ?? roundShare(own.tax, own.total);
}

function chooseType({ taxType, tax, rate }: TaxedLine): string {
  if (taxType !== '') return taxType;
  return tax === 0 && (rate ?? 0) === 0 ? NOT_APPLICABLE : DEFAULT_TYPE;
}

function findCommonPercent(lines: readonly TaxedLine[]): number | undefined {
  const nearest = lines.map(({ tax, total }) => {
    const quotient = (100 * Math.round(tax * 100)) / Math.round(total * 100);
    return PARTS_OF_PERCENT.map((parts) => Math.round(quotient * parts) / parts);
  });
  const candidates = [
    ...USUAL_PERCENTS,
    ...PARTS_OF_PERCENT.flatMap((_, position) => nearest.map((ofLine) => ofLine[position])),
  ];
  return candidates.find((percent) =>
    lines.every(({ total, tax, rate }) =>
      rate === null ? roundSum([total, percent, 0.01]) === tax : percent === rate,
    ),
  );
}
