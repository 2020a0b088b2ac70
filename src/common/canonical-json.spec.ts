import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from './any-character.fixtures.js';
import { hashBody, toCanonicalJson, quote } from './canonical-json.js';
import { parseJsonText } from './parse-json-text.js';

// Arbitrary UTF-16, including lone surrogates and all JSON escapes.
const anyText = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '"', '\\', '\n', '\u2028', '\ud800', '\udc00', '__proto__', '10', '9', 'é', 'e\u0301'),
);

const { value: jsonValue } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, tie('leaf'), fc.array(tie('value')), fc.dictionary(anyText, tie('value'))),
  leaf: fc.oneof(anyText, fc.boolean(), fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })),
}));

/** Returns the same value with the fields of each object in a different order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => reordered(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, reordered(member)] as const);
  return Object.fromEntries(entries.reverse());
}

/** The original definition of the canonical text. A stored idempotency key must match the same hash for 30 days. */
function formatByHand(value: unknown): string {
  if (typeof value === 'number' && Math.abs(value) === Infinity) return value > 0 ? '1e999' : '-1e999';
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? String(value) : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => formatByHand(item)).join()}]`;
  const members = Object.entries(value).map(([name, member]) => [name, formatByHand(member)] as const);
  // The comparison operators compare UTF-16 code units.
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`;
}

// Names that JavaScript sorts differently or treats specially, and numbers that JSON.stringify writes as null.
const oddName = fc.oneof(
  anyText,
  fc.constantFrom('__proto__', 'toJSON', 'constructor', '0', '10', '9', '01', '-1', '1e3'),
);
const { value: oddValue } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, tie('leaf'), fc.array(tie('value')), tie('object')),
  object: fc.record({ members: fc.array(fc.tuple(oddName, tie('value'))) }),
  leaf: fc.oneof(anyText, fc.boolean(), fc.constant(null), fc.double({ noNaN: true })),
}));

/** Writes JSON text, because only a parser creates an own member named __proto__. */
function writeOdd(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeOdd).join()}]`;
  if (typeof value !== 'object' || value === null) return formatByHand(value);
  const { members } = value as { members: [string, unknown][] };
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeOdd(member)}`).join()}}`;
}

describe('toCanonicalJson', () => {
  it('matches the original definition for every parsed value', () => {
    fc.assert(
      fc.property(oddValue, (odd) => {
        const value: unknown = parseJsonText(writeOdd(odd));
        expect(toCanonicalJson(value)).toBe(formatByHand(value));
      }),
      { numRuns: 1_000 },
    );
    for (const text of [
      '{"b":1,"10":2,"9":3}',
      '{"b":1e999,"a":[-1e999]}',
      '{"a":{"__proto__":{"b":1}}}',
      '[-0,1e21]',
    ]) {
      const value: unknown = parseJsonText(text);
      expect(toCanonicalJson(value)).toBe(formatByHand(value));
    }
  });

  it('returns JSON that parses to the same value', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(parseJsonText(toCanonicalJson(value))).toEqual(parseJsonText(JSON.stringify(value)));
      }),
    );
  });

  it('ignores the order of fields', () => {
    fc.assert(fc.property(jsonValue, (value) => toCanonicalJson(reordered(value)) === toCanonicalJson(value)));
  });

  it('ignores white space and number formats', () => {
    const texts = ['{"a":1,"b":[10,0]}', ' { "b" : [ 1e1, -0.0 ],\n "a" : 1.0 }', '{"b":[10.00,0e5],"a":0.1e1}'];
    expect(new Set(texts.map((text) => toCanonicalJson(parseJsonText(text))))).toEqual(new Set(['{"a":1,"b":[10,0]}']));
  });

  it('returns different texts for different values', () => {
    fc.assert(
      fc.property(jsonValue, jsonValue, (a, b) => {
        const isSameText = toCanonicalJson(a) === toCanonicalJson(b);
        const isSameValue = JSON.stringify(reordered(sortedByHand(a))) === JSON.stringify(reordered(sortedByHand(b)));
        expect(isSameText).toBe(isSameValue);
      }),
    );
  });

  it('distinguishes null, infinite numbers and empty containers', () => {
    const bodies = ['1e999', 'null', '"null"', '-1e999', '[]', '{}', '[null]', '"1"', '1', '{"a":null}', '["a",null]'];
    expect(new Set(bodies.map((text) => toCanonicalJson(parseJsonText(text)))).size).toBe(bodies.length);
  });

  it('sorts fields by code unit', () => {
    const members = '{"é":1,"z":2,"10":3,"9":4,"Z":5,"":6,"\\ud83d\\ude00":7,"\\ufb01":8}';
    expect(toCanonicalJson(parseJsonText(members))).toBe('{"":6,"10":3,"9":4,"Z":5,"z":2,"é":1,"😀":7,"ﬁ":8}');
  });

  it('keeps a field named __proto__', () => {
    expect(toCanonicalJson(parseJsonText('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });

  it('distinguishes lone surrogates', () => {
    const texts = ['\ud800', '\ud801', '\udc00', '\ufffd', '\\ud800'];
    expect(new Set(texts.map((text) => hashBody(text).toString('hex'))).size).toBe(texts.length);
  });

  it('accepts 1,000 nested levels', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 1_000; depth += 1) value = depth % 2 ? [value] : { a: value };
    expect(toCanonicalJson(value)).toHaveLength(1 + 500 * 2 + 500 * 6);
  });
});

describe('quote', () => {
  it('equals JSON.stringify for every text', () => {
    fc.assert(fc.property(anyText, (text) => quote(text) === JSON.stringify(text)));
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      const text = String.fromCharCode(unit);
      if (quote(text) !== JSON.stringify(text)) expect.fail(`code unit ${unit}`);
    }
  });
});

describe('hashBody', () => {
  it('returns the SHA-256 of the canonical text', () => {
    const expected = createHash('sha256').update('{"a":[1,"ü"],"b":null}', 'utf8').digest();
    expect(hashBody({ b: null, a: [1, 'ü'] })).toEqual(expected);
  });
});

/** Sorts members independently of the code under test. */
function sortedByHand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => sortedByHand(item));
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, sortedByHand(member)] as const);
  return ['object', entries.sort(([a], [b]) => (a < b ? -1 : 1))];
}
