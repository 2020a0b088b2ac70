import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundProduct } from './decimal.js';

// Computes the exact result in integers: hundred-thousandths for factors, sen for money.
const FINE = 10n ** 5n;
const PRODUCTS_IN_SEN = (FINE * FINE) / 100n;

function roundedSen(a: bigint, b: bigint, less: bigint): bigint {
  const units = a * b - less * PRODUCTS_IN_SEN;
  const size = (2n * (units < 0n ? -units : units) + PRODUCTS_IN_SEN) / (2n * PRODUCTS_IN_SEN);
  return units < 0n ? -size : size;
}

const fine = (units: bigint): number => Number(`${units}e-5`);
const money = (sen: bigint): number => Number(`${sen}e-2`);

/** All magnitudes. Factors with few digits have halves as products more often. */
const factors = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 9n }), fc.integer({ min: 0, max: 9 }))
  .map(([units, zeros]) => (units / 10n ** BigInt(zeros)) * 10n ** BigInt(zeros) || 1n);

const lines = fc
  .record({
    a: factors,
    b: fc.oneof(factors, fc.bigInt({ min: 1n, max: 10n ** 12n })),
    // Distance to the product in sen, so that most digits cancel; null for no discount.
    left: fc.option(fc.bigInt({ min: -1_000n, max: 1_000n })),
  })
  .map(({ a, b, left }) => ({ a, b, less: left === null ? 0n : (a * b) / PRODUCTS_IN_SEN - left }))
  .filter(({ less }) => less < 10n ** 15n && less > -(10n ** 15n));

describe('roundProduct', () => {
  it('rounds the exact value half away from zero for all magnitudes', () => {
    fc.assert(
      fc.property(lines, ({ a, b, less }) => {
        expect(roundProduct(fine(a), fine(b), money(less))).toBe(Number(`${roundedSen(a, b, less)}e-2`));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    [73147, 524.685, 38379128.7, 5],
    [0.285, 100, 0, 28.5],
    [1, 1.005, 0, 1.01],
    [1, 2.675, 0, 2.68],
    [1, 1.005, 3.68, -2.68],
    [1, 0.005, 0.01, -0.01],
    [0.001, 1, 0, 0],
    [9_999_999_999_999.98, 1, 9_999_999_999_999.97, 0.01],
    [99_999.99999, 99_999.99999, 9_999_999_998, 0],
    [0.000_001, 5_000, 0, 0.01],
  ])('computes %d × %d − %d as %d', (a, b, less, expected) => {
    expect(roundProduct(a, b, less)).toBe(expected);
  });
});
