import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ESCAPED_NAMES_MAX, EscapedNamesError, parseJsonText, resolveEscapes } from './parse-json-text.js';

// An independent reference parser, because JSON.parse returns wrong names on Node 24 and later. It represents objects as
// lists of members.

type Value = string | number | null | readonly Value[] | { readonly members: readonly Member[] };
type Member = readonly [name: Name, value: Value];

/** UTF-16 code units, each with the form in which it is written: as it is if possible, or one of its escapes. */
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

/** What the text means: of several members of one name the last. */
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
  // Names that a placeholder must not be taken for, and one that has a meaning in JavaScript.
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
  it('returns the names that the text means, however they are escaped, with their members in order', () => {
    fc.assert(
      fc.property(values, (value) => {
        const [parsed, expected] = [parseJsonText(write(value)), read(value)];
        expect(parsed).toEqual(expected);
        // The order too.
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns the names that the text means, whatever names it has parsed before', () => {
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

  it('makes a member named __proto__ an own member, also next to a name with a placeholder', () => {
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
    ['an unknown escape before a text like the rest of a member', String.raw`{"\x":":1}`],
    ['a name with half an escape', String.raw`{"\u00":1}`],
    ['an escape that the quote cuts', String.raw`{"\u006":"a"}`],
    ['a line break in an escaped name', '{"\\u0061\n":1}'],
    ['a null character in a name with a quote', '{"\\"\0":1}'],
    ['an escape outside of a string', String.raw`{"a":"x"\u002c":":1}`],
    ['an escape before a name', String.raw`{\u0061"a":1}`],
    ['a name that does not end', String.raw`{"\u0061":1,"\u0062`],
    ['a name that ends in a backslash', '{"\\u0061":1,"b\\'],
    ['an escaped name without a value', String.raw`{"\u0061":}`],
  ])('refuses %s', (_, text) => {
    expect(() => parseJsonText(text)).toThrow(SyntaxError);
  });

  it('states the position of an error in the text that was sent, behind escaped names', () => {
    const text = String.raw`{"\u0064\u0069":1,"\"":2,"c":3 4}`;
    expect(() => parseJsonText(text)).toThrow(`position ${text.indexOf('4}')}`);
  });
});

describe('a text with many names that need an escape', () => {
  const write = (count: number): string => `[${Array.from({ length: count }, () => String.raw`{"\"":1}`).join(',')}]`;

  it('is parsed up to the limit', () => {
    expect(parseJsonText(write(ESCAPED_NAMES_MAX))).toHaveLength(ESCAPED_NAMES_MAX);
  });

  it('is refused above the limit', () => {
    expect(() => parseJsonText(write(ESCAPED_NAMES_MAX + 1))).toThrow(EscapedNamesError);
  });
});

describe('resolveEscapes', () => {
  it('resolves each escape once', () => {
    expect(resolveEscapes(String.raw`\u0064\\u0064\"\/\b\f\n\r\t\ud83d\ude00`)).toBe('d\\u0064"/\b\f\n\r\t😀');
  });
});
