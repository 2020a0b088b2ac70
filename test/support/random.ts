// `npm test` runs a short form of the random tests, with the same values each time. `npm run check -- random` runs far more
// of them, from a new seed.

const FACTOR = Number(process.env.RANDOM_FACTOR ?? 1);

/** What all that is random begins from; RANDOM_SEED repeats the run of a report. */
export const RANDOM_SEED = Number(process.env.RANDOM_SEED ?? 13);

/** How many runs a random test has, by how many it has in `npm test`. */
export function countRuns(short: number): number {
  return short * FACTOR;
}

/** Numbers from 0 to below 1, the same ones for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
