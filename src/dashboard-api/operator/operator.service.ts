import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../../audit/audit.js';
import { type AuthorityApi, PUBLISHED_CALLS_PER_MINUTE } from '../../authority/call-limits.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { type AuthoritySettings, type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { serviceNow } from '../../database/clock.js';
import { Tenant } from '../../entities/tenant.entity.js';
import { type PaceReport, type QueueReport, readPaces, readQueue } from '../../queue-operations/queue-report.js';
import { retryLanes, type Unblocked } from '../../queue-operations/retry-lanes.js';
import { supplierOf } from '../../tenants/supplier.js';
import type { TenantProfile } from '../../tenants/tenant-profile.js';
import { tenantOf } from '../../tenants/tenant-row.js';
import { type Page, pageOf, type PageRequest } from '../cursor.js';
import { listAllAudit, type OperatorAuditFilter, type OperatorAuditRow } from './operator-audit.sql.js';
import { dispatcherSigns, recentCalls, tokensHeld } from './authority-health.sql.js';
import type { AuthorityHealthDto, OrganisationListingDto } from './dto/operator.dto.js';
import { OperatorDatabase } from './operator-database.js';
import { organisationRows } from './organisations.sql.js';

const APIS = Object.keys(PUBLISHED_CALLS_PER_MINUTE) as AuthorityApi[];

/** What operators look at, over all organisations. */
@Injectable()
export class OperatorPages {
  constructor(
    private readonly database: OperatorDatabase,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  organisations(search: string | null, page: PageRequest): Promise<Page<OrganisationListingDto>> {
    return this.database.read(async (manager) => {
      const rows = await organisationRows(manager, { search, after: page.after, count: page.limit + 1 });
      const listed = rows.map(({ tenant, ...figures }) => ({
        ...figures,
        ...shown(tenantOf(manager.connection, tenant)),
      }));
      return pageOf(listed, page, ({ tenantId }) => tenantId);
    });
  }

  queue(): Promise<QueueReport> {
    return this.database.read(readQueue);
  }

  /** @throws DashboardError (404) for no such organisation */
  retry(tenantId: string, actor: Actor): Promise<Unblocked[]> {
    return this.database.change(async (tx) => {
      const tenant = await tx.findOneBy(Tenant, { tenantId });
      if (tenant === null) throw new DashboardError('not_found_here', { message: 'There is no such organisation' });
      return retryLanes(tx, tenant, actor);
    });
  }

  authority(): Promise<AuthorityHealthDto> {
    return this.database.read(async (manager) => {
      const paces = await readPaces(manager);
      const tokens = await tokensHeld(manager);
      const signs = await dispatcherSigns(manager);
      const paceOf = (environment: Environment, api: AuthorityApi): PaceReport | undefined =>
        paces.find(
          (pace) =>
            pace.environment === environment &&
            pace.api === api &&
            pace.clientId === this.configuration.authorities[environment]?.clientId,
        );
      const served = ENVIRONMENTS.filter((environment) => this.configuration.authorities[environment] !== undefined);
      return {
        now: await serviceNow(manager),
        dispatcher: signs,
        environments: served.map((environment) => ({
          environment,
          tokensHeld: tokens.find((each) => each.environment === environment)?.held ?? 0,
          loginsRefused: tokens.find((each) => each.environment === environment)?.refused ?? 0,
          apis: APIS.map((api) => budgetOf(api, this.configuration.authorities[environment], paceOf(environment, api))),
        })),
        recentCalls: await recentCalls(manager),
      };
    });
  }

  audit(filter: OperatorAuditFilter, page: PageRequest): Promise<Page<OperatorAuditRow>> {
    return this.database.read(async (manager) =>
      pageOf(await listAllAudit(manager, filter, page), page, ({ entryId }) => entryId),
    );
  }
}

/** What has not been called yet has a budget and no pace. */
const NO_PACE = { nextAt: null, blockedUntil: null, blockedSince: null, blockedReason: null, failures: 0 };

function budgetOf(
  api: AuthorityApi,
  { rateFactor }: Pick<AuthoritySettings, 'rateFactor'> = { rateFactor: 1 },
  pace: PaceReport | undefined,
): AuthorityHealthDto['environments'][number]['apis'][number] {
  const { nextAt, blockedUntil, blockedSince, blockedReason, failures } = pace ?? NO_PACE;
  const callsPerMinute = rateFactor === 0 ? null : Math.round(PUBLISHED_CALLS_PER_MINUTE[api] * rateFactor * 10) / 10;
  return { api, callsPerMinute, nextAt, blockedUntil, blockedSince, blockedReason, failures };
}

function shown(profile: TenantProfile): Pick<OrganisationListingDto, 'name' | 'tin' | 'missing'> {
  const supplier = supplierOf(profile);
  return { name: profile.name, tin: profile.tin, missing: 'missing' in supplier ? supplier.missing : [] };
}
