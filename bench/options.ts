import { parseArgs } from 'node:util';
import { CYCLE_DOCUMENTS } from './database/fill.sql.js';

export const HTTP_BENCHMARKS = ['accept-batch', 'accept-single', 'status'] as const;
export const QUEUE_BENCHMARKS = [
  'queue-batch',
  'queue-batch-built',
  'queue-single',
  'queue-snapshot',
  'queue-to-valid',
] as const;
export const BENCHMARKS = [...HTTP_BENCHMARKS, ...QUEUE_BENCHMARKS, 'dashboard-list'] as const;
export type BenchmarkName = (typeof BENCHMARKS)[number];

export interface Options {
  /** Documents stored before anything is measured; the first is what growth is measured from. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Of each run: one side, one size, one round. */
  readonly seconds: number;
  readonly connections: number;
  /** How long an old snapshot is held while the queue is moved. */
  readonly holdSeconds: number;
  readonly only: readonly BenchmarkName[];
  readonly jsonFile: string | null;
}

const USAGE = `Usage: npm run bench -- [--sizes 10000,1000000] [--rounds 5] [--seconds 4] [--connections 8]
                        [--hold-seconds 60]
                        [--only ${BENCHMARKS.join('|')}] [--json FILE]`;

const ROUNDS_MAX = 100;
const SECONDS_MAX = 60;
const CONNECTIONS_MAX = 64;
const DOCUMENTS_MAX = 10_000_000;

/** @throws Error with the usage */
export function readOptions(parameters: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      options: {
        sizes: { type: 'string', default: '10000,1000000' },
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '4' },
        connections: { type: 'string', default: '8' },
        'hold-seconds': { type: 'string', default: '60' },
        only: { type: 'string', multiple: true, default: [...BENCHMARKS] },
        json: { type: 'string' },
      },
    });
    return {
      sizes: values.sizes.split(',').map((text) => multipleOf(CYCLE_DOCUMENTS, number('sizes', text, DOCUMENTS_MAX))),
      rounds: number('rounds', values.rounds, ROUNDS_MAX),
      seconds: number('seconds', values.seconds, SECONDS_MAX),
      connections: number('connections', values.connections, CONNECTIONS_MAX),
      holdSeconds: number('hold-seconds', values['hold-seconds'], SECONDS_MAX),
      only: values.only.map(benchmarkNamed),
      jsonFile: values.json ?? null,
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

function number(name: string, text: string, maximum: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  throw new Error(`--${name} must be a whole number from 1 to ${maximum}, not "${text}"`);
}

function multipleOf(unit: number, value: number): number {
  if (value % unit === 0) return value;
  throw new Error(`--sizes must be multiples of ${unit}, the documents of one cycle of batches`);
}

function benchmarkNamed(text: string): BenchmarkName {
  const name = BENCHMARKS.find((known) => known === text);
  if (name === undefined) throw new Error(`--only must be one of ${BENCHMARKS.join(', ')}`);
  return name;
}
