import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { computeDefaultLastDay, computeMalaysianDayEnd } from './expiry.js';

/**
 * Gives a new organisation what it tries the sandbox with: spendable there alone, through 12 months. The API's role may
 * grant nothing else, and once only.
 * @param tx of the organisation, in the API's role
 * @param credits 1 to 10,000
 */
export async function grantSignUpCredits(
  tx: EntityManager,
  { credits, now }: { credits: number; now: Date },
): Promise<{ lotId: string; expiresAt: Date }> {
  const lotId = uuidv7({ msecs: now.getTime() });
  const expiresAt = computeMalaysianDayEnd(computeDefaultLastDay(now));
  await tx.query('SELECT grant_sandbox_credits($1, $2, $3)', [lotId, credits, expiresAt]);
  return { lotId, expiresAt };
}
