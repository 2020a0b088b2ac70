import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonText } from '../common/parse-json-text.js';
import { measureJson } from './parse-json.js';
import { REPEATED_MAX, buildRepeatedProblem, countMembers, findRepeatedMembers } from './repeated-members.js';

function hasRepeated(json: string): boolean {
  return countMembers(parseJsonText(json)) < measureJson(Buffer.from(json)).memberCount;
}

const findPointers = (json: string): string[] => findRepeatedMembers(json).map(({ pointer }) => pointer);

describe('findRepeatedMembers', () => {
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
  ])('finds fields %s', (_, json, pointers) => {
    expect(hasRepeated(json)).toBe(true);
    expect(findPointers(json)).toEqual(pointers);
  });

  it('ignores equal names in different objects and equal values', () => {
    const json = '{"a":[{"a":1},{"a":1}],"b":{"a":"a","c":["a","a"]},"":0}';
    expect(hasRepeated(json)).toBe(false);
    expect(findRepeatedMembers(json)).toEqual([]);
  });

  it('points to an enclosing object if a pointer could have any length', () => {
    const within = (json: string) => findRepeatedMembers(json).map(({ pointer, isWithin }) => [pointer, isWithin]);
    expect(within('[[[[[{"a":1,"a":1}]]]]]')).toEqual([['/0/0/0/0', true]]);
    expect(within('{"m":[[[[[{"a":1,"a":2}]]]]]}')).toEqual([['/m/0/0/0', true]]);
    expect(within(`{"${'n'.repeat(101)}":{"a":1,"a":1}}`)).toEqual([['', true]]);
    const name = 'n'.repeat(101);
    expect(within(`{"a":{"${name}":1,"${name}":2}}`)).toEqual([['/a', true]]);
  });

  it.each<[json: string, isSame: boolean]>([
    ['{"a":1,"a":1}', true],
    ['{"a":1,"a":1.0}', true],
    ['{"a":"é","a":"\\u00e9"}', true],
    ['{"a": {"x":1, "y":2} ,"a":{"y":2,"x":1}}', true],
    ['{"a":null,"a":null,"a":null}', true],
    ['{"a":1,"a":2}', false],
    ['{"a":1,"a":"1"}', false],
    ['{"a":1,"a":1,"a":2}', false],
    ['{"a":2,"a":1,"a":1}', false],
    ['{"a":0,"a":null}', false],
    ['{"a":[1],"a":[1,2]}', false],
    ['{"a":"A","a":"a"}', false],
  ])('compares the values in %s: %s', (json, isSame) => {
    expect(findRepeatedMembers(json)).toMatchObject([{ pointer: '/a', isSame }]);
  });

  it('distinguishes long values that differ only in white space', () => {
    const list = `[${'1,'.repeat(500)}1]`;
    expect(findRepeatedMembers(`{"a":${list},"a":${list}}`)).toMatchObject([{ isSame: true }]);
    expect(findRepeatedMembers(`{"a":${list},"a":[ ${list.slice(1)}}`)).toMatchObject([{ isSame: false }]);
  });

  it('finds different values after any number of equal ones', () => {
    const same = Array.from({ length: 2 * REPEATED_MAX }, (_, index) => `"m${index}":1,"m${index}":1`);
    const found = findRepeatedMembers(`{${same.join()},"a":1,"a":2}`);
    expect(found).toHaveLength(REPEATED_MAX + 1);
    expect(buildRepeatedProblem(found[0])).toMatchObject({ pointer: '/a', rule: 'repeated_member' });
  });

  it('finds fields after 10 MB of escapes', () => {
    const text = String.raw`\"`.repeat(5 * 1024 * 1024);
    expect(findPointers(`{"a":"${text}","a":1}`)).toEqual(['/a']);
  });

  it('limits the number of fields', () => {
    const members = Array.from({ length: 2 * REPEATED_MAX }, (_, index) => `"m${index}":1,"m${index}":2`);
    expect(findRepeatedMembers(`{${members.join()}}`)).toHaveLength(REPEATED_MAX);
  });

  it('finds nothing in arbitrary JSON without repeated fields', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
        const json = JSON.stringify(value);
        expect(hasRepeated(json)).toBe(false);
        expect(findRepeatedMembers(json)).toEqual([]);
      }),
    ));
});
