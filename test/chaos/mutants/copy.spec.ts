import { expect, it } from 'vitest';
import { patched } from './copy.js';

const patch = { file: 'a.js', find: 'AND owner = $3', replace: 'AND $& = 1' };

it('puts a bug where its text stands, literally', () => {
  expect(patched('WHERE id = 1 AND owner = $3;', patch)).toBe('WHERE id = 1 AND $& = 1;');
});

it('puts it there whatever the line breaks', () => {
  const call = { file: 'a.js', find: 'send({ one, two });', replace: 'skip();' };
  expect(patched('a();\nsend({\n\tone,\n\ttwo\n});\n', call)).toBe('a();\nskip();\n');
});

it.each([
  ['nowhere', 'WHERE id = 1'],
  ['twice', 'AND owner = $3 AND owner = $3'],
])('refuses a patch whose text stands there %s', (_, text) => {
  expect(() => patched(text, patch)).toThrow(/a\.js applies (0|2) times/);
});
