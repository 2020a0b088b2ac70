import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPercentExact } from './tax-percent.js';

/** Whether some percentage of two decimals gives the tax, half a sen rounded either way; in sen. */
function isGivenBySome(lineTotal: bigint, tax: bigint): boolean {
  for (let hundredths = 0n; hundredths <= 100_000n; hundredths += 1n) {
    const off = lineTotal * hundredths - tax * 10_000n;
    if (off >= -5_000n && off <= 5_000n) return true;
    if (off > 5_000n) return false;
  }
  return false;
}

const sen = (units: bigint): number => Number(`${units}e-2`);

describe('isPercentExact', () => {
  it('is true exactly where one of all percentages gives the tax', () => {
    const taxed = fc
      .tuple(fc.bigInt({ min: 1n, max: 10n ** 8n }), fc.bigInt({ min: 0n, max: 40n }), fc.bigInt({ min: -2n, max: 2n }))
      .map(([lineTotal, percent, off]) => ({ lineTotal, tax: (lineTotal * percent) / 100n + off }))
      .filter(({ tax }) => tax >= 0n);
    let inexact = 0;
    fc.assert(
      fc.property(taxed, ({ lineTotal, tax }) => {
        const expected = isGivenBySome(lineTotal, tax);
        if (!expected) inexact += 1;
        expect(isPercentExact({ lineTotal: sen(lineTotal), taxAmount: sen(tax) })).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
    expect(inexact).toBeGreaterThan(10);
  });

  it.each([
    [190, 15.2, true],
    [100, 99.99, true],
    [345.67, 10, false],
    // Half a sen, in either direction.
    [190.25, 11.41, true],
    [190.25, 11.42, true],
    [0, 0, true],
    [0, 1, false],
    [9_999_999_999_999.98, 599_999_999_999.99, false],
    [9_999_999_999_999.98, 600_000_000_000, true],
  ])('of a line of %d with a tax of %d is %s', (lineTotal, taxAmount, expected) => {
    expect(isPercentExact({ lineTotal, taxAmount })).toBe(expected);
  });
});
