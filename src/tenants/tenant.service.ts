import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { COMMAND_ACTOR } from '../audit/audit.js';
import { ValidationError } from '../errors/api-error.js';
import { OperatorError } from '../errors/operator-error.js';
import { snakeCase } from '../validation/shape.js';
import { readServiceNow } from '../database/clock.js';
import { Tenant } from '../entities/tenant.entity.js';
import { applyProfileChange, type ProfileChange } from './profile-change.js';
import { recordProfileChange } from './profile-audit.js';
import { EMPTY_PROFILE, type TenantProfile } from './tenant-profile.js';
import { verifyByCommand } from './verification/decisions.js';

/** Whether a TIN may be verified for an organisation although it is for another one. */
interface TinSharing {
  readonly isTinShared?: boolean;
}

const NOTHING_TO_SHARE =
  'Neither the TIN nor the id changes: use "tenant verify --shared-tin" to decide about the TIN that is there';

/**
 * Organisations and their supplier profiles. Reading and changing one's own is for everybody; the rest needs the
 * owner's role.
 */
@Injectable()
export class TenantService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Makes an organisation, as an operator, who verifies it by that.
   * @throws ValidationError naming every wrong field
   */
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

  /**
   * Changes the given fields, as an operator, who verifies a changed TIN or id by that.
   * @throws ValidationError naming every wrong field
   * @throws OperatorError for an unknown tenant
   */
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
   * Changes the given fields of a profile, all of them or none; the whole profile must be right afterwards.
   * @returns the tenant before and after, or null when there is none
   * @throws ValidationError naming every wrong field
   */
  async change(
    tx: EntityManager,
    tenantId: string,
    change: ProfileChange,
  ): Promise<{ before: Tenant; after: Tenant } | null> {
    // Locked, so that two simultaneous changes are checked one after the other, each with the other's fields.
    const before = await tx.findOne(Tenant, { where: { tenantId }, lock: { mode: 'pessimistic_write' } });
    if (before === null) return null;
    const profile = applyChange(before, change);
    await tx.update(Tenant, { tenantId }, profile);
    return { before, after: { tenantId, ...profile, createdAt: before.createdAt } };
  }

  /** Every tenant, the oldest first. */
  list(): Promise<Tenant[]> {
    return this.dataSource.manager.find(Tenant, { order: { tenantId: 'ASC' } });
  }

  /** @throws OperatorError when there is no such tenant */
  async show(tenantId: string): Promise<Tenant> {
    const tenant = await this.dataSource.manager.findOneBy(Tenant, { tenantId });
    if (tenant === null) throw buildUnknownTenantError(tenantId);
    return tenant;
  }
}

/** Whether the TIN or the id differ, which are what is verified: their change ends the verification. */
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
