import type { Settings } from './options.js';

/** What a complete run charges; its last check compares this with what the responses said. */
const ANY_AUTHORITY = 27;
const SIMULATOR = 20;
/** Of each of the two organisations. */
const SECOND_KEY = 1;

export function countCredits({ authority, secondKey }: Settings): { first: number; second: number } {
  const both = secondKey === null ? 0 : SECOND_KEY;
  return { first: ANY_AUTHORITY + (authority === 'simulator' ? SIMULATOR : 0) + both, second: both };
}
