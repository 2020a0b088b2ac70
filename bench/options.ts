import { parseArgs } from 'node:util';
import { CYCLE_DOCUMENTS } from './database/fill.sql.js';
import { DOCUMENTS_PER_BATCH } from './queue/fill-queue.js';

/** Benchmarks in the order in which they run. */
export const BENCHMARKS = [
  'accept-batch',
  'accept-single',
  'status',
  'queue-batch',
  'queue-single',
  'queue-to-valid',
  'dashboard-list',
] as const;
export type BenchmarkName = (typeof BENCHMARKS)[number];

/** Benchmarks that can also compare two builds. */
export const COMPARED: readonly BenchmarkName[] = [
  'accept-batch',
  'accept-single',
  'status',
  'queue-batch',
  'queue-to-valid',
];

export interface Options {
  /** Numbers of documents stored before a run. Growth is relative to the first size. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Duration of a run, which is one side, one size and one round. */
  readonly seconds: number;
  readonly connections: number;
  /** Number of queued documents for `queue-to-valid`. */
  readonly documents: number;
  readonly only: readonly BenchmarkName[];
  readonly jsonFile: string | null;
  /** Folder of another checkout to compare with, or null to compare with the floors. */
  readonly against: string | null;
}

/** Defaults that take at most ten minutes on two idle cores. */
const DEFAULTS = {
  floors: { sizes: '10000,100000', rounds: '3', seconds: '3', documents: '20000' },
  // With many short rounds, a burst of other load does not change the median.
  builds: { sizes: '100000', rounds: '15', seconds: '1', documents: '5000' },
} as const;

/**
 * Returns the number of rounds of `queue-to-valid`, whose runs take several times longer than those of
 * other benchmarks.
 */
export function roundsToValid({ rounds }: Options): number {
  return Math.ceil(rounds / 5);
}

const USAGE = `Usage: npm run bench -- [--against CHECKOUT] [--only ${BENCHMARKS.join('|')}] [--json FILE]
                        [--sizes 10000,1000000] [--rounds N] [--seconds N] [--connections N]
                        [--documents N]`;

const ROUNDS_MAX = 100;
const SECONDS_MAX = 60;
const CONNECTIONS_MAX = 64;
const DOCUMENTS_MAX = 10_000_000;

/** @throws Error with the usage */
export function readOptions(parameters: readonly string[]): Options {
  try {
    return read(parameters);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

function read(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      against: { type: 'string' },
      sizes: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '8' },
      documents: { type: 'string' },
      only: { type: 'string', multiple: true },
      json: { type: 'string' },
    },
  });
  const { sizes, rounds, seconds, documents } = {
    ...(values.against === undefined ? DEFAULTS.floors : DEFAULTS.builds),
    ...values,
  };
  return {
    sizes: sizes
      .split(',')
      .map((text) => assertMultiple(CYCLE_DOCUMENTS, 'sizes', number('sizes', text, DOCUMENTS_MAX))),
    rounds: number('rounds', rounds, ROUNDS_MAX),
    seconds: number('seconds', seconds, SECONDS_MAX),
    connections: number('connections', values.connections, CONNECTIONS_MAX),
    documents: assertMultiple(DOCUMENTS_PER_BATCH, 'documents', number('documents', documents, DOCUMENTS_MAX)),
    jsonFile: values.json ?? null,
    against: values.against ?? null,
    only: pickNames(values.against === undefined ? BENCHMARKS : COMPARED, values.only),
  };
}

function number(name: string, text: string, maximum: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  throw new Error(`--${name} must be a whole number from 1 to ${maximum}, not "${text}"`);
}

function assertMultiple(unit: number, name: string, value: number): number {
  if (value % unit === 0) return value;
  throw new Error(`--${name} must be a multiple of ${unit}, because documents come in whole batches; ${value} is not`);
}

/** Returns the selected benchmarks in their usual order, or all if none is selected. */
function pickNames(known: readonly BenchmarkName[], wanted: readonly string[] | undefined): BenchmarkName[] {
  const unknown = wanted?.find((text) => !known.some((name) => name === text));
  if (unknown !== undefined) {
    const reason = known === BENCHMARKS ? '' : ' compared between builds';
    throw new Error(`--only must be one of ${known.join(', ')}; "${unknown}" is not${reason}`);
  }
  return known.filter((name) => wanted === undefined || wanted.includes(name));
}
