import { expect, it } from 'vitest';
import { prefersStrictHandling } from './request-headers.js';

it.each([
  ['handling=strict', true],
  ['Handling=Strict', true],
  ['handling = "strict"', true],
  ['wait=5, handling=strict', true],
  ['respond-async,handling=strict;x=1', true],
  ['handling=strict, handling=lenient', true],
  ['handling=lenient, handling=strict', false],
  ['handling=lenient', false],
  ['handling=stricter', false],
  ['xhandling=strict', false],
  ['strict', false],
  ['', false],
])('Prefer: %s selects strict handling: %s', (prefer, isStrict) => {
  expect(prefersStrictHandling({ prefer })).toBe(isStrict);
});

it('Prefer may be repeated or absent', () => {
  expect(prefersStrictHandling({ prefer: ['wait=5', 'handling=strict'] })).toBe(true);
  expect(prefersStrictHandling({})).toBe(false);
});
