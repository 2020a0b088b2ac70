import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { InjectRepository } from '@nestjs/typeorm';
import { And, type EntityManager, LessThan, MoreThanOrEqual, Repository } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '../../../../src/config/environment.js';
import { claimTurn } from '../../../../src/database/claim-turn.js';
import { readServiceNow } from '../../../../src/database/clock.js';
import { TenantTransactions } from '../../../../src/database/in-tenant.js';
import { insertIfNew } from '../../../../src/database/insert-if-new.js';
import { toMalaysianDate } from '../../../../src/common/malaysian-days.js';
import { DocumentTransaction } from '../../../../src/entities/document-transaction.entity.js';
import { Tenant } from '../../../../src/entities/tenant.entity.js';
import { NightlyReport } from './nightly-report.entity.js';

const DAY_MS = 86_400_000;
const TENANTS_MAX = 1_000;

const WITHOUT_REPORT = `NOT EXISTS (
  SELECT FROM nightly_report r WHERE r.tenant_id = tenant.tenant_id AND r.day = :day)`;

/** Counts, each night, the documents of the day before. */
@Injectable()
export class NightlyReportTask {
  constructor(
    private readonly transactions: TenantTransactions,
    @InjectRepository(Tenant) private readonly tenants: Repository<Tenant>,
    @InjectRepository(DocumentTransaction) private readonly attempts: Repository<DocumentTransaction>,
  ) {}

  // Half past each hour of the night: every turn finishes what a replica that stopped has left. The timer fires on all
  // replicas, of which one takes the turn.
  @Cron('0 30 1-5 * * *', { name: 'nightly-report', timeZone: 'Asia/Kuala_Lumpur', waitForCompletion: true })
  async run(): Promise<void> {
    const { manager } = this.tenants;
    if (!(await claimTurn(manager, 'nightly_report', 3_000))) return;
    const now = await readServiceNow(manager);
    const day = toMalaysianDate(new Date(now.getTime() - DAY_MS));
    for (;;) {
      const tenants = await this.listTenantsWithout(day);
      for (const { tenantId } of tenants) await this.report(tenantId, day);
      if (tenants.length < TENANTS_MAX) return;
    }
  }

  private listTenantsWithout(day: string): Promise<Tenant[]> {
    return this.tenants.createQueryBuilder('tenant').where(WITHOUT_REPORT, { day }).take(TENANTS_MAX).getMany();
  }

  // All of a tenant or nothing: a tenant with a report is not looked at again.
  private report(tenantId: string, day: string): Promise<void> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      for (const environment of ENVIRONMENTS) {
        const figures = await this.count(tx, { tenantId, environment }, day);
        await insertIfNew(tx, NightlyReport, { tenantId, environment, day, ...figures });
      }
    });
  }

  private async count(
    tx: EntityManager,
    // The dispatcher sees all tenants, so that every condition names its own.
    of: { tenantId: string; environment: Environment },
    day: string,
  ): Promise<Pick<NightlyReport, 'accepted' | 'valid'>> {
    const from = new Date(`${day}T00:00:00+08:00`);
    const createdAt = And(MoreThanOrEqual(from), LessThan(new Date(from.getTime() + DAY_MS)));
    const attempts = tx.withRepository(this.attempts);
    return {
      accepted: await attempts.countBy({ ...of, createdAt }),
      valid: await attempts.countBy({ ...of, createdAt, authorityStatus: 'Valid' }),
    };
  }
}
