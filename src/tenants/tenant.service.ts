import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../common/operator-error.js';
import { serviceNow } from '../database/clock.js';
import { Tenant } from '../entities/tenant.entity.js';
import type { ProfileOptions } from './profile-options.js';
import { applyProfileOptions, EMPTY_PROFILE, type TenantProfile } from './tenant-profile.js';

/** Organisations and their supplier profiles. Reading one's own is for everybody; the rest needs the owner's role. */
@Injectable()
export class TenantService {
  constructor(private readonly dataSource: DataSource) {}

  /** The profile in a tenant's row as SQL gives it, a JSON object of its columns. */
  profileOf(row: Readonly<Record<string, unknown>>): TenantProfile {
    const { columns } = this.dataSource.getMetadata(Tenant);
    const members = columns.map(({ databaseName, propertyName }) => [propertyName, row[databaseName]]);
    return Object.fromEntries(members) as TenantProfile;
  }

  /** @throws OperatorError naming every wrong option */
  async create(options: ProfileOptions): Promise<Tenant> {
    const profile = profileAfter(EMPTY_PROFILE, options);
    const createdAt = await serviceNow(this.dataSource.manager);
    const tenant: Tenant = { tenantId: uuidv7({ msecs: createdAt.getTime() }), ...profile, createdAt };
    await this.dataSource.manager.insert(Tenant, tenant);
    return tenant;
  }

  /**
   * Changes the fields whose options are given; the whole profile must be right afterwards.
   * @throws OperatorError naming every wrong option, or the unknown tenant
   */
  update(tenantId: string, options: ProfileOptions): Promise<Tenant> {
    return this.dataSource.transaction(async (tx) => {
      // Locked, so that two updates at once are checked one after the other, each with the other's fields.
      const tenant = await tx.findOne(Tenant, { where: { tenantId }, lock: { mode: 'pessimistic_write' } });
      if (tenant === null) throw unknownTenant(tenantId);
      const profile = profileAfter(tenant, options);
      await tx.update(Tenant, { tenantId }, profile);
      return { tenantId, ...profile, createdAt: tenant.createdAt };
    });
  }

  /** Every tenant, the oldest first. */
  list(): Promise<Tenant[]> {
    return this.dataSource.manager.find(Tenant, { order: { tenantId: 'ASC' } });
  }

  /** @throws OperatorError when there is no such tenant */
  async show(tenantId: string): Promise<Tenant> {
    const tenant = await this.dataSource.manager.findOneBy(Tenant, { tenantId });
    if (tenant === null) throw unknownTenant(tenantId);
    return tenant;
  }
}

function profileAfter(current: TenantProfile, options: ProfileOptions): TenantProfile {
  const reading = applyProfileOptions(current, options);
  if ('problems' in reading) throw new OperatorError(reading.problems.join('\n'));
  return reading.profile;
}

function unknownTenant(tenantId: string): OperatorError {
  return new OperatorError(`There is no tenant ${tenantId}; "tenant list" shows those that there are`);
}
