import type { EntityManager } from 'typeorm';

/** Organisations whose documents wait for the same reason. */
export interface BlockedOrganisations {
  readonly environment: string;
  readonly reason: string;
  /** Blocked for less than a day: several of them probably have a cause in common. */
  readonly organisations: number;
  /** Blocked for a day or longer: each probably has to act itself. */
  readonly longBlocked: number;
}

const BLOCKED_ORGANISATIONS = /* sql */ `
  SELECT l.environment, coalesce(l.blocked_reason, l.unsendable_reason) AS reason,
         count(*) FILTER (WHERE b.is_recent)::integer AS organisations,
         count(*) FILTER (WHERE NOT b.is_recent)::integer AS "longBlocked"
    FROM dispatch_lane l
   CROSS JOIN LATERAL (
     SELECT coalesce(coalesce(l.blocked_since, l.unsendable_since) > service_now() - interval '1 day', false) AS is_recent) b
   WHERE l.operation = 'submit' AND coalesce(l.blocked_reason, l.unsendable_reason) IS NOT NULL
     AND EXISTS (SELECT FROM document_transaction t
                  WHERE t.tenant_id = l.tenant_id AND t.environment = l.environment AND t.submission_status = 'Queued'
                    AND t.held_until IS NULL)
   GROUP BY 1, 2 ORDER BY 1, 2`;

/** Counts organisations with queued documents whose tenant queue is blocked, by reason. */
export function countBlockedOrganisations(manager: EntityManager): Promise<BlockedOrganisations[]> {
  return manager.query<BlockedOrganisations[]>(BLOCKED_ORGANISATIONS);
}
