import type { LoadResult } from './load-result.js';
import { median, type Spread, computeSpread } from './statistics.js';

export interface SideLoad
  extends Pick<LoadResult, 'requests' | 'seconds'>, Partial<Pick<LoadResult, 'p50Ms' | 'p99Ms'>> {
  /** CPU time of the measured process and of PostgreSQL. NaN if the system does not report it. */
  readonly cpuSeconds: number;
}

export interface Side {
  /** Prepares `runs` runs of `requests` requests each. */
  begin(requests: number, runs: number): Promise<void>;
  /** Runs at least the given number of requests. */
  run(requests: number): Promise<SideLoad>;
  /** Deletes the rows of the runs. If all runs succeeded, verifies the rows first. */
  end(isComplete: boolean): Promise<void>;
  restart(): Promise<void>;
}

/** Two sides with separate databases of the same size. */
export interface Pair {
  readonly size: number;
  readonly current: Side;
  readonly other: Side;
}

type PairRound = Readonly<Record<'current' | 'other', SideLoad>>;

export interface PairResult {
  readonly size: number;
  /** Median requests per second. */
  readonly currentPerSecond: number;
  readonly otherPerSecond: number;
  /** Ratios of the current side's rate to the other side's rate within each round. */
  readonly rate: Spread;
  /** The same ratios for requests per CPU second, or null if the system does not report CPU time. */
  readonly cpu: Spread | null;
  readonly rounds: readonly PairRound[];
}

export interface PairOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly requestsMin: number;
  /** Whether the processes are reused across runs and therefore need a warm-up. */
  readonly isWarm: boolean;
  readonly progress: (text: string) => void;
}

/**
 * Number of rounds after which both sides get new processes. Two processes of the same build differ by a few percent,
 * depending on V8's compilation and on memory layout.
 */
export const ROUNDS_PER_PROCESS = 5;
// The first forty batches of a new API process take four times as long as later ones.
const WARM_UP_SECONDS = 6;

/**
 * Runs both sides alternately with the same number of requests. Their order changes in each round, so that other load
 * on the machine affects both.
 */
export async function runPairs(pairs: readonly Pair[], options: PairOptions): Promise<PairResult[]> {
  const rounds = pairs.map((): PairRound[] => []);
  for (let first = 0; first < options.rounds; first += ROUNDS_PER_PROCESS) {
    const count = Math.min(ROUNDS_PER_PROCESS, options.rounds - first);
    options.progress(`rounds ${first + 1} to ${first + count} of ${options.rounds}`);
    for (const [index, pair] of pairs.entries()) {
      if (first > 0) {
        await pair.current.restart();
        await pair.other.restart();
      }
      const rate = options.isWarm ? await warmUp(pair, options.requestsMin) : 0;
      const requests = Math.max(options.requestsMin, Math.round(rate * options.seconds));
      rounds[index].push(...(await runRounds(pair, requests, count)));
    }
  }
  return pairs.map(({ size }, index) => summarisePairs(size, rounds[index]));
}

/** @returns the combined rate of both sides in requests per second */
async function warmUp(pair: Pair, requestsMin: number): Promise<number> {
  // The rate of the first run is too low because the caches are cold.
  const [first] = await runRounds(pair, requestsMin, 1);
  const requests = Math.max(requestsMin, Math.round(addRates(first) * WARM_UP_SECONDS));
  const [second] = await runRounds(pair, requests, 1);
  return addRates(second);
}

async function runRounds({ current, other }: Pair, requests: number, count: number): Promise<PairRound[]> {
  const rounds: PairRound[] = [];
  try {
    await current.begin(requests, count);
    await other.begin(requests, count);
    for (let round = 0; round < count; round += 1) {
      rounds.push(await runRound({ current, other }, requests, round % 2 === 0));
    }
  } catch (error) {
    // Deletes the rows of the failed run so that the next benchmark can start. Reports only the first error.
    await Promise.allSettled([current.end(false), other.end(false)]);
    throw error;
  }
  await current.end(true);
  await other.end(true);
  return rounds;
}

async function runRound(
  { current, other }: Pick<Pair, 'current' | 'other'>,
  requests: number,
  isCurrentFirst: boolean,
): Promise<PairRound> {
  if (isCurrentFirst) {
    const first = await current.run(requests);
    return { current: first, other: await other.run(requests) };
  }
  const first = await other.run(requests);
  return { current: await current.run(requests), other: first };
}

function summarisePairs(size: number, rounds: readonly PairRound[]): PairResult {
  const cpuRatios = rounds.map(({ current, other }) => perCpuSecond(current) / perCpuSecond(other));
  return {
    size,
    currentPerSecond: median(rounds.map(({ current }) => computeRate(current))),
    otherPerSecond: median(rounds.map(({ other }) => computeRate(other))),
    rate: computeSpread(rounds.map(({ current, other }) => computeRate(current) / computeRate(other))),
    cpu: cpuRatios.every(Number.isFinite) ? computeSpread(cpuRatios) : null,
    rounds,
  };
}

function computeRate({ requests, seconds }: SideLoad): number {
  return requests / seconds;
}

function addRates({ current, other }: PairRound): number {
  return (current.requests + other.requests) / (current.seconds + other.seconds);
}

function perCpuSecond({ requests, cpuSeconds }: SideLoad): number {
  return requests / cpuSeconds;
}
