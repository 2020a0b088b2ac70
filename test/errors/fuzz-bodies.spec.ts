import { describe, expect, it } from 'vitest';
import { type Mutation, mutated } from './fuzz-bodies.js';

/** Replaces the member at index `at`, counted in a depth-first walk through all members. */
function put(value: unknown, at: number): Mutation {
  return { kind: 2, at, from: 0, value };
}

describe('a mutated body', () => {
  // The generator draws the same object several times, and again for the next body.
  const constant = [[]];

  it('is finite if it contains a value within itself', () => {
    const body = mutated({ documents: 1 }, [put(constant, 0), put(constant, 1), put(constant, 2)]);
    expect(body).toEqual({ documents: [[[[]]]] });
  });

  it('does not change the values of later bodies', () => {
    mutated({ documents: 1 }, [put(constant, 0), put('x', 1)]);
    expect(constant).toEqual([[]]);
  });
});
