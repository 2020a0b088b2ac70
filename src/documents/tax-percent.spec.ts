import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LineItem } from './simplified-document.js';
import { choosePercents, computeTax, findPercent } from './tax-percent.js';

interface SenLine {
  readonly total: bigint;
  readonly tax: bigint;
  readonly taxType?: string;
}

const ringgit = (sen: bigint): number => Number(`${sen}e-2`);

function buildLine(line: Partial<LineItem>): LineItem {
  const codes = { taxType: null, taxExemptionReason: null, classification: null, unitCode: null };
  return {
    description: 'Goods',
    quantity: 1,
    unitPrice: 1,
    discount: 0,
    lineTotal: 0,
    taxAmount: 0,
    ...codes,
    ...line,
  };
}

function choose(...lines: Partial<LineItem>[]): (number | null)[] {
  const typed = lines.map((line) => ({ line: buildLine(line), codes: { taxType: line.taxType ?? '02' } }));
  return choosePercents(typed).map((percent) => (percent === null ? null : Number(percent)));
}

const taxed = (lineTotal: number, taxAmount: number, more: Partial<LineItem> = {}): Partial<LineItem> => ({
  lineTotal,
  taxAmount,
  ...more,
});

// Independent implementation in whole numbers: sen, and quarters of a percent.

function roundHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

function fits(quarters: bigint, { total, tax }: SenLine): boolean {
  return roundHalfUp(total * quarters, 400n) === tax;
}

function listCandidates(lines: readonly SenLine[]): bigint[] {
  const nearest = [1n, 2n, 4n].flatMap((parts) =>
    lines.map(({ total, tax }) => (4n / parts) * roundHalfUp(100n * tax * parts, total)),
  );
  return [0n, 20n, 24n, 32n, 40n, ...nearest];
}

/** In ten-thousandths. */
function expectedPercents(lines: readonly SenLine[]): bigint[] {
  return lines.map((line) => {
    const { total, tax, taxType } = line;
    if (total === 0n) return 0n;
    const group = lines.filter((other) => other.taxType === taxType && other.total > 0n);
    const common = listCandidates(group).find((quarters) => group.every((other) => fits(quarters, other)));
    const own = common ?? listCandidates([line]).find((quarters) => fits(quarters, line));
    return own === undefined ? roundHalfUp(tax * 10_000n, total) : own * 25n;
  });
}

const anyTotal = fc.oneof(
  fc.bigInt({ min: 0n, max: 60n }),
  fc.bigInt({ min: 1n, max: 10n ** 4n }),
  fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }),
);
const anyRate = fc.oneof(
  fc.constantFrom(0n, 20n, 24n, 32n, 40n),
  fc.bigInt({ min: 0n, max: 120n }),
  fc.bigInt({ min: 0n, max: 4_000n }),
);
const anyLine = fc
  .tuple(anyTotal, anyRate, fc.constantFrom(0n, 0n, 0n, 0n, 0n, 1n, -1n))
  .map(([total, quarters, off]) => ({ total, tax: roundHalfUp(total * quarters, 400n) + off }));
/** Lines with one rate, and lines with different rates. */
const anyLines = fc.oneof(
  fc.array(anyLine, { minLength: 1, maxLength: 5 }),
  fc
    .tuple(anyRate, fc.array(anyTotal, { minLength: 1, maxLength: 6 }))
    .map(([quarters, totals]) => totals.map((total) => ({ total, tax: roundHalfUp(total * quarters, 400n) }))),
);
const anyTypedLines = fc
  .tuple(anyLines, fc.array(fc.constantFrom('01', '02'), { minLength: 6, maxLength: 6 }))
  .map(([lines, types]) => lines.map((line, index) => ({ ...line, taxType: types[index] })))
  .filter((lines) => lines.every(({ tax }) => tax >= 0n));

describe('choosePercents', () => {
  it('agrees with an exact integer implementation', () => {
    fc.assert(
      fc.property(anyTypedLines, (lines) => {
        const chosen = choose(
          ...lines.map(({ total, tax, taxType }) => taxed(ringgit(total), ringgit(tax), { taxType })),
        );
        expect(chosen).toEqual(expectedPercents(lines).map(ringgit));
      }),
      { numRuns: 3_000 },
    );
  });

  it('returns 6 for a tax of 1.13 on 18.90 and of 0.19 on 3.14', () => {
    expect(choose(taxed(18.9, 1.13), taxed(3.14, 0.19))).toEqual([6, 6]);
  });

  it('prefers 5 to 6 for a tax of 0.03 on 0.50', () => {
    expect(choose(taxed(0.5, 0.03))).toEqual([5]);
  });

  it.each([
    [18.9, 1.13, 6],
    [20, 1, 5],
  ])('considers a line of %d with a tax of %d for the percentage of 0.03 on 0.50', (lineTotal, taxAmount, percent) => {
    expect(choose(taxed(0.5, 0.03), taxed(lineTotal, taxAmount))).toEqual([percent, percent]);
  });

  it('ignores lines of another tax type', () => {
    expect(choose(taxed(0.5, 0.03, { taxType: '02' }), taxed(18.9, 1.13, { taxType: '01' }))).toEqual([5, 6]);
  });

  it('returns one percentage per line if none fits all lines of the type', () => {
    expect(choose(taxed(100, 6), taxed(100, 8), taxed(0.5, 0.03))).toEqual([6, 8, 5]);
  });

  it.each([
    ['whole', 100, 7, 7],
    ['half', 100, 7.5, 7.5],
    ['quarter', 100, 7.25, 7.25],
    ['quotient', 345.67, 10, 2.89],
  ])('returns the %s percentage if no usual one fits the tax', (_, lineTotal, taxAmount, percent) => {
    expect(choose(taxed(lineTotal, taxAmount))).toEqual([percent]);
  });

  it('prefers the specified rate for all lines of the type', () => {
    expect(choose(taxed(0.05, 0, { taxRate: 6 }), taxed(0.5, 0.03))).toEqual([6, 6]);
    expect(choose(taxed(100, 7.77, { taxRate: 7.77 }))).toEqual([7.77]);
  });

  it('returns 0 for a line of 0', () => {
    expect(choose(taxed(0, 0), taxed(0, 1), taxed(18.9, 1.13))).toEqual([0, 0, 6]);
    expect(choose(taxed(0, 0, { taxRate: 6 }))).toEqual([6]);
  });

  it('returns null for a tax per unit and for exempted tax without a rate', () => {
    const byUnit = taxed(100, 10, { unitTax: { taxPerUnit: 10, unitCount: 1 } });
    const exempt = taxed(100, 0, { taxType: 'E', exemptedTaxAmount: 6 });
    expect(choose(byUnit, exempt, { ...exempt, taxRate: 6 }, taxed(0.5, 0.03))).toEqual([null, null, 6, 5]);
  });
});

describe('findPercent', () => {
  it.each([
    [190.25, 11.42, 6],
    [190.25, 11.41, undefined],
    [0, 0, 0],
    [0, 1, undefined],
    [9_999_999_999_999.98, 600_000_000_000, 6],
    [9_999_999_999_999.98, 599_999_999_999.99, undefined],
  ])('for a line of %d with a tax of %d returns %s', (lineTotal, taxAmount, percent) => {
    expect(findPercent({ lineTotal, taxAmount })).toBe(percent);
  });
});

describe('computeTax', () => {
  it('equals the exact product, rounded half up', () => {
    const anyPercent = fc.bigInt({ min: 0n, max: 10_000n });
    fc.assert(
      fc.property(anyTotal, anyPercent, (total, percent) => {
        const tax = roundHalfUp(total * percent, 10_000n);
        expect(computeTax(ringgit(total), ringgit(percent))).toBe(ringgit(tax));
      }),
      { numRuns: 1_000 },
    );
  });
});
