import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { COMMAND_ACTOR } from '../accounts/audit.js';
import { ValidationError } from '../errors/api-error.js';
import { OperatorError } from '../errors/operator-error.js';
import { snakeCase } from '../http/validation/shape.js';
import { readServiceNow } from '../database/clock.js';
import { Tenant } from '../entities/tenant.entity.js';
import { applyProfileChange, type ProfileChange } from './profile-change.js';
import { recordProfileChange } from './profile-audit.js';
import { EMPTY_PROFILE, type TenantProfile } from './tenant-profile.js';
import { verifyByCommand } from './verification/decisions.js';

/** Whether to verify a TIN for which another organisation is already verified. */
interface TinSharing {
  readonly isTinShared?: boolean;
}

const NOTHING_TO_SHARE =
  'Neither the TIN nor the id changes: use "tenant verify --shared-tin" to decide about the TIN that is there';

/** Organisations and their profiles. Except for `change`, requires the owner role. */
@Injectable()
export class TenantService {
  constructor(private readonly dataSource: DataSource) {}

  /** Creates and verifies an organisation for an operator. @throws ValidationError with all invalid fields */
  async create(change: ProfileChange, { isTinShared = false }: TinSharing = {}): Promise<Tenant> {
    const profile = applyChange(EMPTY_PROFILE, change);
    return this.dataSource.transaction(async (tx) => {
      const createdAt = await readServiceNow(tx);
      const tenant: Tenant = { tenantId: uuidv7({ msecs: createdAt.getTime() }), ...profile, createdAt };
      await tx.insert(Tenant, tenant);
      await recordProfileChange(tx, { tenantId: tenant.tenantId, before: EMPTY_PROFILE, after: tenant }, COMMAND_ACTOR);
      await verifyByCommand(tx, { tenantId: tenant.tenantId, isShared: isTinShared });
      return tenant;
    });
  }

  /** Changes a profile for an operator, and verifies a changed TIN or id. @throws ValidationError, OperatorError */
  update(tenantId: string, change: ProfileChange, { isTinShared = false }: TinSharing = {}): Promise<Tenant> {
    return this.dataSource.transaction(async (tx) => {
      const changed = await this.change(tx, tenantId, change);
      if (changed === null) throw buildUnknownTenantError(tenantId);
      const { before, after } = changed;
      await recordProfileChange(tx, { tenantId, before, after }, COMMAND_ACTOR);
      if (hasOtherIdentity(before, after)) await verifyByCommand(tx, { tenantId, isShared: isTinShared });
      else if (isTinShared) throw new OperatorError(NOTHING_TO_SHARE);
      return after;
    });
  }

  /**
   * Changes a profile atomically.
   * @returns the tenant before and after, or null if it does not exist
   * @throws ValidationError with all invalid fields
   */
  async change(
    tx: EntityManager,
    tenantId: string,
    change: ProfileChange,
  ): Promise<{ before: Tenant; after: Tenant } | null> {
    // The lock serialises concurrent changes, so that each one reads the other.
    const before = await tx.findOne(Tenant, { where: { tenantId }, lock: { mode: 'pessimistic_write' } });
    if (before === null) return null;
    const profile = applyChange(before, change);
    await tx.update(Tenant, { tenantId }, profile);
    return { before, after: { tenantId, ...profile, createdAt: before.createdAt } };
  }

  list(): Promise<Tenant[]> {
    return this.dataSource.manager.find(Tenant, { order: { tenantId: 'ASC' } });
  }

  /** @throws OperatorError if the tenant does not exist */
  async show(tenantId: string): Promise<Tenant> {
    const tenant = await this.dataSource.manager.findOneBy(Tenant, { tenantId });
    if (tenant === null) throw buildUnknownTenantError(tenantId);
    return tenant;
  }
}

/** Returns whether TIN or id differ, which ends the verification. */
export function hasOtherIdentity(before: TenantProfile, after: TenantProfile): boolean {
  return before.tin !== after.tin || before.idType !== after.idType || before.idValue !== after.idValue;
}

function applyChange(current: TenantProfile, change: ProfileChange): TenantProfile {
  const reading = applyProfileChange(current, change);
  if ('profile' in reading) return reading.profile;
  throw new ValidationError(
    reading.problems.map(({ field, kind, message, hint }) => ({
      pointer: `/${field}`,
      rule: `profile_${snakeCase(field)}_${kind}`,
      message,
      hint,
    })),
  );
}

function buildUnknownTenantError(tenantId: string): OperatorError {
  return new OperatorError(`There is no tenant ${tenantId}; see "tenant list"`);
}
