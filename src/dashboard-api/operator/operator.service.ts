import type { OperatorAuditEntryDto } from './dto/operator.dto.js';
import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../../audit/audit.js';
import { type AuthorityApi, PUBLISHED_CALLS_PER_MINUTE } from '../../authority/call-limits.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { type AuthoritySettings, type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { retryDeadLetters } from '../../document-events/event-operations.js';
import { readServiceNow } from '../../database/clock.js';
import { Tenant } from '../../entities/tenant.entity.js';
import {
  type CallBudgetReport,
  type QueueReport,
  readCallBudgets,
  readQueue,
} from '../../dispatcher/operations/queue-report.js';
import { type Outage, readOutages } from '../../dispatcher/operations/outages.js';
import { retryTenantQueues, type UnblockedTenantQueue } from '../../dispatcher/operations/retry-tenant-queues.js';
import { buildSupplier } from '../../tenants/supplier.js';
import type { TenantProfile } from '../../tenants/tenant-profile.js';
import { toTenant } from '../../tenants/tenant-row.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import { listAllAudit, type OperatorAuditFilter } from './operator-audit.sql.js';
import { readDispatcherActivity, readRecentCalls, readTokens } from './authority-health.sql.js';
import type { AuthorityHealthDto, OrganisationListingDto } from './dto/operator.dto.js';
import { OperatorDatabase } from './operator-database.js';
import { listOrganisations } from './organisations.sql.js';

const APIS = Object.keys(PUBLISHED_CALLS_PER_MINUTE) as AuthorityApi[];

/** What operators look at, over all organisations. */
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

  readQueue(): Promise<QueueReport> {
    return this.database.read(readQueue);
  }

  readOutages(): Promise<{ outages: Outage[] }> {
    return this.database.read(async (manager) => ({ outages: await readOutages(manager) }));
  }

  /** @throws DashboardError (404) for no such organisation */
  retry(tenantId: string, actor: Actor): Promise<UnblockedTenantQueue[]> {
    return this.database.change(async (tx) => {
      const tenant = await tx.findOneBy(Tenant, { tenantId });
      if (tenant === null) throw new DashboardError('not_found_here', { message: 'There is no such organisation' });
      return retryTenantQueues(tx, tenant, actor);
    });
  }

  /**
   * Returns how many events are delivered again.
   * @throws DashboardError (409) for no such consumer
   */
  retryEvents(deadLetters: { consumer: string; documentId: string | null }, actor: Actor): Promise<number> {
    return this.database.change(async (tx) => (await retryDeadLetters(tx, deadLetters, actor)).length);
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

/** An API has no stored budget before its first call. */
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
