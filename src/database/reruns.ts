import { QueryFailedError } from 'typeorm';
import type { DatabaseError } from 'pg';
import { UnavailableError } from '../errors/api-error.js';

const RUNS_MAX = 3;
const CONTENDED = 'Other calls keep changing the same documents; retry with the same idempotency-key and body';
// Deadlocks and serialization failures. accept_request also raises 40001 if its data has changed since the decision.
const LOST_RACE_STATES: ReadonlySet<string> = new Set(['40P01', '40001']);
// Another database transaction inserted the same row, which the retry finds.
const LOST_RACE_CONSTRAINTS: ReadonlySet<string> = new Set([
  'uq_document_reference',
  'pk_idempotency_record',
  'uq_document_transaction_authority_uuid',
]);

/**
 * Runs work up to three times if it lost a race or a migration invalidated a prepared statement. ReliableDataSource
 * calls it for each database transaction and each statement outside one. Work with several separate statements, such as
 * read, decide and accept, calls it itself. The work must have no effect outside the database.
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
 * Whether a migration invalidated the statement's plan, so that a rerun succeeds. Compares the SQL state and source
 * routine because messages are translated; 0A000 alone means any unsupported feature.
 */
export function isOutdatedPlan({ code, routine, message }: DatabaseError): boolean {
  if (code === '0A000') return routine === 'RevalidateCachedQuery';
  // The function was replaced between planning and running. Internal errors are never translated.
  return code === 'XX000' && message.startsWith('cache lookup failed for ');
}
