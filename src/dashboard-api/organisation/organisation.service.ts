import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { CreditsService } from '../../credits/credits.service.js';
import { DashboardTransactions } from '../../database/database.module.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { findOnBehalfOf } from '../../documents/identity.js';
import { AppointmentCheck } from '../../entities/appointment-check.entity.js';
import { Tenant } from '../../entities/tenant.entity.js';
import { computeLimits } from '../../rate-limits/limits.js';
import { readOwnLimits } from '../../rate-limits/organisation-limits.js';
import type { ProfileChange } from '../../tenants/profile-change.js';
import { findProfileDoubts } from '../../tenants/profile-doubts.js';
import { PROFILE_FIELDS, type TenantProfile } from '../../tenants/tenant-profile.js';
import { listMissing } from '../../tenants/supplier.js';
import { recordProfileChange } from '../../tenants/profile-audit.js';
import { hasOtherIdentity, TenantService } from '../../tenants/tenant.service.js';
import { explainVerification } from '../../tenants/verification/verification.js';
import { readVerifications, type StoredVerification } from '../../tenants/verification/verification.sql.js';
import type { Member } from '../session/access.js';
import type {
  AppointmentStateDto,
  OnboardingDto,
  OrganisationDto,
  ProfileDto,
  VerificationStateDto,
} from './dto/organisation.dto.js';
import { assertTinMayChange } from '../../tenants/verification/tin-changes.js';
import { recordEnded, requestVerifications } from '../../tenants/verification/request.js';

@Injectable()
export class OrganisationService {
  constructor(
    private readonly transactions: DashboardTransactions,
    private readonly tenants: TenantService,
    private readonly credits: CreditsService,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  show(tenantId: string): Promise<OrganisationDto> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const tenant = await tx.findOneByOrFail(Tenant, { tenantId });
      const represented = findOnBehalfOf(tenant);
      const checks =
        represented === null ? [] : await tx.findBy(AppointmentCheck, { tenantId, onBehalfOf: represented });
      const missing = listMissing(tenant);
      return {
        tenantId,
        createdAt: tenant.createdAt,
        profile: toProfile(tenant),
        missing,
        doubts: findProfileDoubts(tenant),
        onboarding: {
          isProfileComplete: missing.length === 0,
          intermediary: this.configuration.intermediary,
          appointments: this.served().map((environment) => appointmentIn(environment, checks)),
          verifications: verificationsIn(this.served(), await readVerifications(tx, tenantId)),
          ...(await readProgress(tx, tenantId)),
        },
        remainingCredits: {
          sandbox: await this.credits.readRemaining(tx, { tenantId, environment: 'sandbox' }),
          production: await this.credits.readRemaining(tx, { tenantId, environment: 'production' }),
        },
        rateLimits: computeLimits(this.configuration.rateLimits, await readOwnLimits(tx, tenantId)),
      };
    });
  }

  /**
   * Changes the given fields of the profile. A changed TIN or id ends the verification, and a complete profile requests
   * a new one.
   * @throws ValidationError (400) with every invalid field
   * @throws DashboardError (429) after too many changes of the TIN
   */
  change({ tenantId, actor }: Member, change: ProfileChange): Promise<ProfileDto> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const verifications = await readVerifications(tx, tenantId);
      const changed = await this.tenants.change(tx, tenantId, change);
      if (changed === null) throw new DashboardError('organisation_not_found');
      const { before, after } = changed;
      if (before.tin !== null && before.tin !== after.tin) await assertTinMayChange(tx, tenantId);
      await recordProfileChange(tx, { tenantId, before, after }, actor);
      if (hasOtherIdentity(before, after)) await recordEnded(tx, { tenant: before, verifications, actor });
      await requestVerifications(tx, after, ENVIRONMENTS);
      return toProfile(after);
    });
  }

  private served(): Environment[] {
    return ENVIRONMENTS.filter((environment) => this.configuration.authorities[environment] !== undefined);
  }
}

function appointmentIn(environment: Environment, checks: readonly AppointmentCheck[]): AppointmentStateDto {
  const check = checks.find((other) => other.environment === environment);
  return { environment, isAppointed: check?.isAppointed ?? null, checkedAt: check?.checkedAt ?? null };
}

function verificationsIn(
  served: readonly Environment[],
  verifications: readonly StoredVerification[],
): VerificationStateDto[] {
  return verifications
    .filter(({ environment }) => served.includes(environment))
    .map(({ environment, status, reason, updatedAt }) => {
      const { message = null, action = null } = explainVerification({ status, reason }, environment) ?? {};
      return { environment, status, reason, message, action, updatedAt };
    });
}

function toProfile(tenant: TenantProfile): ProfileDto {
  return Object.fromEntries(PROFILE_FIELDS.map((field) => [field, tenant[field]])) as unknown as ProfileDto;
}

type Progress = Pick<OnboardingDto, 'hasSandboxKey' | 'hasSandboxDocument' | 'hasValidSandboxDocument'>;

// Each subquery stops at the first row of an index that starts with tenant and environment.
const READ_PROGRESS = /* sql */ `
  SELECT EXISTS (SELECT FROM api_key
                  WHERE tenant_id = $1 AND environment = 'sandbox' AND revoked_at IS NULL
                    AND (expires_at IS NULL OR expires_at > service_now())) AS "hasSandboxKey",
         EXISTS (SELECT FROM document WHERE tenant_id = $1 AND environment = 'sandbox') AS "hasSandboxDocument",
         EXISTS (SELECT FROM document_transaction
                  WHERE tenant_id = $1 AND environment = 'sandbox' AND document_type = ANY ($2)
                    AND coalesce(authority_status, submission_status) = 'Valid') AS "hasValidSandboxDocument"`;

async function readProgress(tx: EntityManager, tenantId: string): Promise<Progress> {
  const [row] = await tx.query<[Progress]>(READ_PROGRESS, [tenantId, DOCUMENT_TYPES]);
  return row;
}
