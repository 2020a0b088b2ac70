// `npm test` runs few random cases, with the same seed each time. `npm run check -- random` runs many, with a new seed.

const FACTOR = Number(process.env.RANDOM_FACTOR ?? 1);

/** Seed of all random tests. The environment variable reproduces an earlier run. */
export const RANDOM_SEED = Number(process.env.RANDOM_SEED ?? 13);

/** Returns the number of runs of a random test that has `short` runs in `npm test`. */
export function countRuns(short: number): number {
  return short * FACTOR;
}

/** Creates a generator of numbers in [0, 1) that is deterministic for a seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
