import { QueryFailedError } from 'typeorm';
import type { DatabaseError } from 'pg';
import { UnavailableError } from '../errors/api-error.js';

const RUNS_MAX = 3;
const CONTENDED = 'Other calls keep changing the same documents; retry with the same idempotency-key and body';
// Deadlock; serialization failure, also raised by accept_request when the rows that a request was decided on have changed.
const LOST_RACE_STATES: ReadonlySet<string> = new Set(['40P01', '40001']);
// Another transaction wrote the same row after this one had looked for it; in the next run, the lookup finds it.
const LOST_RACE_CONSTRAINTS: ReadonlySet<string> = new Set([
  'uq_document_reference',
  'pk_idempotency_record',
  'uq_document_transaction_authority_uuid',
]);

/**
 * Runs work again, whole, if it lost a race in the database, or a migration made one of its prepared statements
 * outdated: three runs at most. ReliableDataSource does this for each database transaction, and for each statement
 * outside one if its plan was outdated. Work of several statements in no transaction, such as read, decide and accept,
 * calls it itself. Failed work must leave nothing behind, so it touches nothing but the database.
 * @throws UnavailableError (503) if no run succeeds
 */
export async function withReruns<T>(work: () => Promise<T>, isRetryable = isLostRaceOrOutdated): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof QueryFailedError) || !isRetryable(error.driverError as DatabaseError)) throw error;
      if (runs === RUNS_MAX) throw new UnavailableError('service_unavailable', CONTENDED, 1);
    }
  }
}

function isLostRaceOrOutdated(error: DatabaseError): boolean {
  const { code = '', constraint = '' } = error;
  return LOST_RACE_STATES.has(code) || LOST_RACE_CONSTRAINTS.has(constraint) || isOutdatedPlan(error);
}

/**
 * Whether a statement failed because a migration changed the schema below its plan, so that it succeeds when it is
 * planned again. Recognised by SQL state and source routine, since messages are translated; 0A000 alone is any feature
 * that PostgreSQL does not have.
 */
export function isOutdatedPlan({ code, routine, message }: DatabaseError): boolean {
  if (code === '0A000') return routine === 'RevalidateCachedQuery';
  // The function was dropped and created again between planning and running; internal errors are never translated.
  return code === 'XX000' && message.startsWith('cache lookup failed for ');
}
