import type { DatabaseError } from 'pg';

/**
 * Whether a statement failed because a migration changed the schema below a plan that was made before, so that it
 * succeeds as soon as it is planned again. Told by SQL state and source routine, since messages are translated; 0A000
 * alone is any feature that PostgreSQL does not have.
 */
export function isOutdatedPlan(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, routine, message } = error as DatabaseError;
  if (code === '0A000') return routine === 'RevalidateCachedQuery';
  // The function was dropped and built again between planning and running; internal errors are never translated.
  return code === 'XX000' && message.startsWith('cache lookup failed for ');
}
