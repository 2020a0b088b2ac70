import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';

/**
 * Overdue calls of one client id. Only its own dispatchers handle them, because the authority may hide the documents
 * from others.
 */
export interface OverdueCalls {
  readonly environment: Environment;
  readonly clientId: string;
  readonly inDoubt: number;
  readonly submissionIds: readonly string[];
  readonly unpolled: number;
  readonly cancellations: number;
  readonly since: Date;
}

const OVERDUE = `interval '5 minutes'`;
// A document can change for 72 hours after its validation, unless an operator has entered its outcome. Later, only
// documents without an outcome matter.
const WATCHED = `interval '80 hours'`;
const SUBMISSIONS_MAX = 10;

// An open recovery stops all calls and is reported separately.
const READ = /* sql */ `
  WITH overdue AS (
    SELECT s.environment, s.client_id, s.state, s.id, s.due_at FROM authority_submission s
     WHERE s.state IN ('accepted', 'unknown') AND s.due_at < service_now() - ${OVERDUE}
       AND (s.state = 'unknown' OR EXISTS (
              SELECT FROM document_transaction t
               WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
                 AND (t.authority_status = 'Submitted' OR s.sent_at > service_now() - ${WATCHED} AND NOT EXISTS (
                        SELECT FROM status_event e
                         WHERE e.tenant_id = t.tenant_id AND e.transaction_id = t.id AND e.cause = 'operator_outcome'))))
    UNION ALL
    SELECT c.environment, s.client_id, 'cancellation', c.id, c.due_at FROM document_cancellation c
      JOIN document_transaction t ON t.tenant_id = c.tenant_id AND t.id = c.transaction_id
      JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
     WHERE c.status IN ('Queued', 'Processing') AND c.due_at < service_now() - ${OVERDUE})
  SELECT environment, client_id AS "clientId", count(*) FILTER (WHERE state = 'unknown')::integer AS "inDoubt",
         coalesce((array_agg(id ORDER BY due_at) FILTER (WHERE state = 'unknown'))[:${SUBMISSIONS_MAX}], '{}')
           AS "submissionIds",
         count(*) FILTER (WHERE state = 'accepted')::integer AS unpolled,
         count(*) FILTER (WHERE state = 'cancellation')::integer AS cancellations, min(due_at) AS since
    FROM overdue
   WHERE client_id <> ALL ($1::text[]) AND NOT EXISTS (SELECT FROM recovery WHERE ended_at IS NULL)
   GROUP BY environment, client_id ORDER BY environment, client_id`;

/** @param ownClientIds client ids to exclude */
export function readOverdueCalls(manager: EntityManager, ownClientIds: readonly string[]): Promise<OverdueCalls[]> {
  return manager.query<OverdueCalls[]>(READ, [ownClientIds]);
}

export function describeOverdueCalls({ inDoubt, unpolled, cancellations, since }: OverdueCalls): string {
  const counts = `${inDoubt} calls in doubt, ${unpolled} accepted calls and ${cancellations} cancellations`;
  return `${counts} have been overdue since ${since.toISOString()}`;
}
