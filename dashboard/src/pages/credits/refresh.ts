/** Documents of programs spend credits at any time, and an operator grants them. */
export const CREDITS_REFRESH_MS = 10_000;
