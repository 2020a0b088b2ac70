import type { LoadResult } from './load-result.js';
import { median } from './statistics.js';

/** Runs so many requests in a closed loop; throws unless every one of them did what it must. */
export type Run = (requests: number) => Promise<LoadResult>;

/** The service and its floor on the same data. */
export interface Contest {
  /** Documents stored. */
  readonly size: number;
  readonly service: Run;
  readonly floor: Run;
}

export interface SideResult {
  /** Requests a second, the median of the rounds; so are the latencies. */
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rounds: readonly LoadResult[];
}

export interface ContestResult {
  readonly size: number;
  readonly service: SideResult;
  readonly floor: SideResult;
  /** Of the service's rate to its floor's: the median of the ratios within each round. */
  readonly ratio: number;
  readonly ratios: readonly number[];
}

export interface RoundsOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** A run is at least so many requests. */
  readonly requestsMin: number;
  readonly progress: (text: string) => void;
}

/**
 * A service runs for weeks, so it is measured once it is warm: compiled code comes with some thousand requests. Each run
 * of a warm-up takes its length from the rate of the one before, of which the first tells little.
 */
export const WARM_UP_SECONDS = 4;
const WARM_UP_RUN_SECONDS = 2;

interface Side {
  readonly run: Run;
  readonly results: LoadResult[];
}

/**
 * Runs all contests in turn, round by round, so that a change in the machine's speed affects every side. Within a round
 * the service and its floor follow each other; they swap their order each round.
 */
export async function runRounds(contests: readonly Contest[], options: RoundsOptions): Promise<ContestResult[]> {
  const entrants = contests.map((contest) => ({
    size: contest.size,
    service: { run: contest.service, results: [] as LoadResult[] } satisfies Side,
    floor: { run: contest.floor, results: [] as LoadResult[] } satisfies Side,
  }));
  const rates = new Map<Side, number>();
  for (const { service, floor } of entrants) {
    for (const side of [service, floor]) rates.set(side, await warmUp(side, options.requestsMin));
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    options.progress(`round ${round} of ${options.rounds}`);
    for (const { service, floor } of entrants) {
      for (const side of round % 2 === 1 ? [service, floor] : [floor, service]) {
        const wanted = Math.round((rates.get(side) ?? 0) * options.seconds);
        const result = await side.run(Math.max(options.requestsMin, wanted));
        rates.set(side, computeRate(result));
        side.results.push(result);
      }
    }
  }
  return entrants.map(({ size, service, floor }) => summariseContest(size, service.results, floor.results));
}

/** The time of a request at one size in the time at another, the median over the rounds. */
export function growth(from: ContestResult, to: ContestResult): number {
  return median(
    from.service.rounds.map((result, index) => computeRate(result) / computeRate(to.service.rounds[index])),
  );
}

/** @returns requests a second at its end */
async function warmUp(side: Side, requestsMin: number): Promise<number> {
  let last = await side.run(requestsMin);
  for (let spent = last.seconds; spent < WARM_UP_SECONDS; spent += last.seconds) {
    last = await side.run(Math.max(requestsMin, Math.round(computeRate(last) * WARM_UP_RUN_SECONDS)));
  }
  return computeRate(last);
}

function summariseContest(size: number, service: readonly LoadResult[], floor: readonly LoadResult[]): ContestResult {
  const ratios = service.map((result, index) => computeRate(result) / computeRate(floor[index]));
  return { size, service: summariseSide(service), floor: summariseSide(floor), ratio: median(ratios), ratios };
}

function summariseSide(rounds: readonly LoadResult[]): SideResult {
  return {
    requestsPerSecond: median(rounds.map(computeRate)),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    rounds,
  };
}

function computeRate({ requests, seconds }: LoadResult): number {
  return requests / seconds;
}
