import type { EntityManager } from 'typeorm';

export interface WaitingOrganisations {
  readonly environment: string;
  readonly reason: string;
  /** Largest number of organisations that started to wait within 24 hours, which suggests a common cause. */
  readonly together: number;
  readonly total: number;
}

const WAITING_ORGANISATIONS = /* sql */ `
  SELECT environment, reason, max(together)::integer AS together, count(*)::integer AS total
    FROM (
      SELECT environment, reason,
             count(*) OVER (PARTITION BY environment, reason ORDER BY since
                            RANGE BETWEEN CURRENT ROW AND interval '24 hours' FOLLOWING) AS together
        FROM (
          SELECT q.environment, CASE WHEN q.waiting_code IS NULL THEN 'environment_not_configured' ELSE q.waiting_code END AS reason,
                 CASE WHEN q.waiting_code IS NULL THEN q.unconfigured_since ELSE q.waiting_since END AS since
            FROM tenant_queue q
           WHERE q.operation = 'submit' AND (q.waiting_code IS NOT NULL OR q.unconfigured_since IS NOT NULL)
             AND EXISTS (SELECT FROM document_transaction t
                          WHERE t.tenant_id = q.tenant_id AND t.environment = q.environment
                            AND t.submission_status = 'Queued' AND t.held_until IS NULL)) waiting) compared
   GROUP BY 1, 2 ORDER BY 1, 2`;

export function countWaitingOrganisations(manager: EntityManager): Promise<WaitingOrganisations[]> {
  return manager.query<WaitingOrganisations[]>(WAITING_ORGANISATIONS);
}
