import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ESCAPED_NAMES_MAX, EscapedNamesError, parseJsonText, resolveEscapes } from './parse-json-text.js';

// An independent reference parser, because JSON.parse returns wrong names on Node 24 and later.
// Objects are lists of name-value pairs.

type Value = string | number | null | readonly Value[] | { readonly members: readonly Member[] };
type Member = readonly [name: Name, value: Value];

/** UTF-16 code units, each with the index of its notation: plain or one of its escapes. */
type Name = readonly (readonly [unit: number, form: number])[];

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  '\\': '\\\\',
  '/': String.raw`\/`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};

function writeUnit([unit, form]: Name[number]): string {
  const character = String.fromCharCode(unit);
  const escape = `\\u${unit.toString(16).padStart(4, '0')}`;
  const plain = unit < 0x20 || character === '"' || character === '\\' ? escape : character;
  return [plain, escape, escape.toUpperCase().replace('U', 'u'), SHORT_ESCAPES[character] ?? plain][form];
}

const readName = (name: Name): string => String.fromCharCode(...name.map(([unit]) => unit));

function write(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(write).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { members } = value as { members: readonly Member[] };
  return `{${members.map(([name, member]) => `"${name.map(writeUnit).join('')}"\n : ${write(member)}`).join(' ,')}}`;
}

/** Returns the expected value. The last of several fields with the same name wins. */
function read(value: Value): unknown {
  if (Array.isArray(value)) return value.map(read);
  if (typeof value !== 'object' || value === null) return value;
  const { members } = value as { members: readonly Member[] };
  return Object.fromEntries(members.map(([name, member]) => [readName(name), read(member)]));
}

const units = fc.oneof(
  fc.constantFrom(...Array.from(String.raw`"\/u0064isbnrt_p:,{} `).map((character) => character.charCodeAt(0))),
  fc.constantFrom(0xd83d, 0xde00, 0xd800, 0xf8ff, 0x0a, 0x00),
  fc.integer({ min: 0, max: 0xffff }),
);
const toName = (text: string): Name => Array.from(text, (_, index) => [text.charCodeAt(index), 0] as const);
const names: fc.Arbitrary<Name> = fc.oneof(
  fc.array(fc.tuple(units, fc.nat({ max: 3 })), { maxLength: 8 }),
  // Names that look like a placeholder or are special in JavaScript.
  fc.constantFrom('\uf8ff', '\uf8ff0', '\uf8ff1', '__proto__', 'discount', '10').map(toName),
  fc
    .constantFrom('\uf8ff0', '__proto__', 'discount', String.raw`\u0064is`, '10')
    .map((text) => toName(text).map(([unit]) => [unit, 1] as const)),
);
const { value: values } = fc.letrec<{ value: Value; leaf: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.record({ members: fc.array(fc.tuple(names, tie('value')), { maxLength: 5 }) }),
  ),
  leaf: fc.oneof(
    fc.constant(null),
    fc.integer(),
    fc.string({ unit: 'binary' }),
    fc.constant(String.raw`\": {"\u0061":`),
  ),
}));

describe('parseJsonText', () => {
  it('returns fields with arbitrarily escaped names in order', () => {
    fc.assert(
      fc.property(values, (value) => {
        const [parsed, expected] = [parseJsonText(write(value)), read(value)];
        expect(parsed).toEqual(expected);
        // `toEqual` ignores the order of fields.
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns correct names after any previously parsed name', () => {
    const texts = [
      String.raw`\u0064iscount`,
      String.raw`\\u0064is`,
      String.raw`d\u0069scount`,
      'discount',
      String.raw`q\"`,
      String.raw`q\"z`,
    ];
    const meant = ['discount', String.raw`\u0064is`, 'discount', 'discount', 'q"', 'q"z'];
    for (const before of texts) {
      parseJsonText(`{"a":1,"${before}":2}`);
      for (const [index, text] of texts.entries()) {
        expect(Object.keys(parseJsonText(`{"a":1,"${text}":2}`) as object)).toEqual(['a', meant[index]]);
      }
    }
  });

  it('returns __proto__ as an own property', () => {
    const parsed = parseJsonText(String.raw`{"\u005f_proto__":{"polluted":1},"a\"":2}`) as object;
    expect(Object.keys(parsed)).toEqual(['__proto__', 'a"']);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect('polluted' in parsed).toBe(false);
  });

  it('restores names in an object nested 100,000 levels deep', () => {
    const depth = 100_000;
    const text = `${'[{"a":'.repeat(depth)}{"\\n":1}${'}]'.repeat(depth)}`;
    let value = parseJsonText(text);
    for (let level = 0; level < depth; level += 1) value = (value as { a: unknown }[])[0].a;
    expect(value).toEqual({ '\n': 1 });
  });

  it.each([
    ['a name with an unknown escape', String.raw`{"\x":1}`],
    ['an unknown escape before a string that looks like a member', String.raw`{"\x":":1}`],
    ['a name with an incomplete escape', String.raw`{"\u00":1}`],
    ['an escape truncated by the quote', String.raw`{"\u006":"a"}`],
    ['a line break in an escaped name', '{"\\u0061\n":1}'],
    ['a null character in a name with a quote', '{"\\"\0":1}'],
    ['an escape outside a string', String.raw`{"a":"x"\u002c":":1}`],
    ['an escape before a name', String.raw`{\u0061"a":1}`],
    ['an unterminated name', String.raw`{"\u0061":1,"\u0062`],
    ['a name that ends in a backslash', '{"\\u0061":1,"b\\'],
    ['an escaped name without a value', String.raw`{"\u0061":}`],
  ])('rejects %s', (_, text) => {
    expect(() => parseJsonText(text)).toThrow(SyntaxError);
  });

  it('reports the position of an error after escaped names', () => {
    const text = String.raw`{"\u0064\u0069":1,"\"":2,"c":3 4}`;
    expect(() => parseJsonText(text)).toThrow(`position ${text.indexOf('4}')}`);
  });
});

describe('parseJsonText with many escaped names', () => {
  const write = (count: number): string => `[${Array.from({ length: count }, () => String.raw`{"\"":1}`).join(',')}]`;

  it('accepts a text at the limit', () => {
    expect(parseJsonText(write(ESCAPED_NAMES_MAX))).toHaveLength(ESCAPED_NAMES_MAX);
  });

  it('rejects a text above the limit', () => {
    expect(() => parseJsonText(write(ESCAPED_NAMES_MAX + 1))).toThrow(EscapedNamesError);
  });
});

describe('resolveEscapes', () => {
  it('resolves each escape once', () => {
    expect(resolveEscapes(String.raw`\u0064\\u0064\"\/\b\f\n\r\t\ud83d\ude00`)).toBe('d\\u0064"/\b\f\n\r\t😀');
  });
});
