import type { EntityManager } from 'typeorm';

/** Organisations whose documents wait for the same reason. */
export interface BlockedOrganisations {
  readonly environment: string;
  readonly reason: string;
  /** The most whose blocks began within 24 hours of each other: several of them probably have a cause in common. */
  readonly together: number;
  readonly total: number;
}

const BLOCKED_ORGANISATIONS = /* sql */ `
  SELECT environment, reason, max(together)::integer AS together, count(*)::integer AS total
    FROM (
      SELECT environment, reason,
             count(*) OVER (PARTITION BY environment, reason ORDER BY since
                            RANGE BETWEEN CURRENT ROW AND interval '24 hours' FOLLOWING) AS together
        FROM (
          SELECT l.environment, coalesce(l.blocked_reason, l.unsendable_reason) AS reason,
                 CASE WHEN l.blocked_reason IS NULL THEN l.unsendable_since ELSE l.blocked_since END AS since
            FROM tenant_queue l
           WHERE l.operation = 'submit' AND coalesce(l.blocked_reason, l.unsendable_reason) IS NOT NULL
             AND EXISTS (SELECT FROM document_transaction t
                          WHERE t.tenant_id = l.tenant_id AND t.environment = l.environment
                            AND t.submission_status = 'Queued' AND t.held_until IS NULL)) blocked) compared
   GROUP BY 1, 2 ORDER BY 1, 2`;

/** Counts organisations with queued documents whose tenant queue is blocked, by reason. */
export function countBlockedOrganisations(manager: EntityManager): Promise<BlockedOrganisations[]> {
  return manager.query<BlockedOrganisations[]>(BLOCKED_ORGANISATIONS);
}
