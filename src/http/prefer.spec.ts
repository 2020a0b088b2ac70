import { expect, it } from 'vitest';
import { prefersStrictHandling } from './prefer.js';

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
])('Prefer: %s asks for strict handling: %s', (prefer, isStrict) => {
  expect(prefersStrictHandling({ prefer })).toBe(isStrict);
});

it('takes a header that is sent twice, or not at all', () => {
  expect(prefersStrictHandling({ prefer: ['wait=5', 'handling=strict'] })).toBe(true);
  expect(prefersStrictHandling({})).toBe(false);
});
