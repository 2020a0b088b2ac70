import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonText } from '../common/parse-json-text.js';
import { measureJson } from './json-limits.js';
import { REPEATED_MAX, countMembers, findRepeatedMembers } from './repeated-members.js';

/** Whether a text holds a member more than once, as the reading of a body finds out. */
function hasRepeated(json: string): boolean {
  return countMembers(parseJsonText(json)) < measureJson(Buffer.from(json)).memberCount;
}

describe('members that are sent more than once', () => {
  it.each<[title: string, json: string, pointers: string[]]>([
    ['in the body', '{"a":1,"b":2,"a":3}', ['/a']],
    ['three times, are named once', '{"a":1,"a":2,"a":3}', ['/a']],
    ['in a document and a line', '{"d":[{},{"l":[{"q":1,"q":2}],"r":1,"r":1}]}', ['/d/1/l/0/q', '/d/1/r']],
    ['as objects', '{"a":{"x":1},"a":{"x":2}}', ['/a']],
    ['with another spelling of the name', String.raw`{"a":1,"\u0061":2}`, ['/a']],
    ['with an escaped name', '{"a/b~\\"":1,"a/b~\\"":2}', ['/a~1b~0"']],
    ['with the name of the prototype', '{"__proto__":1,"__proto__":{}}', ['/__proto__']],
    ['with an empty name', '{"":1,"":2}', ['/']],
    ['between white space and texts like JSON', '{ "a" : "{\\"a\\":[,]}" ,\n "a" : "\\\\" }', ['/a']],
  ])('%s', (_, json, pointers) => {
    expect(hasRepeated(json)).toBe(true);
    expect(findRepeatedMembers(json)).toEqual(pointers);
  });

  it('are not those of different objects, and not values', () => {
    const json = '{"a":[{"a":1},{"a":1}],"b":{"a":"a","c":["a","a"]},"":0}';
    expect(hasRepeated(json)).toBe(false);
    expect(findRepeatedMembers(json)).toEqual([]);
  });

  it('are not looked for where a pointer could have any length', () => {
    expect(findRepeatedMembers('[[[[[{"a":1,"a":1}]]]]]')).toEqual([]);
    expect(findRepeatedMembers(`{"${'n'.repeat(101)}":{"a":1,"a":1}}`)).toEqual([]);
  });

  it('are found behind 10 MB of escapes', () => {
    const text = String.raw`\"`.repeat(5 * 1024 * 1024);
    expect(findRepeatedMembers(`{"a":"${text}","a":1}`)).toEqual(['/a']);
  });

  it('are named up to a limit', () => {
    const members = Array.from({ length: 2 * REPEATED_MAX }, (_, index) => `"m${index}":1,"m${index}":2`);
    expect(findRepeatedMembers(`{${members.join()}}`)).toHaveLength(REPEATED_MAX);
  });

  it('are found in no JSON that has none', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
        const json = JSON.stringify(value);
        expect(hasRepeated(json)).toBe(false);
        expect(findRepeatedMembers(json)).toEqual([]);
      }),
    ));
});
