import type { TestService } from './service.js';

const TOO_LATE_TO_RESEND_SECONDS = 101 * 60;
const LOOKUPS = 16;
const LOOKUP_SECONDS = 61;

/** Runs lookups until the service leaves what they miss to an operator. */
export async function endLookups(service: Pick<TestService, 'advance' | 'tick'>): Promise<void> {
  await service.advance(TOO_LATE_TO_RESEND_SECONDS);
  for (let lookup = 0; lookup < LOOKUPS; lookup += 1) {
    await service.advance(LOOKUP_SECONDS);
    await service.tick('reconcile');
  }
}
