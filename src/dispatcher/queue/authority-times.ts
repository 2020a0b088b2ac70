import { DIFFERENCE_SECONDS_MAX } from '../../authority/authority-clock.js';

const DIFFERENCE_MS_MAX = DIFFERENCE_SECONDS_MAX * 1_000;

/**
 * Returns a time that the authority states for an event of a document, or null if the event cannot have happened then:
 * it follows the issue or the submission of the document, and has happened already. The clocks may differ. A submission
 * in the future was stored while our clock was ahead.
 */
export function readPlausibleTime(
  stated: Date | null,
  { after, now }: { readonly after: Date; readonly now: Date },
): Date | null {
  if (stated === null) return null;
  const isTooEarly = stated.getTime() < Math.min(after.getTime(), now.getTime()) - DIFFERENCE_MS_MAX;
  const isTooLate = stated.getTime() > now.getTime() + DIFFERENCE_MS_MAX;
  return isTooEarly || isTooLate ? null : stated;
}

/** Reads when the authority received a document; the present if its time is missing or implausible. */
export function readSubmittedAt(
  { receivedAt }: { readonly receivedAt: Date | null },
  { issuedAt, now }: { readonly issuedAt: Date; readonly now: Date },
): Date {
  return readPlausibleTime(receivedAt, { after: issuedAt, now }) ?? now;
}

/** Finds when the authority found the known copy of an attempt invalid; null if it does not state a plausible time. */
export function findInvalidatedAt(
  { invalidUuid }: { readonly invalidUuid: string | null },
  shown: readonly { readonly authorityUuid: string; readonly validatedAt: Date | null }[],
  bounds: { readonly after: Date; readonly now: Date },
): Date | null {
  const copy = shown.find(({ authorityUuid }) => authorityUuid === invalidUuid);
  return readPlausibleTime(copy?.validatedAt ?? null, bounds);
}
