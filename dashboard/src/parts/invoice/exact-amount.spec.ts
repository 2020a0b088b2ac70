import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundShare, roundSum } from './exact-amount';

// Factors are in hundred-thousandths and amounts in sen, so that the expected results are exact integers.
const FINE = 10n ** 5n;
const PRODUCTS_IN_SEN = (FINE * FINE) / 100n;

const fine = (units: bigint): number => Number(`${units}e-5`);
const money = (sen: bigint): number => Number(`${sen}e-2`);

function divide(dividend: bigint, divisor: bigint): bigint {
  const size = (2n * (dividend < 0n ? -dividend : dividend) + divisor) / (2n * divisor);
  return dividend < 0n ? -size : size;
}

describe('roundSum', () => {
  const factor = fc.bigInt({ min: 1n, max: 10n ** 10n });

  it('rounds the exact sum half away from zero even if most digits cancel', () => {
    fc.assert(
      fc.property(factor, factor, fc.bigInt({ min: -1_000n, max: 1_000n }), (a, b, left) => {
        const [quantity, price] = [(2n * (a / FINE) + 1n) * FINE, (b / 1_000n) * 1_000n + 500n];
        const less = (quantity * price) / PRODUCTS_IN_SEN - left;
        fc.pre(less > -(10n ** 15n) && less < 10n ** 15n);
        const expected = divide(quantity * price - less * PRODUCTS_IN_SEN, PRODUCTS_IN_SEN);
        expect(roundSum([fine(quantity), fine(price)], [-money(less)])).toBe(Number(`${expected}e-2`));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [[[1, 1.005]], 1.01],
    [[[-1, 1.005]], -1.01],
    [[[190.25, 6, 0.01]], 11.42],
    [[[1e-7, 50_000]], 0.01],
    [[[1e21]], 1e21],
    [[[Number.NaN], [1]], Number.NaN],
  ])('computes the sum of the products %j as %d', (products, expected) => {
    expect(roundSum(...products)).toBe(expected);
  });
});

describe('roundShare', () => {
  it('rounds the exact percentage to two decimals', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 15n - 1n });
    fc.assert(
      fc.property(amount, amount, (part, whole) => {
        expect(roundShare(money(part), money(whole))).toBe(Number(`${divide(part * 10_000n, whole)}e-2`));
      }),
    );
  });

  it('rounds half a hundredth of a percent up', () => {
    expect(roundShare(0.00005, 1)).toBe(0.01);
  });
});
