import { QueryFailedError } from 'typeorm';
import { UnavailableError } from '../errors/api-error.js';

const ATTEMPTS_MAX = 3;
const CONTENDED = 'Other calls keep changing the same documents; retry with the same idempotency-key and body';
// Deadlock; serialization failure, also raised by accept_request when the rows that a call was decided on have changed.
const RETRYABLE_SQL_STATES: ReadonlySet<string> = new Set(['40P01', '40001']);
// Another call wrote the same after this one had looked for it; run again, the lookup finds it.
const RETRYABLE_CONSTRAINTS: ReadonlySet<string> = new Set([
  'uq_document_reference',
  'pk_idempotency_record',
  'uq_document_transaction_authority_uuid',
]);

/**
 * Runs work again, whole, when it lost a race in the database: three runs at most. The work must have left nothing
 * behind when it fails, as a transaction does.
 * @throws UnavailableError (503) when it lost every time
 */
export async function withReruns<T>(work: (isRerun: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt > 1);
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (attempt === ATTEMPTS_MAX) throw new UnavailableError('service_unavailable', CONTENDED, 1);
    }
  }
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, constraint } = error.driverError as { code?: string; constraint?: string };
  return RETRYABLE_SQL_STATES.has(code ?? '') || RETRYABLE_CONSTRAINTS.has(constraint ?? '');
}
