import type { TestService } from './service.js';

const TOO_LATE_TO_RESEND_SECONDS = 101 * 60;
const LOOKUPS = 16;
const LOOKUP_SECONDS = 61;
/** Longest pause between lookups of accepted documents. */
export const ACCEPTED_LOOKUP_SECONDS = 601;

/** Runs lookups until the service leaves the missing documents to an operator. */
export async function endLookups(
  service: Pick<TestService, 'advance' | 'tick'>,
  lookupSeconds = LOOKUP_SECONDS,
): Promise<void> {
  await service.advance(TOO_LATE_TO_RESEND_SECONDS);
  for (let lookup = 0; lookup < LOOKUPS; lookup += 1) {
    await service.advance(lookupSeconds);
    await service.tick('reconcile');
  }
}
