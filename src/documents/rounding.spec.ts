import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { toDecimal, formatPlain } from '../common/decimal.js';
import { roundToSen, roundMoney } from './rounding.js';

const formatAmount = (value: ReturnType<typeof roundToSen>): string =>
  typeof value === 'number' ? String(value) : formatPlain(value);

// Halves are rare among random numbers, so that every second one is made from a half, exactly or nearly.
const fine = fc.integer({ min: 0, max: 1_000_000_000 }).map((units) => Number(`${units}e-5`));
const half = fc.tuple(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: -1, max: 1 }));
const close = half.map(([sen, off]) => Number(`${sen * 1_000 + 500 + off}e-5`));
const factor = fc.oneof(fine, close, fc.constantFrom(1, 2, 0.5, 100, 1e8));

it('rounds a product as the exact value rounds', () => {
  fc.assert(
    fc.property(factor, factor, (a, b) => {
      const exact = toDecimal(a).times(toDecimal(b));
      expect(formatAmount(roundToSen(a * b, () => exact))).toBe(formatPlain(roundMoney(exact)));
    }),
    { numRuns: 5_000 },
  );
});

it.each([
  [0.285 * 100, 28.5],
  [1.005, 1.01],
  [2.675, 2.68],
  [-2.675, -2.68],
  [0, 0],
])('rounds %d to %d', (approximate, expected) => {
  expect(formatAmount(roundToSen(approximate, () => toDecimal(approximate)))).toBe(String(expected));
});
