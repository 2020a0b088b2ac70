import type { DispatcherDto } from './dto/operator.dto.js';
import type { RecentCallDto } from './dto/operator.dto.js';
import type { EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.js';

/** The logins at the authority that an environment has. */
export interface EnvironmentTokens {
  readonly environment: Environment;
  /** Logins whose token works now. */
  readonly held: number;
  /** Organisations whose login was refused a moment ago. */
  readonly refused: number;
}

const TOKENS = /* sql */ `
  SELECT environment, (count(*) FILTER (WHERE expires_at > service_now()))::integer AS held,
         (count(*) FILTER (WHERE login_owner IS NULL AND login_until > service_now()))::integer AS refused
    FROM authority_token GROUP BY environment`;

export function readTokens(manager: EntityManager): Promise<EnvironmentTokens[]> {
  return manager.query<EnvironmentTokens[]>(TOKENS);
}

const DISPATCHER_ACTIVITY = /* sql */ `
  SELECT (SELECT max(last_run_at) FROM housekeeping_task) AS "seenAt",
         service_now() - make_interval(secs => oldest_queued_seconds()) AS "oldestQueuedAt"`;

export async function readDispatcherActivity(manager: EntityManager): Promise<DispatcherDto> {
  const [activity] = await manager.query<DispatcherDto[]>(DISPATCHER_ACTIVITY);
  return activity;
}

const RECENT_CALLS_MAX = 10;

// The tenant queues that were served last have made the latest calls; of each the latest is found by its key.
const RECENT_CALLS = /* sql */ `
  WITH served AS MATERIALIZED (
    SELECT DISTINCT tenant_id FROM (
      SELECT tenant_id FROM tenant_queue WHERE operation = 'submit' ORDER BY served_at DESC LIMIT ${RECENT_CALLS_MAX}) l)
  SELECT s.id AS "submissionId", s.tenant_id AS "tenantId", t.name AS organisation, s.environment, s.state,
         s.sent_at AS "sentAt", s.updated_at AS "updatedAt", s.sends, s.failure
    FROM served l
    JOIN tenant t ON t.tenant_id = l.tenant_id
   CROSS JOIN LATERAL (
     SELECT x.id, x.tenant_id, x.environment, x.state, x.sent_at, x.updated_at, x.sends, x.failure
       FROM authority_submission x WHERE x.tenant_id = l.tenant_id ORDER BY x.id DESC LIMIT ${RECENT_CALLS_MAX}) s
   ORDER BY s.sent_at DESC LIMIT ${RECENT_CALLS_MAX}`;

/** The latest calls that sent documents, over all organisations, the newest first. */
export function readRecentCalls(manager: EntityManager): Promise<RecentCallDto[]> {
  return manager.query<RecentCallDto[]>(RECENT_CALLS);
}
