// `npm test` plays a short part of the random tests, the same each time; `npm run check:random` plays far more of them, from
// a new seed.

const FACTOR = Number(process.env.RANDOM_FACTOR ?? 1);

/** What all that is random begins from; RANDOM_SEED repeats the run of a report. */
export const RANDOM_SEED = Number(process.env.RANDOM_SEED ?? 13);

/** How many runs a random test has, by how many it has in `npm test`. */
export function countRuns(short: number): number {
  return short * FACTOR;
}
