import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listNextNumbers } from './next-numbers.service.js';

describe('listNextNumbers', () => {
  it.each([
    ['INV-2026-0009', ['INV-2026-0010', 'INV-2026-0011']],
    ['7', ['8', '9']],
    ['INV-99', ['INV-100', 'INV-101']],
    ['A/007', ['A/008', 'A/009']],
    ['9007199254740992', ['9007199254740993', '9007199254740994']],
    ['9999999999999999', ['10000000000000000', '10000000000000001']],
    ['INV-00009999999999999999', ['INV-00010000000000000000', 'INV-00010000000000000001']],
    [
      '12345678901234567890123456789012345678901234567890',
      ['12345678901234567890123456789012345678901234567891', '12345678901234567890123456789012345678901234567892'],
    ],
    ['INV-2026-A', []],
    ['', []],
  ])('keeps the prefix and width of %s', (number, expected) => {
    expect(listNextNumbers(number, 2)).toEqual(expected);
  });

  it('omits numbers above the maximum length', () => {
    const longest = `${'A'.repeat(48)}98`;
    expect(listNextNumbers(longest, 3)).toEqual([`${'A'.repeat(48)}99`]);
  });

  it('increments by one regardless of the length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 49n }), (number) => {
        expect(listNextNumbers(String(number), 3)).toEqual([1n, 2n, 3n].map((step) => String(number + step)));
      }),
    );
  });

  it('returns distinct numbers for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), (number) => {
        const next = listNextNumbers(number, 5);
        expect(new Set([number, ...next]).size).toBe(next.length + 1);
      }),
    );
  });
});
