import { ROUNDS_PER_PROCESS, WARM_UP_SECONDS as PAIR_WARM_UP_SECONDS } from './measure/pairs.js';
import { WARM_UP_SECONDS } from './measure/rounds.js';
import {
  type BenchmarkName,
  type ComparedName,
  HTTP_BENCHMARKS,
  type Options,
  type ReadOptions,
  roundsToValid,
} from './options.js';

// Estimate of the duration, which is printed before the run. The constants were measured on two idle cores. Everything
// takes longer if other programs run at the same time.

const SERVER_SECONDS = 3;
const STORED_DOCUMENT_SECONDS = 1 / 10_000;
const TO_VALID_DOCUMENT_SECONDS = 1 / 1_000;
const SIDES = 2;

/** Seconds between two runs, for verifying and deleting the written rows and for refilling the queue. */
const BETWEEN = { accept: 1, status: 0.2, queue: 2 } as const;
const PROCESS_START_SECONDS = 2;
const TO_VALID_START_SECONDS = 6;

export function estimateSeconds(options: ReadOptions): number {
  return SERVER_SECONDS + (options.against === null ? againstFloors(options) : againstBuild(options));
}

function againstFloors(options: Options): number {
  const { sizes, rounds, seconds, documents, only } = options;
  const contest = (runSeconds: number, between: number): number =>
    SIDES * (WARM_UP_SECONDS + 2 * between + rounds * (runSeconds + between));
  const stored = sizes.reduce((sum, size) => sum + PROCESS_START_SECONDS + size * STORED_DOCUMENT_SECONDS, 0);
  const parts: Record<BenchmarkName, number> = {
    'accept-batch': sizes.length * contest(seconds, BETWEEN.accept),
    'accept-single': sizes.length * contest(seconds, BETWEEN.accept),
    status: sizes.length * contest(seconds, BETWEEN.status),
    'queue-batch': contest(seconds, BETWEEN.queue),
    'queue-batch-built': contest(seconds, BETWEEN.queue),
    'queue-single': contest(seconds, BETWEEN.queue),
    'queue-to-valid': TO_VALID_START_SECONDS + documents * TO_VALID_DOCUMENT_SECONDS,
    'dashboard-list': 30 + Math.max(...sizes) * STORED_DOCUMENT_SECONDS,
  };
  return addSeconds(only, parts) + estimateSetUp(only, stored, PROCESS_START_SECONDS);
}

function againstBuild(options: Options<ComparedName>): number {
  const { sizes, rounds, seconds, documents, only } = options;
  // Each of the two warm-ups, and the rounds of one process, start with a fill and end with a verification.
  const pairs = (between: number): number =>
    SIDES *
    (Math.ceil(rounds / ROUNDS_PER_PROCESS) * (PROCESS_START_SECONDS + PAIR_WARM_UP_SECONDS + 3 * between) +
      rounds * seconds);
  const stored = sizes.reduce((sum, size) => sum + PROCESS_START_SECONDS + size * STORED_DOCUMENT_SECONDS, 0);
  const parts: Record<ComparedName, number> = {
    'accept-batch': sizes.length * pairs(BETWEEN.accept),
    'accept-single': sizes.length * pairs(BETWEEN.accept),
    status: sizes.length * pairs(BETWEEN.status),
    'queue-batch': pairs(BETWEEN.queue),
    'queue-batch-built': pairs(BETWEEN.queue),
    'queue-to-valid': roundsToValid(options) * SIDES * (TO_VALID_START_SECONDS + documents * TO_VALID_DOCUMENT_SECONDS),
  };
  return addSeconds(only, parts) + SIDES * estimateSetUp(only, stored, PROCESS_START_SECONDS);
}

function addSeconds<Name extends BenchmarkName>(names: readonly Name[], seconds: Record<Name, number>): number {
  return names.reduce((sum, name) => sum + seconds[name], 0);
}

/** Estimates the setup that the selected benchmarks need. */
function estimateSetUp(only: readonly BenchmarkName[], stored: number, queue: number): number {
  const needsStored = only.some((name) => HTTP_BENCHMARKS.some((http) => http === name));
  return (needsStored ? stored : 0) + (only.some((name) => name.startsWith('queue')) ? queue : 0);
}
