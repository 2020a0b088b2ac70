import { describe, expect, it } from 'vitest';
import { parseJson } from './parse-json.js';

const namesIn = (text: string): string[] => Object.keys(parseJson(text) as object);

describe('parseJson', () => {
  it('returns correct member names after earlier texts with escaped names', () => {
    const texts = [
      String.raw`\u0064iscount`,
      String.raw`\\u0064is`,
      String.raw`d\u0069scount`,
      'discount',
      String.raw`q\"`,
    ];
    const names = ['discount', String.raw`\u0064is`, 'discount', 'discount', 'q"'];
    for (const before of texts) {
      parseJson(`{"a":1,"${before}":2}`);
      for (const [index, text] of texts.entries()) {
        expect(namesIn(`{"a":1,"${text}":2}`)).toEqual(['a', names[index]]);
      }
    }
  });

  it('keeps real names that look like placeholders', () => {
    expect(namesIn('{"\uf8ff0":1,"\\"":2,"\\uf8ff1":3,"\\u005f_proto__":4}')).toEqual([
      '\uf8ff0',
      '"',
      '\uf8ff1',
      '__proto__',
    ]);
  });

  it.each([
    ['an unknown escape in a name', String.raw`{"\x":":1}`],
    ['an escape sequence outside of a string', String.raw`{"a":"x"\u002c":":1}`],
    ['a line break in an escaped name', '{"\\u0061\n":1}'],
    ['an unterminated name', String.raw`{"\u0061":1,"\u0062`],
  ])('returns undefined for %s', (_, text) => {
    expect(parseJson(text)).toBeUndefined();
  });
});
