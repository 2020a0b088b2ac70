import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { computeDefaultLastDay, computeMalaysianDayEnd } from './expiry.js';

/**
 * Grants a new organisation its first sandbox credits, valid for 12 months.
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
