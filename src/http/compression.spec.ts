import { expect, it } from 'vitest';
import { chooseCoding } from './compression.js';

it.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0.1', 'gzip'],
  ['br; q=0.000', undefined],
  ['identity', undefined],
  ['brotli', undefined],
  ['', undefined],
])('of what "%s" accepts it takes the smallest: %s', (accepted, expected) => {
  expect(chooseCoding(accepted)?.name).toBe(expected);
});
