import { expect, it } from 'vitest';
import { amount, dateTime, documentTypeName, duration, minuteOf } from './format';

it('shows instants in Malaysian time, also at the turn of a day', () => {
  expect(dateTime('2026-01-31T16:00:05.000Z')).toBe('2026-02-01 00:00:05');
  expect(minuteOf('2026-01-31T15:59:59.999Z')).toBe('2026-01-31 23:59');
});

it('writes amounts with two decimals, and separates thousands', () => {
  expect([amount(0), amount(1234.5), amount(-0.05)]).toEqual(['0.00', '1,234.50', '-0.05']);
});

it('tells a length of time in its two greatest units', () => {
  expect([59, 60, 3_600, 90_000, 259_199, 86_400 + 59].map(duration)).toEqual([
    'less than a minute',
    '1 minute',
    '1 hour',
    '1 day 1 hour',
    '2 days 23 hours',
    '1 day',
  ]);
});

it('names document types, and shows one that it does not know as it is', () => {
  expect([documentTypeName('credit_note'), documentTypeName('debit_note')]).toEqual(['Credit note', 'debit_note']);
});
