import { percentile } from './statistics.js';

/** Result of a closed loop, in which each client waits for a response before its next request. */
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

/** Summarises the calls that moved the documents of a queue. */
export function summariseMoves(moved: number, callsMs: readonly number[], durationMs: number): LoadResult {
  return { ...summarise(callsMs, durationMs), requests: moved };
}
