import type { EntityManager } from 'typeorm';
import { toMalaysianDate } from '../common/malaysian-days.js';
import type { Environment } from '../config/environment.js';
import { computeLastDayBefore } from './expiry.js';

export const CREDIT_KINDS = ['submit', 'cancel', 'grant', 'expire'] as const;

export type CreditKind = (typeof CREDIT_KINDS)[number];

export interface StatementLine {
  readonly sequence: number;
  readonly at: Date;
  readonly kind: CreditKind;
  /** Negative if spent or expired. */
  readonly amount: number;
  readonly balanceAfter: number;
  /** Null for credits of both environments. */
  readonly environment: Environment | null;
  readonly purpose: string;
  readonly submissionBatchId: string | null;
  /** The cancelled attempt. */
  readonly transactionId: string | null;
}

interface Cause {
  readonly documentCount: number | null;
  readonly referenceId: string | null;
  readonly granted: number | null;
  readonly lotCreatedAt: string | null;
  readonly lotExpiresAt: string | null;
}

interface StatementRow extends Omit<StatementLine, 'purpose'> {
  readonly cause: Cause;
}

const LINES = /* sql */ `
  SELECT e.sequence, e.created_at AS at, e.kind, e.amount, e.balance_after AS "balanceAfter", e.environment,
         b.id AS "submissionBatchId", t.id AS "transactionId",
         jsonb_build_object('documentCount', b.document_count, 'referenceId', t.reference_id, 'granted', l.granted,
           'lotCreatedAt', l.created_at, 'lotExpiresAt', l.expires_at) AS cause
    FROM (SELECT tenant_id, sequence, created_at, kind, amount, balance_after, environment, cause_id FROM credit_entry
           WHERE tenant_id = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3) e
    LEFT JOIN submission_batch b ON e.kind = 'submit' AND b.tenant_id = e.tenant_id AND b.id = e.cause_id
    LEFT JOIN document_cancellation c ON e.kind = 'cancel' AND c.tenant_id = e.tenant_id AND c.id = e.cause_id
    LEFT JOIN document_transaction t ON t.tenant_id = c.tenant_id AND t.id = c.transaction_id
    LEFT JOIN credit_lot l ON e.kind IN ('grant', 'expire') AND l.tenant_id = e.tenant_id AND l.id = e.cause_id
   ORDER BY e.sequence DESC`;

const SEQUENCE_MAX = 2_147_483_647;

/** Reads statement lines, newest first. */
export async function readStatementLines(
  tx: EntityManager,
  { tenantId, before, count }: { tenantId: string; before: number | null; count: number },
): Promise<StatementLine[]> {
  const parameters = [tenantId, Math.min(before ?? SEQUENCE_MAX, SEQUENCE_MAX), count];
  const rows = await tx.query<StatementRow[]>(LINES, parameters);
  return rows.map(({ cause, ...line }) => ({ ...line, purpose: PURPOSES[line.kind](cause) }));
}

const PURPOSES: Readonly<Record<CreditKind, (cause: Cause) => string>> = {
  submit: ({ documentCount }) =>
    documentCount === 1 ? '1 document submitted' : `${documentCount} documents submitted`,
  cancel: ({ referenceId }) => `Cancellation of ${referenceId}`,
  grant: ({ lotExpiresAt }) =>
    lotExpiresAt === null
      ? 'Credits added'
      : `Credits added, to be spent through ${computeLastDayBefore(new Date(lotExpiresAt))}`,
  expire: ({ granted, lotCreatedAt }) =>
    lotCreatedAt === null
      ? 'Expired'
      : `Expired, of ${granted} credits added on ${toMalaysianDate(new Date(lotCreatedAt))}`,
};
