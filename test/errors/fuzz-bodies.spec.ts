import { describe, expect, it } from 'vitest';
import { type Mutation, mutated } from './fuzz-bodies.js';

/** Replaces the field at index `at`, counted in a depth-first walk through all fields. */
function put(value: unknown, at: number): Mutation {
  return { kind: 2, at, from: 0, value };
}

describe('mutated body', () => {
  // The generator returns the same object several times, also for the next body.
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
