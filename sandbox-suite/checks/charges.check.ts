import { expect, it } from 'vitest';
import { countCredits } from '../credits.js';
import { client, settings } from '../suite.js';

it('the run has charged exactly the announced credits', () => {
  const { first, second } = countCredits(settings);
  expect(client.charged.get(settings.apiKey)).toBe(first);
  expect(client.charged.get(settings.secondKey ?? '') ?? 0).toBe(second);
});
