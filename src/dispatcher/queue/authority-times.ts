import type { EntityManager } from 'typeorm';
import { DIFFERENCE_SECONDS_MAX, readClockDifferencesSince } from '../../authority/authority-clock.js';
import type { Environment } from '../../config/environment.js';

const DIFFERENCE_MS_MAX = DIFFERENCE_SECONDS_MAX * 1_000;

/** Returns the authority's time of an event, or null if the time is before `after` or in the future. */
export function readPlausibleTime(
  stated: Date | null,
  { after, now }: { readonly after: Date; readonly now: Date },
): Date | null {
  if (stated === null) return null;
  const isTooEarly = stated.getTime() < Math.min(after.getTime(), now.getTime()) - DIFFERENCE_MS_MAX;
  const isTooLate = stated.getTime() > now.getTime() + DIFFERENCE_MS_MAX;
  return isTooEarly || isTooLate ? null : stated;
}

/**
 * Reads when the authority received a document. Falls back to the current time if that time is missing or implausible.
 */
export function readSubmittedAt(
  { receivedAt }: { readonly receivedAt: Date | null },
  { issuedAt, now }: { readonly issuedAt: Date; readonly now: Date },
): Date {
  return readPlausibleTime(receivedAt, { after: issuedAt, now }) ?? now;
}

/** Finds when the authority marked a copy as invalid. Returns null if the time is missing or implausible. */
export function findInvalidatedAt(
  { invalidUuid }: { readonly invalidUuid: string | null },
  shown: readonly { readonly authorityUuid: string; readonly validatedAt: Date | null }[],
  bounds: { readonly after: Date; readonly now: Date },
): Date | null {
  const copy = shown.find(({ authorityUuid }) => authorityUuid === invalidUuid);
  return readPlausibleTime(copy?.validatedAt ?? null, bounds);
}

const CLOCK_MARGIN_MS = 5 * 60_000;
const WIDENED_SECONDS_MAX = 14 * 86_400;

interface SearchTimes {
  readonly submittedFrom: Date;
  readonly submittedTo: Date;
  /** False if the clocks differed by more than a day, so that a missed document may still have arrived. */
  readonly isConclusive: boolean;
}

/** Converts a time range from the database's clock to the authority's clock. */
export async function readSearchTimes(
  tx: EntityManager,
  environment: Environment,
  { from, to }: { from: Date; to: Date },
): Promise<SearchTimes> {
  const { leastSeconds, greatestSeconds } = await readClockDifferencesSince(tx, environment, from);
  const earlier = Math.max(leastSeconds, -WIDENED_SECONDS_MAX);
  const later = Math.min(greatestSeconds, WIDENED_SECONDS_MAX);
  return {
    submittedFrom: new Date(from.getTime() + earlier * 1_000 - CLOCK_MARGIN_MS),
    submittedTo: new Date(to.getTime() + later * 1_000 + CLOCK_MARGIN_MS),
    isConclusive: Math.max(-leastSeconds, greatestSeconds) <= DIFFERENCE_SECONDS_MAX,
  };
}
