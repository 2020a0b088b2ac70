// Malaysia keeps UTC+8 all year.
const OFFSET_MS = 8 * 3_600_000;

/** `2026-01-31 16:05`: an instant on a clock in Malaysia, to the minute. */
export function formatMalaysianTime(instant: string): string {
  return shifted(Date.parse(instant)).slice(0, 16).replace('T', ' ');
}

/** `2026-01-31 16:05:09`: the same to the second, where steps follow each other closely. */
export function formatMalaysianSecond(instant: string): string {
  return shifted(Date.parse(instant)).slice(0, 19).replace('T', ' ');
}

/** To the minute with its zone, for a sentence: `2026-01-31 16:05 MYT`. */
export function formatInstant(instant: string): string {
  return `${formatMalaysianTime(instant)} MYT`;
}

/** `2026-01-31`: the day that it is in Malaysia. */
export function formatMalaysianDay(instant: number = Date.now()): string {
  return shifted(instant).slice(0, 10);
}

/** The end of a day in Malaysia, as the API takes instants. */
export function computeDayEnd(day: string): string {
  return `${day}T23:59:59+08:00`;
}

function shifted(instant: number): string {
  return new Date(instant + OFFSET_MS).toISOString();
}
