import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.js';
import { runCli } from '../../src/processes/cli.js';
import type { TestDatabase } from '../support/database.js';

export interface Ended {
  exitCode: number;
  out: string;
  error: string;
}

/** Runs an operator command on a database with the given standard input. */
export async function runCommand(
  { ownerUrl }: Pick<TestDatabase, 'ownerUrl'>,
  words: readonly string[],
  input = '',
): Promise<Ended> {
  const configuration = readConfiguration('operator', { DATABASE_OWNER_URL: ownerUrl });
  const ended = { exitCode: -1, out: '', error: '' };
  const output = {
    out: (text: string) => (ended.out += text),
    error: (text: string) => (ended.error += text),
  };
  ended.exitCode = await runCli(configuration, words, output, Readable.from([input]));
  return ended;
}

/** Runs an operator command that must succeed and returns its JSON output. */
export async function readCommand<T>(
  database: Pick<TestDatabase, 'ownerUrl'>,
  words: readonly string[],
  input = '',
): Promise<T> {
  const { exitCode, out, error } = await runCommand(database, [...words, '--json'], input);
  expect({ exitCode, error, lines: out.split('\n').length }).toEqual({ exitCode: 0, error: '', lines: 2 });
  return JSON.parse(out) as T;
}
