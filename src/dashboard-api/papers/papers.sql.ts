import type { DocumentType } from '../../documents/simplified-document.js';
import { SHOWN_STATUS_SQL, SHOWN_UUID_SQL, type ShownStatus } from '../transactions/shown-status.js';
import type { AttemptState, CancellationStatus } from '../../documents/statuses.js';
import { type ActorDto, buildActorSql } from '../shown-actor.js';

/** Reads the input of a PDF. Parameters: tenant, environment, transaction. */
export const READ_PAPER = /* sql */ `
SELECT t.document_type AS "documentType", t.reference_id AS "referenceId", ${SHOWN_STATUS_SQL} AS status,
       ${SHOWN_UUID_SQL} AS uuid, t.authority_long_id AS "longId", t.validated_at AS "validatedAt",
       t.cancelled_at AS "cancelledAt", a.bytes
  FROM document_transaction t
  LEFT JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
 WHERE t.tenant_id = $1 AND t.environment = $2 AND t.id = $3`;

export interface PaperRow {
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly status: ShownStatus;
  readonly uuid: string | null;
  readonly longId: string | null;
  readonly validatedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly bytes: Buffer | null;
}

/** Reads the evidence of an attempt in one snapshot. Parameters: tenant, environment, transaction. */
export const READ_EVIDENCE = /* sql */ `
SELECT t.id AS "transactionId", t.document_id AS "documentId", t.submission_batch_id AS "submissionBatchId",
       t.document_type AS "documentType", t.reference_id AS "referenceId", t.attempt,
       ${SHOWN_STATUS_SQL} AS status, t.payload, t.created_at AS "createdAt",
       t.held_until IS NOT NULL AS "isHeld", ${SHOWN_UUID_SQL} AS uuid, t.authority_long_id AS "longId",
       t.issued_at AS "issuedAt", t.submitted_at AS "submittedAt", t.validated_at AS "validatedAt",
       t.cancelled_at AS "cancelledAt", t.rejection_requested_at AS "rejectionRequestedAt", t.errors, a.bytes,
       CASE WHEN ${SHOWN_UUID_SQL} IS NOT NULL THEN s.submission_uid END AS "submissionUid", s.sent_at AS "sentAt", s.sends, s.state AS "callState",
       s.correlation_id AS "correlationId", s.failure,
       (SELECT ${buildActorSql('b')} FROM submission_batch b
         WHERE b.tenant_id = t.tenant_id AND b.id = t.submission_batch_id) AS "submittedBy",
       coalesce((
         SELECT jsonb_agg(jsonb_build_object('at', e.at, 'fromState', e.from_state, 'toState', e.to_state,
                                             'cause', e.cause, 'correlationId', e.correlation_id) ORDER BY e.version)
           FROM status_event e WHERE e.tenant_id = t.tenant_id AND e.transaction_id = t.id), '[]') AS moves,
       coalesce((
         SELECT jsonb_agg(jsonb_build_object('transactionId', c.id, 'status', c.status, 'reason', c.reason,
                                             'errors', c.errors, 'createdAt', c.created_at, 'updatedAt', c.updated_at,
                                             'by', ${buildActorSql('c')}) ORDER BY c.id)
           FROM document_cancellation c WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id), '[]')
         AS cancellations
  FROM document_transaction t
  LEFT JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
  LEFT JOIN authority_submission s ON s.tenant_id = t.tenant_id AND s.id = t.authority_submission_id
 WHERE t.tenant_id = $1 AND t.environment = $2 AND t.id = $3`;

export interface EvidenceRow extends PaperRow {
  readonly transactionId: string;
  readonly documentId: string;
  readonly submissionBatchId: string;
  readonly attempt: number;
  readonly payload: unknown;
  readonly createdAt: Date;
  readonly isHeld: boolean;
  readonly issuedAt: Date | null;
  readonly submittedAt: Date | null;
  readonly rejectionRequestedAt: Date | null;
  readonly errors: unknown;
  readonly submissionUid: string | null;
  readonly sentAt: Date | null;
  readonly sends: number | null;
  readonly callState: string | null;
  readonly correlationId: string | null;
  readonly failure: string | null;
  readonly submittedBy: ActorDto | null;
  readonly moves: readonly StoredMove[];
  readonly cancellations: readonly StoredCancellation[];
}

interface StoredMove {
  readonly at: string;
  readonly fromState: AttemptState;
  readonly toState: AttemptState;
  readonly cause: string;
  readonly correlationId: string | null;
}

interface StoredCancellation {
  readonly transactionId: string;
  readonly status: CancellationStatus;
  readonly reason: string;
  readonly errors: unknown;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly by: ActorDto | null;
}
