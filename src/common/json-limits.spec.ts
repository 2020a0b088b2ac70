import { describe, expect, it } from 'vitest';
import { isNestedTooDeep, JSON_DEPTH_MAX } from './json-limits.js';

function isTooDeep(json: string): boolean {
  return isNestedTooDeep(Buffer.from(json));
}

describe('isNestedTooDeep', () => {
  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both in turn', '[{"a":', '}]'],
  ])('takes %s nested 20 deep and refuses deeper', (_name, open, close) => {
    const times = JSON_DEPTH_MAX / open.replaceAll(/[^[{]/g, '').length;
    expect(isTooDeep(open.repeat(times) + '1' + close.repeat(times))).toBe(false);
    expect(isTooDeep(open.repeat(times + 1) + '1' + close.repeat(times + 1))).toBe(true);
  });

  it('counts what is open, not what was', () => {
    expect(isTooDeep(`[${'[{}],'.repeat(1_000)}[]]`)).toBe(false);
  });

  const brackets = '['.repeat(100);
  it.each([
    ['a string', `["${brackets}"]`],
    ['a string with an escaped quote', `["\\"${brackets}"]`],
    ['a string with an escaped backslash and an escaped quote', `["\\\\\\"${brackets}"]`],
    ['the name of a member', `{"${brackets}":1}`],
    ['a string with other letters', `["é買${brackets}"]`],
  ])('does not count brackets in %s', (_, json) => {
    expect(JSON.parse(json)).toBeDefined();
    expect(isTooDeep(json)).toBe(false);
  });

  it.each([
    ['after a string', `["a",${brackets}`],
    ['after a string that ends with a backslash', `["a\\\\",${brackets}`],
    ['after an empty string', `["",${brackets}`],
  ])('counts brackets %s', (_, json) => {
    expect(isTooDeep(json)).toBe(true);
  });

  it.each(['', '1', 'null', '"', '"\\', '[', ']]]]', '"\\"', '{"a'])('takes %s, which the parser judges', (json) => {
    expect(isTooDeep(json)).toBe(false);
  });

  it('reads 10 MB of brackets or backslashes in no time', () => {
    const size = 10 * 1024 * 1024;
    const started = performance.now();
    expect(isTooDeep('['.repeat(size))).toBe(true);
    expect(isTooDeep(`"${'\\'.repeat(size)}"`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
