import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { IS_TO_DECIDE, IS_UUID_IN_DOUBT } from '../queue/authority-submissions.sql.js';
import {
  type DecidableCall,
  HAS_NO_OUTCOME,
  IS_ABANDONED,
  IS_UNDECIDED,
  listDecisions,
  MAY_HAVE_ARRIVED,
  type ReleaseDecision,
} from './release-decisions.js';

/** A call in doubt, an accepted call that no dispatcher polls, or one without an outcome for an hour. */
export interface CallInDoubt {
  readonly submissionId: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly environment: Environment;
  readonly sentAt: Date;
  readonly sends: number;
  /** In the order of acceptance, which is also the order of the uuids for --adopt. */
  readonly referenceIds: string[];
  readonly reason: string | null;
  readonly nextLookAt: Date | null;
  readonly decisions: readonly ReleaseDecision[];
}

type CallInDoubtRow = Omit<CallInDoubt, 'decisions'> & DecidableCall;

const CALLS_MAX = 200;

// Reads one index range of ix_document_transaction_list per tenant queue and type. A dedicated index would have to be
// written for each accepted document.
export const SUBMITTED_DOCUMENTS = /* sql */ `
  tenant_queue q
   CROSS JOIN (VALUES ${DOCUMENT_TYPES.map((type) => `('${type}')`).join(', ')}) AS type (name)
   CROSS JOIN LATERAL (
     SELECT created_at, authority_submission_id FROM document_transaction
      WHERE tenant_id = q.tenant_id AND environment = q.environment AND document_type = type.name
        AND CASE WHEN authority_status IS NULL THEN submission_status ELSE authority_status END = 'Submitted'
     OFFSET 0) t`;

const DOUBT_FIELDS = /* sql */ `
  s.id, s.tenant_id, s.environment, s.client_id, s.state, s.sent_at, s.sends, s.failure, s.due_at,
  ${IS_TO_DECIDE} AS is_to_decide, ${MAY_HAVE_ARRIVED} AS may_have_arrived`;

/** Exported so that a spec can check the query plan. */
export const CALLS_IN_DOUBT = /* sql */ `
SELECT s.id AS "submissionId", s.tenant_id AS "tenantId", o.name AS "tenantName", s.environment, s.sent_at AS "sentAt", s.sends,
       ARRAY(SELECT t.reference_id FROM document_transaction t
              WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
                AND ${IS_UNDECIDED}
              ORDER BY t.created_at, t.submission_batch_id, t.position) AS "referenceIds",
       CASE WHEN s.is_abandoned
            THEN concat_ws('; ', s.failure, CASE
                   WHEN s.due_at IS NULL THEN 'its client id ' || s.client_id || ' has not logged in for a day'
                   ELSE 'no dispatcher works on calls of the client id ' || s.client_id END)
            WHEN s.state = 'accepted' THEN 'no poll has shown an outcome since it was sent'
            ELSE s.failure END AS reason,
       s.state, s.is_to_decide AS "isToDecide", s.may_have_arrived AS "mayHaveArrived",
       s.is_abandoned AS "isAbandoned", CASE WHEN NOT s.is_abandoned THEN s.due_at END AS "nextLookAt",
       (SELECT coalesce(bool_or(t.authority_status = 'Submitted'), false) FROM document_transaction t
         WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id) AS "isAccepted",
       EXISTS (SELECT FROM document_transaction t
                WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id
                  AND ${IS_UUID_IN_DOUBT}) AS "isUuidInDoubt"
  FROM (SELECT ${DOUBT_FIELDS}, coalesce(${IS_ABANDONED}, false) AS is_abandoned
          FROM authority_submission s WHERE s.state = 'unknown'
        UNION ALL
        SELECT ${DOUBT_FIELDS}, true FROM authority_submission s
         CROSS JOIN LATERAL (
           SELECT FROM document_transaction t
            WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id AND ${IS_UNDECIDED} LIMIT 1) undecided
         WHERE s.state = 'accepted' AND s.due_at < service_now() AND ${IS_ABANDONED}
        UNION ALL
        SELECT ${DOUBT_FIELDS}, false FROM authority_submission s
         WHERE (s.tenant_id, s.id) IN (
           SELECT q.tenant_id, t.authority_submission_id FROM ${SUBMITTED_DOCUMENTS}
            WHERE q.operation = 'submit')
           AND ${HAS_NO_OUTCOME} AND NOT coalesce(${IS_ABANDONED}, false)) s
  JOIN tenant o ON o.tenant_id = s.tenant_id
 ORDER BY s.state = 'accepted', NOT s.is_to_decide, s.sent_at, s.id LIMIT ${CALLS_MAX}`;

/** Reads the calls that an operator can decide or should know about. Calls with a decision come first. */
export async function readCallsInDoubt(manager: EntityManager): Promise<CallInDoubt[]> {
  const rows = await manager.query<CallInDoubtRow[]>(CALLS_IN_DOUBT);
  return rows.map(({ state, isToDecide, isAbandoned, isAccepted, isUuidInDoubt, mayHaveArrived, ...doubt }) => ({
    ...doubt,
    decisions: listDecisions({ state, isToDecide, isAbandoned, isAccepted, isUuidInDoubt, mayHaveArrived }),
  }));
}

export interface CallsToDecide {
  readonly environment: Environment;
  readonly calls: number;
  readonly since: Date;
}

const READ = /* sql */ `
  SELECT s.environment, count(*)::integer AS calls, min(s.sent_at) AS since FROM authority_submission s
   WHERE s.state = 'unknown' AND ${IS_TO_DECIDE}
   GROUP BY s.environment ORDER BY s.environment`;

/** Counts calls in doubt that an operator can decide. */
export function readCallsToDecide(manager: EntityManager): Promise<CallsToDecide[]> {
  return manager.query<CallsToDecide[]>(READ);
}

const READ_WITHOUT_OUTCOME = /* sql */ `
  SELECT s.environment, count(*)::integer AS calls, min(s.sent_at) AS since FROM authority_submission s
   WHERE ${HAS_NO_OUTCOME}
     AND EXISTS (SELECT FROM document_transaction t
                  WHERE t.tenant_id = s.tenant_id AND t.authority_submission_id = s.id AND t.authority_status = 'Submitted')
   GROUP BY s.environment ORDER BY s.environment`;

/** Counts accepted calls that have had no outcome for an hour. */
export function readCallsWithoutOutcome(manager: EntityManager): Promise<CallsToDecide[]> {
  return manager.query<CallsToDecide[]>(READ_WITHOUT_OUTCOME);
}
