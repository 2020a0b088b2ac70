import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuthorityApi, PUBLISHED_CALLS_PER_MINUTE } from '../../authority/call-limits.js';
import { type AuthoritySettings, type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { readServiceNow } from '../../database/clock.js';
import { type CallBudgetReport, readCallBudgets } from '../../dispatcher/operations/queue-report.js';
import { buildSupplier } from '../../tenants/supplier.js';
import type { TenantProfile } from '../../tenants/tenant-profile.js';
import { toTenant } from '../../tenants/tenant-row.js';
import { listAllAudit, type OperatorAuditFilter } from '../audit/audit.sql.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import type {
  OperatorAuditEntryDto,
  AuthorityHealthDto,
  OrganisationListingDto,
  DispatcherDto,
  RecentCallDto,
} from './dto/operator.dto.js';
import { OperatorDatabase } from './operator-database.js';

const APIS = Object.keys(PUBLISHED_CALLS_PER_MINUTE) as AuthorityApi[];

/** Reads the lists of the operators' pages. */
@Injectable()
export class OperatorPagesService {
  constructor(
    private readonly database: OperatorDatabase,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  listOrganisations(search: string | null, page: PageRequest): Promise<Page<OrganisationListingDto>> {
    return this.database.read(async (manager) => {
      const rows = await listOrganisations(manager, { search, after: page.after, count: page.limit + 1 });
      const listed = rows.map(({ tenant, requests, submits, tinChecks, ...figures }) => ({
        ...figures,
        rateLimits: { requests, submits, tinChecks },
        ...toShown(toTenant(manager.connection, tenant)),
      }));
      return toPage(listed, page, ({ tenantId }) => tenantId);
    });
  }

  readAuthority(): Promise<AuthorityHealthDto> {
    return this.database.read(async (manager) => {
      const callBudgets = await readCallBudgets(manager);
      const tokens = await readTokens(manager);
      const signs = await readDispatcherActivity(manager);
      const findCallBudget = (environment: Environment, api: AuthorityApi): CallBudgetReport | undefined =>
        callBudgets.find(
          (budget) =>
            budget.environment === environment &&
            budget.api === api &&
            budget.clientId === this.configuration.authorities[environment]?.clientId,
        );
      const served = ENVIRONMENTS.filter((environment) => this.configuration.authorities[environment] !== undefined);
      return {
        now: await readServiceNow(manager),
        dispatcher: signs,
        environments: served.map((environment) => ({
          environment,
          tokensHeld: tokens.find((each) => each.environment === environment)?.held ?? 0,
          loginsRefused: tokens.find((each) => each.environment === environment)?.refused ?? 0,
          apis: APIS.map((api) =>
            toBudget(api, this.configuration.authorities[environment], findCallBudget(environment, api)),
          ),
        })),
        recentCalls: await readRecentCalls(manager),
      };
    });
  }

  listAudit(filter: OperatorAuditFilter, page: PageRequest): Promise<Page<OperatorAuditEntryDto>> {
    return this.database.read(async (manager) =>
      toPage(await listAllAudit(manager, filter, page), page, ({ entryId }) => entryId),
    );
  }
}

/** Used until the first call of an API stores its budget. */
const NO_CALL_BUDGET = { nextAt: null, blockedUntil: null, blockedSince: null, blockedReason: null, failures: 0 };

function toBudget(
  api: AuthorityApi,
  { rateFactor }: Pick<AuthoritySettings, 'rateFactor'> = { rateFactor: 1 },
  callBudget: CallBudgetReport | undefined,
): AuthorityHealthDto['environments'][number]['apis'][number] {
  const { nextAt, blockedUntil, blockedSince, blockedReason, failures } = callBudget ?? NO_CALL_BUDGET;
  const callsPerMinute = rateFactor === 0 ? null : Math.round(PUBLISHED_CALLS_PER_MINUTE[api] * rateFactor * 10) / 10;
  return { api, callsPerMinute, nextAt, blockedUntil, blockedSince, blockedReason, failures };
}

function toShown(profile: TenantProfile): Pick<OrganisationListingDto, 'name' | 'tin' | 'missing'> {
  const supplier = buildSupplier(profile);
  return { name: profile.name, tin: profile.tin, missing: 'missing' in supplier ? supplier.missing : [] };
}

interface EnvironmentTokens {
  readonly environment: Environment;
  /** Number of unexpired tokens. */
  readonly held: number;
  /** Number of recently refused logins. */
  readonly refused: number;
}

const TOKENS = /* sql */ `
  SELECT environment, (count(*) FILTER (WHERE expires_at > service_now()))::integer AS held,
         (count(*) FILTER (WHERE login_owner IS NULL AND login_until > service_now()))::integer AS refused
    FROM authority_token GROUP BY environment`;

function readTokens(manager: EntityManager): Promise<EnvironmentTokens[]> {
  return manager.query<EnvironmentTokens[]>(TOKENS);
}

const DISPATCHER_ACTIVITY = /* sql */ `
  SELECT (SELECT max(last_run_at) FROM housekeeping_task) AS "seenAt",
         service_now() - make_interval(secs => oldest_queued_seconds()) AS "oldestQueuedAt"`;

async function readDispatcherActivity(manager: EntityManager): Promise<DispatcherDto> {
  const [activity] = await manager.query<DispatcherDto[]>(DISPATCHER_ACTIVITY);
  return activity;
}

const RECENT_CALLS_MAX = 10;

// The latest calls belong to the most recently served tenant queues.
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

function readRecentCalls(manager: EntityManager): Promise<RecentCallDto[]> {
  return manager.query<RecentCallDto[]>(RECENT_CALLS);
}

interface OrganisationRow {
  readonly tenantId: string;
  /** Columns of the tenant. */
  readonly tenant: Readonly<Record<string, unknown>>;
  /** Excludes credits that can be spent only in the sandbox. */
  readonly balance: number;
  readonly documentsLast30Days: number;
  readonly lastActivityAt: Date | null;
  /** Limit set by an operator, or null for the default. */
  readonly requests: number | null;
  readonly submits: number | null;
  readonly tinChecks: number | null;
}

// Batch ids start with a timestamp, so the last 30 days are a range of the index.
const ORGANISATIONS = /* sql */ `
  WITH page AS MATERIALIZED (
    SELECT t.tenant_id, to_jsonb(t) AS tenant FROM tenant t
     WHERE ($1::text IS NULL OR t.name ILIKE $1 OR t.tin ILIKE $1 OR t.tenant_id::text ILIKE $1)
       AND ($2::uuid IS NULL OR t.tenant_id < $2)
     ORDER BY t.tenant_id DESC LIMIT $3)
  SELECT t.tenant_id AS "tenantId", t.tenant, credit.balance, recent.documents AS "documentsLast30Days",
         latest.created_at AS "lastActivityAt", own.requests_per_minute AS requests,
         own.submits_per_minute AS submits, own.tin_checks_per_minute AS "tinChecks"
    FROM page t
    LEFT JOIN tenant_rate_limit own ON own.tenant_id = t.tenant_id
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(remaining), 0)::integer AS balance FROM credit_lot l
      WHERE l.tenant_id = t.tenant_id AND l.remaining > 0 AND l.expires_at > service_now()
        AND l.environment IS NULL) credit
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(document_count), 0)::integer AS documents FROM submission_batch b
      WHERE b.tenant_id = t.tenant_id AND b.id >= (
        lpad(to_hex((extract(epoch FROM service_now() - interval '30 days') * 1000)::bigint), 12, '0')
        || repeat('0', 20))::uuid) recent
    LEFT JOIN LATERAL (
     SELECT b.created_at FROM submission_batch b WHERE b.tenant_id = t.tenant_id ORDER BY b.id DESC LIMIT 1) latest ON true
   ORDER BY t.tenant_id DESC`;

/** Lists organisations, newest first. `search` is part of the name, TIN or id. */
function listOrganisations(
  manager: EntityManager,
  { search, after, count }: { search: string | null; after: string | null; count: number },
): Promise<OrganisationRow[]> {
  const pattern = search === null ? null : `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return manager.query<OrganisationRow[]>(ORGANISATIONS, [pattern, after, count]);
}
