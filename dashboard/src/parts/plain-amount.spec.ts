import { describe, expect, it } from 'vitest';
import { isPlainAmount } from './plain-amount';

describe('a number', () => {
  it.each(['5', '1234.56', '1,234.56', '12,500', '1,234,567', 'RM 1,234.56', '-5', '8%', '5.'])('is %s', (text) => {
    expect(isPlainAmount(text)).toBe(true);
  });

  it.each(['12,5', '1,5', '1.234,56', '1,23,456', '1234,567', '1e3', '1 234.56', ',5', '', 'abc'])(
    'is not %s, which is read in two ways or in none',
    (text) => {
      expect(isPlainAmount(text)).toBe(false);
    },
  );
});
