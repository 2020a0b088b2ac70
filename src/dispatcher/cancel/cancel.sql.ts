import type { EntityManager } from 'typeorm';
import type { Taxpayer } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import type { DocumentError } from '../../documents/error-catalogue.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import { buildServedSql } from '../../recovery/waits.sql.js';

export interface ClaimedCancellation {
  readonly tenantId: string;
  readonly cancellationId: string;
  readonly transactionId: string;
  readonly documentType: DocumentType;
  readonly referenceId: string;
  readonly authorityUuid: string;
  readonly isShownCancelled: boolean;
  readonly isLate: boolean;
  readonly reason: string;
  /** Whether an earlier call may have arrived. The document is then read before the call is repeated. */
  readonly mayHaveArrived: boolean;
  readonly taxpayer: Taxpayer;
}

// Excludes documents of other client ids, which the authority may hide, and documents with a doubtful uuid. `clientId`
// is the SQL parameter that holds the client id of this process.
const buildDueSql = (clientId: string): string => /* sql */ `
  status IN ('Queued', 'Processing') AND environment = $1 AND due_at <= service_now()
  AND ${buildServedSql('w.tenant_id')}
  AND NOT EXISTS (SELECT FROM document_transaction d
                    JOIN authority_submission s ON s.tenant_id = d.tenant_id AND s.id = d.authority_submission_id
                   WHERE d.tenant_id = w.tenant_id AND d.id = w.transaction_id AND (s.client_id <> ${clientId} OR s.state = 'unknown'))`;

const HAS_DUE = /* sql */ `SELECT EXISTS (SELECT FROM document_cancellation w WHERE ${buildDueSql('$2')}) AS "isDue"`;

export async function hasDueCancellation(
  tx: EntityManager,
  environment: Environment,
  clientId: string,
): Promise<boolean> {
  const [{ isDue }] = await tx.query<{ isDue: boolean }[]>(HAS_DUE, [environment, clientId]);
  return isDue;
}

// Orders by deadline, because all tenants share 12 calls per minute and the authority refuses cancellations 72 hours
// after validation. due_at is the lease. The send is counted before the call so that it still counts after a crash.
const CLAIM = /* sql */ `
  UPDATE document_cancellation c
     SET status = 'Processing', sends = c.sends + 1, owner = $2,
         due_at = service_now() + make_interval(secs => $3), updated_at = service_now()
    FROM document_transaction t
   WHERE t.tenant_id = c.tenant_id AND t.id = c.transaction_id
     AND (c.tenant_id, c.id) = (
       SELECT tenant_id, id FROM document_cancellation w WHERE ${buildDueSql('$4')}
        ORDER BY deadline_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING c.tenant_id AS "tenantId", c.id AS "cancellationId", c.transaction_id AS "transactionId",
            t.document_type AS "documentType", t.reference_id AS "referenceId", t.authority_uuid AS "authorityUuid",
            t.authority_status = 'Cancelled' AS "isShownCancelled", c.deadline_at < service_now() AS "isLate", c.reason, c.sends > 1 AS "mayHaveArrived",
            jsonb_build_object('tenantId', c.tenant_id, 'onBehalfOf', t.on_behalf_of) AS taxpayer`;

export async function claimCancellation(
  tx: EntityManager,
  claim: { environment: Environment; clientId: string; owner: string; leaseSeconds: number },
): Promise<ClaimedCancellation | null> {
  const parameters = [claim.environment, claim.owner, claim.leaseSeconds, claim.clientId];
  const [[row = null]] = await tx.query<[ClaimedCancellation[], number]>(CLAIM, parameters);
  return row;
}

export interface CancellationEnd {
  readonly status: 'Queued' | 'Processing' | 'Completed' | 'Failed';
  readonly errors: readonly DocumentError[];
  readonly retrySeconds: number;
  readonly isNotAppointed?: true;
}

// Does not count the send of a requeued cancellation, because that send did not arrive.
const SETTLE = /* sql */ `
  UPDATE document_cancellation
     SET status = $4, errors = $5, owner = NULL, sends = sends - CASE WHEN $4 = 'Queued' THEN 1 ELSE 0 END,
         due_at = $7::timestamptz + make_interval(secs => $6), updated_at = $7
   WHERE tenant_id = $1 AND id = $2 AND status = 'Processing' AND owner = $3
  RETURNING id`;

const SHOW_WAITING = /* sql */ `
  INSERT INTO tenant_queue AS q
    (tenant_id, environment, operation, served_at, waiting_until, waiting_since, waiting_code)
  SELECT tenant_id, environment, 'cancel', $3, $3::timestamptz + make_interval(secs => $4), $3, 'not_appointed'
    FROM document_cancellation WHERE tenant_id = $1 AND id = $2
  ON CONFLICT (tenant_id, environment, operation) DO UPDATE
     SET served_at = excluded.served_at, waiting_until = excluded.waiting_until,
         waiting_since = coalesce(q.waiting_since, excluded.waiting_since), waiting_code = excluded.waiting_code`;

const HIDE_WAITING = /* sql */ `
  UPDATE tenant_queue SET waiting_until = NULL, waiting_since = NULL, waiting_code = NULL
   WHERE tenant_id = $1 AND operation = 'cancel' AND waiting_code IS NOT NULL
     AND environment = (SELECT environment FROM document_cancellation WHERE tenant_id = $1 AND id = $2)`;

/** Stores why a tenant's cancellations wait, for "queue show". */
async function showWaiting(
  tx: EntityManager,
  { tenantId, cancellationId }: ClaimedCancellation,
  { end, now }: { end: CancellationEnd; now: Date },
): Promise<void> {
  if (end.isNotAppointed) await tx.query(SHOW_WAITING, [tenantId, cancellationId, now, end.retrySeconds]);
  else await tx.query(HIDE_WAITING, [tenantId, cancellationId]);
}

export async function settleCancellation(
  tx: EntityManager,
  { cancellation, owner, now }: { cancellation: ClaimedCancellation; owner: string; now: Date },
  end: CancellationEnd,
): Promise<boolean> {
  const { tenantId, cancellationId } = cancellation;
  const [settled] = await tx.query<[unknown[], number]>(SETTLE, [
    tenantId,
    cancellationId,
    owner,
    end.status,
    JSON.stringify(end.errors),
    end.retrySeconds,
    now,
  ]);
  if (settled.length > 0) await showWaiting(tx, cancellation, { end, now });
  return settled.length > 0;
}
