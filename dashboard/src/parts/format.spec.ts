import { expect, it } from 'vitest';
import {
  formatAmount,
  DOCUMENT_TYPE_NAMES,
  formatAgo,
  formatDocumentType,
  formatDuration,
  formatEnvironment,
} from './format';

it('formatter writes amounts in ringgit with two decimals and thousands separators', () => {
  expect([0, 1234.5, -0.05].map(formatAmount)).toEqual(['RM 0.00', 'RM 1,234.50', '-RM 0.05']);
});

it('formatter writes a duration in its two largest units', () => {
  expect([59, 60, 3_600, 90_000, 259_199, 86_400 + 59].map(formatDuration)).toEqual([
    'under a minute',
    '1 minute',
    '1 hour',
    '1 day 1 hour',
    '2 days 23 hours',
    '1 day',
  ]);
});

it('formatter writes a past time in one unit', () => {
  expect([0, 59, 60, 3_599, 3_600, 86_399].map(formatAgo)).toEqual([
    'just now',
    'just now',
    '1 minute ago',
    '59 minutes ago',
    '1 hour ago',
    '23 hours ago',
  ]);
});

it('formatter falls back to the code of an unknown document type or environment', () => {
  expect([formatEnvironment('sandbox'), formatEnvironment('staging')]).toEqual(['Sandbox', 'staging']);
  expect([formatDocumentType('credit_note'), formatDocumentType('debit_note')]).toEqual(['Credit note', 'debit_note']);
});

it('formatter has a name for every document type of the API', () => {
  const { invoice } = DOCUMENT_TYPE_NAMES;
  // @ts-expect-error the name of credit_note is missing
  const incomplete: typeof DOCUMENT_TYPE_NAMES = { invoice };
  expect(incomplete).not.toEqual(DOCUMENT_TYPE_NAMES);
});
