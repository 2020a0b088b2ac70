import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBuild } from '../../bench/builds/build.js';
import { BENCHMARKS, COMPARED, readOptions } from '../../bench/options.js';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');

describe('npm run bench', () => {
  it.each([
    { against: 'the floors', parameters: [], names: BENCHMARKS },
    { against: 'another build', parameters: ['--against', '.'], names: COMPARED },
  ])('runs all benchmarks against $against by default', ({ parameters, names }) => {
    expect(readOptions(parameters).only).toEqual(names);
  });

  it('runs each benchmark of --only once in the default order', () => {
    const { only } = readOptions(['--only', 'queue-single', '--only', 'accept-single', '--only', 'queue-single']);
    expect(only).toEqual(['accept-single', 'queue-single']);
  });

  it.each([
    { parameters: ['--only', 'speed'], message: '"speed" is not' },
    {
      parameters: ['--against', '.', '--only', 'queue-single'],
      message: '"queue-single" is not compared between builds',
    },
    { parameters: ['--documents', '150'], message: '--documents must be a multiple of 100' },
    { parameters: ['--sizes', '10000,150'], message: '--sizes must be a multiple of 200' },
    { parameters: ['--rounds', '0'], message: '--rounds must be a whole number from 1 to 100, not "0"' },
    { parameters: ['--documents', 'many'], message: '--documents must be a whole number' },
  ])('rejects $parameters and prints the usage', ({ parameters, message }) => {
    expect(() => readOptions(parameters)).toThrow(message);
    expect(() => readOptions(parameters)).toThrow('Usage: npm run bench');
  });

  it('rejects an --against folder without a build', () => {
    const folder = path.join(REPOSITORY, 'docs');
    expect(() => openBuild(folder)).toThrow(`--against ${folder} has no dist/src/processes/api.js`);
  });
});
