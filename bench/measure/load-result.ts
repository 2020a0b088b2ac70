import { percentile } from './statistics.js';

/** What one run of a closed loop gives: every client sends its next request when it has the response to its last. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export function summarise(latenciesMs: readonly number[], durationMs: number): LoadResult {
  return {
    requests: latenciesMs.length,
    seconds: durationMs / 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

/** The same of a queue: so many documents, in calls that took so long. */
export function summariseMoves(moved: number, callsMs: readonly number[], durationMs: number): LoadResult {
  return { ...summarise(callsMs, durationMs), requests: moved };
}
