import type { EntityManager } from 'typeorm';

/** Organisations whose documents wait for the same reason. */
export interface BlockedOrganisations {
  readonly environment: string;
  readonly reason: string;
  readonly organisations: number;
}

// Blocks that are older concern one organisation that does not act: a common cause blocks several within a day.
const BLOCKED_ORGANISATIONS = /* sql */ `
  SELECT l.environment, coalesce(l.blocked_reason, l.unsendable_reason) AS reason, count(*)::integer AS organisations
    FROM dispatch_lane l
   WHERE l.operation = 'submit' AND coalesce(l.blocked_reason, l.unsendable_reason) IS NOT NULL
     AND coalesce(l.blocked_since, l.unsendable_since) > service_now() - interval '1 day'
     AND EXISTS (SELECT FROM document_transaction t
                  WHERE t.tenant_id = l.tenant_id AND t.environment = l.environment AND t.submission_status = 'Queued'
                    AND t.held_until IS NULL)
   GROUP BY 1, 2 ORDER BY 1, 2`;

/** Counts organisations with queued documents whose tenant queue has been blocked for less than a day, by reason. */
export function countBlockedOrganisations(manager: EntityManager): Promise<BlockedOrganisations[]> {
  return manager.query<BlockedOrganisations[]>(BLOCKED_ORGANISATIONS);
}
