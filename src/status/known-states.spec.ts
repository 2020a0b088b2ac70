import { expect, it } from 'vitest';
import { KnownStates } from './known-states.js';

const known = (entityTag: string): Parameters<KnownStates['remember']>[1] => ({
  entityTag,
  state: `state of ${entityTag}`,
  ageSeconds: 1,
  readAt: 0,
});

it('knows a batch by its last entity tag only, and no other batch by it', () => {
  const states = new KnownStates(10);
  states.remember('one', known('W/"a"'));
  states.remember('one', known('W/"b"'));
  expect(states.find('one', ['W/"b"'])?.state).toBe('state of W/"b"');
  expect(states.find('one', ['W/"a"'])).toBeUndefined();
  expect(states.find('one', null)).toBeUndefined();
  expect(states.find('other', ['W/"b"'])).toBeUndefined();
});

it('keeps so many batches at most, those that were remembered last', () => {
  const states = new KnownStates(2);
  for (const batch of ['one', 'two', 'one', 'three']) states.remember(batch, known('"a"'));
  expect(['one', 'two', 'three'].map((batch) => states.find(batch, ['"a"']) !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
});
