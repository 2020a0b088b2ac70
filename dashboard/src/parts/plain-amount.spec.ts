import { describe, expect, it } from 'vitest';
import {
  groupDigits,
  isInvalidAmount,
  readAmount,
  readRate,
  describeInvalidAmount,
  validateWholeNumber,
  ungroupDigits,
} from './plain-amount';

describe('amount', () => {
  it.each([
    ['5', 5],
    ['1234.56', 1234.56],
    ['1,234.56', 1234.56],
    ['12,500', 12_500],
    ['1,234,567', 1_234_567],
    ['RM 1,234.56', 1234.56],
    ['-5', -5],
    ['5.', 5],
    ['.5', 0.5],
    ['-0.50', -0.5],
  ])('%s is read as %s', (text, number) => {
    expect(readAmount(text)).toBe(number);
    expect(isInvalidAmount(text)).toBe(false);
  });

  it.each([
    '12,5',
    '1,5',
    '1.234,56',
    '1.234.567',
    '1,23,456',
    '1234,567',
    '1e3',
    '1 234.56',
    ',5',
    'abc',
    '-',
    '.',
    '8%',
  ])('%s is ambiguous or not a number', (text) => {
    expect(readAmount(text)).toBeNull();
    expect(isInvalidAmount(text)).toBe(true);
  });

  it.each([5, ''])('%s needs no correction', (value) => {
    expect(isInvalidAmount(value)).toBe(false);
  });

  it.each([
    ['1234567.50', '1,234,567.50'],
    ['-1234', '-1,234'],
    ['RM 100', '100'],
    ['0.12345', '0.12345'],
    ['12,5', '12,5'],
    ['', ''],
  ])('%s is displayed as %s', (text, shown) => {
    expect(groupDigits(text)).toBe(shown);
    expect(readAmount(ungroupDigits(shown))).toBe(readAmount(text));
  });

  it.each([
    ['12,5', 'can be read in two ways'],
    ['8%', 'is a rate, not an amount'],
    ['1/2', 'is not a number'],
    ['12。5', 'is not a number'],
    ['-', 'is not a number'],
  ])('%s is rejected because it %s', (text, problem) => {
    expect(describeInvalidAmount(text)).toBe(`“${text}” ${problem}. Write it as 1,234.56.`);
  });
});

it.each([
  ['8%', 8],
  ['8.5 %', 8.5],
  ['8', null],
  ['8,5%', null],
])('rate of %s is read as %s', (text, rate) => {
  expect(readRate(text)).toBe(rate);
});

it.each([
  [1_000, null],
  ['', null],
  [1.5, '1.5 is not a whole number'],
  [-5, '-5 is not a whole number'],
  ['1.000', '1.000 is not a whole number'],
  ['1,5', '“1,5” can be read in two ways. Write it as 1,234.56.'],
])('error for the whole number %s is %s', (value, error) => {
  expect(validateWholeNumber(value)).toBe(error);
});
