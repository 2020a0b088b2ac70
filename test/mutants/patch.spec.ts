import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { CHAOS_MUTANTS } from './chaos-mutants.js';
import { patched } from './patch.js';
import { SUITE_MUTANTS } from './suite-mutants.js';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');

const patch = { file: 'a.js', find: 'AND owner = $3', replace: 'AND $& = 1' };

it('patched() replaces the text literally', () => {
  expect(patched('WHERE id = 1 AND owner = $3;', patch)).toBe('WHERE id = 1 AND $& = 1;');
});

it('patched() ignores line breaks', () => {
  const call = { file: 'a.js', find: 'send({ one, two });', replace: 'skip();' };
  expect(patched('a();\nsend({\n\tone,\n\ttwo\n});\n', call)).toBe('a();\nskip();\n');
});

it('patched() ignores the kind of quotation marks', () => {
  const header = { file: 'a.js', find: "say('a', 'b')", replace: 'skip()' };
  expect(patched(`say("a", "b");`, header)).toBe('skip();');
});

it.each([
  ['never', 'WHERE id = 1'],
  ['twice', 'AND owner = $3 AND owner = $3'],
])('patched() rejects text that occurs %s', (_, text) => {
  expect(() => patched(text, patch)).toThrow(/a\.js applies (0|2) times/);
});

/** Compiles the source of a file of the build. */
function compile(file: string): string {
  if (file.endsWith('.sql')) return readFileSync(path.join(REPOSITORY, file), 'utf8');
  const source = readFileSync(path.join(REPOSITORY, file.replace(/\.js$/, '.ts')), 'utf8');
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    experimentalDecorators: true,
  };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

it.each([...CHAOS_MUTANTS, ...SUITE_MUTANTS])(
  'the patches of the seeded bug $name apply to the code',
  ({ patches }) => {
    for (const patch of patches) expect(patched(compile(patch.file), patch)).toContain(patch.replace);
  },
);
