import { describe, expect, it } from 'vitest';
import { isPlainAmount, isUnreadAmount, readRate, refuseFraction } from './plain-amount';

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

describe('what a field holds', () => {
  it.each([5, '', '-', '5.', '.5', '-0.50'])('is a number that is typed, or nothing: %s', (value) => {
    expect(isUnreadAmount(value)).toBe(false);
  });

  it.each(['12,5', '1.234,56', '1.234.567', 'abc'])('is a text that was refused: %s', (value) => {
    expect(isUnreadAmount(value)).toBe(true);
  });
});

it.each([
  ['8%', 8],
  ['8.5 %', 8.5],
  ['8', null],
  ['8,5%', null],
])('the rate of %s is %s', (text, rate) => {
  expect(readRate(text)).toBe(rate);
});

it.each([
  [1_000, null],
  ['', null],
  [1.5, '1.5 is not a whole number'],
  [-5, '-5 is not a whole number'],
  ['1,5', '“1,5” can be read in two ways. Write it as 1,234.56.'],
])('a whole number that is written as %s has the error %s', (value, error) => {
  expect(refuseFraction(value)).toBe(error);
});
