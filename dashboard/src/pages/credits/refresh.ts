/** Client systems spend credits at any time, and operators grant them. */
export const CREDITS_REFRESH_MS = 10_000;
