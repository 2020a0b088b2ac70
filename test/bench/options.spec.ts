import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildFile } from '../../bench/builds/build-file.js';
import { openBuild } from '../../bench/builds/build.js';
import { estimateSeconds } from '../../bench/estimate.js';
import { BENCHMARKS, COMPARED, readOptions } from '../../bench/options.js';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const TEN_MINUTES = 600;

describe('npm run bench', () => {
  it.each([
    { what: 'the floors', parameters: [], names: BENCHMARKS },
    { what: 'another build', parameters: ['--against', '.'], names: COMPARED },
  ])('measures everything against $what within ten minutes when nothing is asked for', ({ parameters, names }) => {
    const options = readOptions(parameters);
    expect(options.only).toEqual(names);
    expect(estimateSeconds(options)).toBeLessThanOrEqual(TEN_MINUTES);
  });

  it.each([
    { parameters: ['--rounds', '19'] },
    { parameters: ['--seconds', '9'] },
    { parameters: ['--sizes', '10000,10000000'] },
    { parameters: ['--documents', '1000000'] },
  ])('estimates that $parameters takes longer', ({ parameters }) => {
    for (const mode of [[], ['--against', '.']]) {
      expect(estimateSeconds(readOptions([...mode, ...parameters]))).toBeGreaterThan(
        estimateSeconds(readOptions(mode)),
      );
    }
  });

  it('runs what --only names, in its own order and each once', () => {
    const { only } = readOptions(['--only', 'queue-single', '--only', 'accept-single', '--only', 'queue-single']);
    expect(only).toEqual(['accept-single', 'queue-single']);
    expect(estimateSeconds(readOptions(['--only', 'queue-single']))).toBeLessThan(60);
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
    { parameters: ['--against', '.', '--traces', '2'], message: '--traces must be a share from 0 to 1, not "2"' },
    { parameters: ['--traces', '0.1'], message: '--traces compares with --against' },
  ])('refuses $parameters with the usage', ({ parameters, message }) => {
    expect(() => readOptions(parameters)).toThrow(message);
    expect(() => readOptions(parameters)).toThrow('Usage: npm run bench');
  });

  it('refuses a folder that is no built checkout, before anything is started', () => {
    const folder = path.join(REPOSITORY, 'docs');
    expect(() => openBuild(folder)).toThrow(`--against ${folder} has no dist/src/processes/api.js`);
  });

  it.each([
    ['this one', ['src/processes/api.js', 'src/processes/dispatcher.js', 'src/processes/migrate.js']],
    ['the one before src/processes/', ['src/main.js', 'src/dispatcher.js', 'src/migrate.js']],
  ])('starts a build of either layout: %s', async (_, programs) => {
    const checkout = await mkdtemp(path.join(tmpdir(), 'einvoice-layout-'));
    onTestFinished(() => rm(checkout, { recursive: true, force: true }));
    await mkdir(path.join(checkout, 'node_modules'));
    for (const file of [...programs, 'bench/main.js']) {
      await mkdir(path.dirname(path.join(checkout, 'dist', file)), { recursive: true });
      await writeFile(path.join(checkout, 'dist', file), '');
    }
    const { dist } = openBuild(checkout);
    const asked = ['src/processes/api.js', 'src/processes/dispatcher.js', 'src/processes/migrate.js', 'bench/main.js'];
    expect(asked.map((file) => path.relative(dist, buildFile(dist, file)))).toEqual([...programs, 'bench/main.js']);
  });
});
