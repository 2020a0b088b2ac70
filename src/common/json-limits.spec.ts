import { describe, expect, it } from 'vitest';
import { JSON_DEPTH_MAX, depthProblemOf } from './json-limits.js';

function nested(depth: number, open: string, close: string): unknown {
  return JSON.parse(open.repeat(depth) + '1' + close.repeat(depth));
}

describe('depthProblemOf', () => {
  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('takes %s nested 20 deep and refuses 21', (_name, open, close) => {
    expect(depthProblemOf(nested(JSON_DEPTH_MAX, open, close))).toBeNull();
    expect(depthProblemOf(nested(JSON_DEPTH_MAX + 1, open, close))).toEqual({
      pointer: '',
      rule: 'body_depth',
      message: 'the body must not be nested deeper than 20 levels',
    });
  });

  it.each([[null], [1], ['text'], [true], [undefined], [[]], [{}], [[null, { a: [1] }]]])('takes %j', (value) => {
    expect(depthProblemOf(value)).toBeNull();
  });

  it('does not overflow on what is deeper than the stack', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 1_000_000; depth += 1) value = [value];
    expect(depthProblemOf(value)).not.toBeNull();
  });
});
