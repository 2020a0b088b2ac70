import { parseArgs } from 'node:util';
import { CYCLE_DOCUMENTS } from './database/fill.sql.js';
import { DOCUMENTS_PER_BATCH } from './queue/fill-queue.js';

export const HTTP_BENCHMARKS = ['accept-batch', 'accept-single', 'status'] as const;
export const QUEUE_BENCHMARKS = ['queue-batch', 'queue-batch-built', 'queue-single'] as const;
/** In the order in which they are run. */
export const BENCHMARKS = [...HTTP_BENCHMARKS, ...QUEUE_BENCHMARKS, 'queue-to-valid', 'dashboard-list'] as const;
export type BenchmarkName = (typeof BENCHMARKS)[number];

/** What another build is asked for with `--against`. */
export const COMPARED = [...HTTP_BENCHMARKS, 'queue-batch', 'queue-batch-built', 'queue-to-valid'] as const;
export type ComparedName = (typeof COMPARED)[number];

export interface Options<Name extends BenchmarkName = BenchmarkName> {
  /** Documents stored before anything is measured; the first is what growth is measured from. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Of each run: one side, one size, one round. */
  readonly seconds: number;
  readonly connections: number;
  /** Queued for `queue-to-valid`. */
  readonly documents: number;
  readonly only: readonly Name[];
  readonly jsonFile: string | null;
}

export type ReadOptions =
  | (Options & { readonly against: null })
  /** The folder of another checkout, which is compared instead of a floor. */
  | (Options<ComparedName> & {
      readonly against: string;
      /** Share of the requests that this build records traces of, and the other does not; null: traces are off. */
      readonly traces: number | null;
    });

/** At most ten minutes on two cores, see docs/performance.md. */
const DEFAULTS = {
  floors: { sizes: '10000,100000', rounds: '3', seconds: '3', documents: '20000' },
  // Many short rounds: a burst of another program spoils one of them, and the median does not notice.
  builds: { sizes: '100000', rounds: '15', seconds: '1', documents: '5000' },
} as const;

/** Of another build: one from the queue to `Valid` takes as long as several of the others. */
export function roundsToValid({ rounds }: Options): number {
  return Math.ceil(rounds / 5);
}

const USAGE = `Usage: npm run bench -- [--against CHECKOUT] [--only ${BENCHMARKS.join('|')}] [--json FILE]
                        [--sizes 10000,1000000] [--rounds N] [--seconds N] [--connections N]
                        [--documents N] [--traces SHARE]`;

const ROUNDS_MAX = 100;
const SECONDS_MAX = 60;
const CONNECTIONS_MAX = 64;
const DOCUMENTS_MAX = 10_000_000;

/** @throws Error with the usage */
export function readOptions(parameters: readonly string[]): ReadOptions {
  try {
    return read(parameters);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

function read(parameters: readonly string[]): ReadOptions {
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
      traces: { type: 'string' },
    },
  });
  const { sizes, rounds, seconds, documents } = {
    ...(values.against === undefined ? DEFAULTS.floors : DEFAULTS.builds),
    ...values,
  };
  const common = {
    sizes: sizes
      .split(',')
      .map((text) => assertMultiple(CYCLE_DOCUMENTS, 'sizes', number('sizes', text, DOCUMENTS_MAX))),
    rounds: number('rounds', rounds, ROUNDS_MAX),
    seconds: number('seconds', seconds, SECONDS_MAX),
    connections: number('connections', values.connections, CONNECTIONS_MAX),
    documents: assertMultiple(DOCUMENTS_PER_BATCH, 'documents', number('documents', documents, DOCUMENTS_MAX)),
    jsonFile: values.json ?? null,
  };
  const { against = null, only } = values;
  const traces = readShare(values.traces);
  if (against === null && traces !== null) throw new Error('--traces compares with --against, which is missing');
  if (against === null) return { ...common, against, only: pickNames(BENCHMARKS, only) };
  return { ...common, against, traces, only: pickNames(COMPARED, only) };
}

function readShare(text: string | undefined): number | null {
  if (text === undefined) return null;
  const share = Number(text);
  if (share >= 0 && share <= 1 && text !== '') return share;
  throw new Error(`--traces must be a share from 0 to 1, not "${text}"`);
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

/** In the order of the known ones; all of them when none is named. */
function pickNames<Name extends BenchmarkName>(known: readonly Name[], wanted: readonly string[] | undefined): Name[] {
  for (const text of wanted ?? []) {
    if (!known.some((name) => name === text)) {
      throw new Error(
        `--only must be one of ${known.join(', ')}; "${text}" is not${known.length < BENCHMARKS.length ? ' compared between builds' : ''}`,
      );
    }
  }
  return known.filter((name) => wanted === undefined || wanted.includes(name));
}
