import { describe, expect, it } from 'vitest';
import { type Mutation, mutated } from './fuzz-bodies.js';

/** Replaces the member at index `at`, counted in a depth-first walk through all members. */
function put(value: unknown, at: number): Mutation {
  return { kind: 2, at, from: 0, value };
}

describe('a mutated body', () => {
  // As constants of the generator are drawn: one object, several times, and again in the next body.
  const constant = [[]];

  it('may hold a value within itself, and is finite', () => {
    const body = mutated({ documents: 1 }, [put(constant, 0), put(constant, 1), put(constant, 2)]);
    expect(body).toEqual({ documents: [[[[]]]] });
  });

  it('leaves the values that it is made of as they are, for the bodies after it', () => {
    mutated({ documents: 1 }, [put(constant, 0), put('x', 1)]);
    expect(constant).toEqual([[]]);
  });
});
