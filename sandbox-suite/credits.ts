import type { Settings } from './options.js';

/** Credits that a complete run is charged. The last check compares them with the responses. */
const ANY_AUTHORITY = 27;
const SIMULATOR = 20;
/** Additional credits per organisation in a run with a second key. */
const SECOND_KEY = 1;

export function countCredits({ authority, secondKey }: Settings): { first: number; second: number } {
  const both = secondKey === null ? 0 : SECOND_KEY;
  return { first: ANY_AUTHORITY + (authority === 'simulator' ? SIMULATOR : 0) + both, second: both };
}
