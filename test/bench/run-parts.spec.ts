import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Figure, lazily, type Outcome, type Part, runParts, writeJsonFile } from '../../bench/run-parts.js';

let folder = tmpdir();

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-bench-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const buildPart = (name: string, measure: () => Promise<Figure>): Part => ({ name, measure });
const buildFigure = (name: string): Figure => ({ text: `${name}: 7`, json: { value: 7 } });

/** Records the printed lines and saves the outcome to a file. */
function openRun(signal = new AbortController().signal) {
  const printed: string[] = [];
  const file = path.join(folder, 'figures.json');
  const saved = async (): Promise<Outcome> => JSON.parse(await readFile(file, 'utf8')) as Outcome;
  const options = {
    signal,
    progress: () => undefined,
    print: (text: string) => void printed.push(text),
    save: (outcome: Outcome) => writeJsonFile(file, outcome),
  };
  return { printed, saved, options };
}

describe('a benchmark run', () => {
  it('keeps the results of the other parts if one fails', async () => {
    const { printed, saved, options } = openRun();
    const outcome = await runParts(
      [
        buildPart('accept', async () => buildFigure('accept')),
        buildPart('status', () => Promise.reject(new Error('The API ended'))),
        buildPart('queue', async () => buildFigure('queue')),
      ],
      options,
    );
    expect(outcome).toEqual({
      figures: { accept: { value: 7 }, queue: { value: 7 } },
      failures: { status: 'The API ended' },
    });
    expect(printed).toEqual(['accept: 7', 'status failed: The API ended', 'queue: 7']);
    expect(await saved()).toEqual(outcome);
  });

  it('saves each figure before the next part starts', async () => {
    const { printed, saved, options } = openRun();
    const seen: object[] = [];
    const look = async (): Promise<void> =>
      void seen.push({ printed: [...printed], names: Object.keys((await saved()).figures) });
    await runParts(
      ['first', 'second', 'third'].map((name) =>
        buildPart(name, async () => {
          await look();
          return buildFigure(name);
        }),
      ),
      options,
    );
    expect(seen).toEqual([
      { printed: [], names: [] },
      { printed: ['first: 7'], names: ['first'] },
      { printed: ['first: 7', 'second: 7'], names: ['first', 'second'] },
    ]);
    expect(await readdir(folder)).toEqual(['figures.json']);
  });

  it('fails before the first part if it cannot save results', async () => {
    let measured = 0;
    const { options } = openRun();
    const save = (outcome: Outcome): Promise<void> => writeJsonFile(path.join(folder, 'missing/figures.json'), outcome);
    const part = buildPart('accept', async () => {
      measured += 1;
      return buildFigure('accept');
    });
    await expect(runParts([part], { ...options, save })).rejects.toThrow('ENOENT');
    expect(measured).toBe(0);
  });

  it('starts no further part after Ctrl-C', async () => {
    const ending = new AbortController();
    const { printed, saved, options } = openRun(ending.signal);
    const interrupted = buildPart('status', async () => {
      ending.abort(new Error('stopped'));
      throw new Error('The API ended');
    });
    const parts = [
      buildPart('accept', async () => buildFigure('accept')),
      interrupted,
      buildPart('queue', async () => buildFigure('queue')),
    ];
    await expect(runParts(parts, options)).rejects.toThrow('stopped');
    expect(printed).toEqual(['accept: 7']);
    expect(await saved()).toEqual({ figures: { accept: { value: 7 } }, failures: {} });
  });

  it('runs a failing shared setup once and fails each part that uses it', async () => {
    let tries = 0;
    const stage = lazily(async (): Promise<Figure> => {
      tries += 1;
      throw new Error('No database');
    });
    const { options } = openRun();
    const { figures, failures } = await runParts(
      [
        buildPart('accept', stage),
        buildPart('status', stage),
        buildPart('building', async () => buildFigure('building')),
      ],
      options,
    );
    expect(failures).toEqual({ accept: 'No database', status: 'No database' });
    expect(Object.keys(figures)).toEqual(['building']);
    expect(tries).toBe(1);
  });
});
