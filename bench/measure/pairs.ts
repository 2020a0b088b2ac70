import type { LoadResult } from './load-result.js';
import { median, type Spread, computeSpread } from './statistics.js';

/**
 * One run of one build, with the CPU time of its process and of PostgreSQL; NaN where the system does not report it.
 */
export interface BuildLoad extends Pick<LoadResult, 'requests' | 'seconds'> {
  readonly cpuSeconds: number;
}

export interface BuildSide {
  /** Prepares so many runs of so many requests. */
  begin(requests: number, runs: number): Promise<void>;
  /** Runs so many requests, or a few more. */
  run(requests: number): Promise<BuildLoad>;
  /** Takes out what the runs wrote; when all of them ended well, throws unless each request did what it must. */
  end(isComplete: boolean): Promise<void>;
  /** Replaces the build's process by a new one. */
  restart(): Promise<void>;
}

/** Two builds, each on its own database with as much in it. */
export interface BuildPair {
  /** Documents stored. */
  readonly size: number;
  readonly current: BuildSide;
  readonly other: BuildSide;
}

export interface PairRound {
  readonly current: BuildLoad;
  readonly other: BuildLoad;
}

export interface PairResult {
  readonly size: number;
  /** Requests a second, medians of the rounds. */
  readonly currentPerSecond: number;
  readonly otherPerSecond: number;
  /** This build's rate divided by the other's, within each round. */
  readonly rate: Spread;
  /** The same of requests a CPU second; null where the system does not report CPU time. */
  readonly cpu: Spread | null;
  readonly rounds: readonly PairRound[];
}

export interface PairOptions {
  readonly rounds: number;
  /** How long a run is to take. */
  readonly seconds: number;
  /** A run is at least so many requests. */
  readonly requestsMin: number;
  /** Whether processes live from run to run, and so have caches and compiled code to warm up. */
  readonly isWarm: boolean;
  readonly progress: (text: string) => void;
}

/**
 * Two processes of one build differ by some percent for as long as they live: by what V8 compiled when, and by where
 * their memory lies. So both builds get new processes after so many rounds.
 */
export const ROUNDS_PER_PROCESS = 5;
// A new API takes four times as long for its first forty batches as for later ones, and a larger build longer still.
export const WARM_UP_SECONDS = 6;

/**
 * Runs both builds in turn, round by round. Within a round they follow each other with the same number of requests, and
 * swap their order each round, so that other load on the machine affects both.
 */
export async function runPairs(pairs: readonly BuildPair[], options: PairOptions): Promise<PairResult[]> {
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

/** @returns requests a second of both builds together */
async function warmUp(pair: BuildPair, requestsMin: number): Promise<number> {
  // The first run finds caches cold and tells little about the rate.
  const [first] = await runRounds(pair, requestsMin, 1);
  const requests = Math.max(requestsMin, Math.round(addRates(first) * WARM_UP_SECONDS));
  const [second] = await runRounds(pair, requests, 1);
  return addRates(second);
}

async function runRounds({ current, other }: BuildPair, requests: number, count: number): Promise<PairRound[]> {
  const rounds: PairRound[] = [];
  try {
    await current.begin(requests, count);
    await other.begin(requests, count);
    for (let round = 0; round < count; round += 1) {
      rounds.push(await runRound({ current, other }, requests, round % 2 === 0));
    }
  } catch (error) {
    // What a failed run left must not meet the next benchmark; the first error is the one to report.
    await Promise.allSettled([current.end(false), other.end(false)]);
    throw error;
  }
  await current.end(true);
  await other.end(true);
  return rounds;
}

async function runRound(
  { current, other }: Pick<BuildPair, 'current' | 'other'>,
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

function computeRate({ requests, seconds }: BuildLoad): number {
  return requests / seconds;
}

function addRates({ current, other }: PairRound): number {
  return (current.requests + other.requests) / (current.seconds + other.seconds);
}

function perCpuSecond({ requests, cpuSeconds }: BuildLoad): number {
  return requests / cpuSeconds;
}
