import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from '../../standalone/program.js';
import { runRestore } from './restore.js';
import { Stage } from './stage.js';

const DOCUMENTS = '1000';
const DOCUMENTS_MIN = 100;

/**
 * `npm run check -- restore`: loses a database and restores it to a point before its latest
 * sends (docs/restore.md#how-it-is-checked).
 */
await runProgram(async (closing) => {
  const { values } = parseArgs({ options: { documents: { type: 'string', default: DOCUMENTS } } });
  const documents = Number(values.documents);
  if (!Number.isInteger(documents) || documents < DOCUMENTS_MIN) {
    throw new Error(`--documents must be a whole number of at least ${DOCUMENTS_MIN}, not "${values.documents}"`);
  }
  const directory = await mkdtemp(path.join(tmpdir(), 'einvoice-restore-'));
  await closing.add({ close: () => rm(directory, { recursive: true, force: true }) });
  const stage = await Stage.start(directory);
  await closing.add({ close: () => stage.stop(), kill: () => stage.kill() });
  const { counts, scenes } = await runRestore(stage, { documents, progress });
  print(`${documents} documents: ${format(scenes)}\n${format(counts)}`);
  const isSeen = Object.values(scenes).every((seen) => seen > 0);
  if (!isSeen) print('A part of the scene did not happen, so that this run shows nothing');
  return isSeen && Object.values(counts).every((each) => each === 0) ? 0 : 1;
});

function format(figures: Readonly<Record<string, number>>): string {
  return Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(' ');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints to standard error because standard output is reserved for the result. */
function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}
