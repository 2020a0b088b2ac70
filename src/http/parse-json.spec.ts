import { describe, expect, it } from 'vitest';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX, measureJson } from './parse-json.js';

function findBrokenLimit(json: Buffer): string | null {
  return measureJson(json).brokenLimit;
}

function isTooDeep(json: string): boolean {
  return findBrokenLimit(Buffer.from(json))?.includes('deeper') ?? false;
}

describe('depth limit', () => {
  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both in turn', '[{"a":', '}]'],
  ])('accepts %s with 20 levels and rejects more', (_name, open, close) => {
    const times = JSON_DEPTH_MAX / open.replaceAll(/[^[{]/g, '').length;
    expect(isTooDeep(open.repeat(times) + '1' + close.repeat(times))).toBe(false);
    expect(isTooDeep(open.repeat(times + 1) + '1' + close.repeat(times + 1))).toBe(true);
  });

  it('counts only open brackets', () => {
    expect(isTooDeep(`[${'[{}],'.repeat(1_000)}[]]`)).toBe(false);
  });

  const brackets = '['.repeat(100);
  it.each([
    ['a string', `["${brackets}"]`],
    ['a string with an escaped quote', `["\\"${brackets}"]`],
    ['a string with an escaped backslash and an escaped quote', `["\\\\\\"${brackets}"]`],
    ['the name of a member', `{"${brackets}":1}`],
    ['a string with other letters', `["é買${brackets}"]`],
  ])('ignores brackets in %s', (_, json) => {
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

  it.each(['', '1', 'null', '"', '"\\', '[', ']]]]', '"\\"', '{"a'])('passes %s to the parser', (json) => {
    expect(isTooDeep(json)).toBe(false);
  });

  it('takes linear time for 10 MB of brackets or backslashes', () => {
    const size = 10 * 1024 * 1024;
    const started = performance.now();
    expect(isTooDeep('['.repeat(size))).toBe(true);
    expect(isTooDeep(`"${'\\'.repeat(size)}"`)).toBe(false);
    // Quadratic time would take hours.
    expect(performance.now() - started).toBeLessThan(60_000);
  });
});

describe('value limit', () => {
  const numbers = (count: number): string => `[${Array<string>(count).fill('1').join()}]`;

  it('counts items and the array itself', () => {
    expect(findBrokenLimit(Buffer.from(numbers(JSON_VALUES_MAX - 1)))).toBeNull();
    expect(findBrokenLimit(Buffer.from(numbers(JSON_VALUES_MAX)))).toContain('524,288 values');
  });

  it('ignores the content of strings', () => {
    expect(findBrokenLimit(Buffer.from(`["${',[{'.repeat(JSON_VALUES_MAX)}"]`))).toBeNull();
  });

  it('allows 100 documents of 454 lines with every member', () => {
    const line = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`m${index}`, 1]));
    const rest = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`r${index}`, 1]));
    const document = { ...rest, lineItems: Array.from({ length: 454 }, () => line) };
    const body = JSON.stringify({ submission_type: 1, documents: Array.from({ length: 100 }, () => document) });
    expect(findBrokenLimit(Buffer.from(body))).toBeNull();
  });
});
