import { Injectable } from '@nestjs/common';
import { appendAudit } from '../../audit/audit.js';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import { CallBudget, CallSlot } from '../../authority/call-budget.js';
import type { TinOutcome } from '../../authority/outcomes.js';
import { AuthorityTokens, type Taxpayer } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import { DashboardTransactions } from '../../database/database.module.js';
import { type IdType, formatOnBehalfOf } from '../../documents/identity.js';
import { Tenant } from '../../entities/tenant.entity.js';
import { listMissing } from '../../tenants/supplier.js';
import type { Member } from '../session/access.js';
import { type AppointmentFinding, toFinding } from './appointment-finding.js';
import type { AppointmentDto, AppointmentProblemDto } from './dto/appointment.dto.js';
import { requestVerifications } from '../../tenants/verification/request.js';
import { readChecks, storeCheck, type StoredCheck } from './organisation.sql.js';

// A person waits before the page: rather a response that says when to try again than a long silence.
const SLOT_WAIT_MS = 5_000;
const DEADLINE_MS = 15_000;
const RETRY_AFTER_SECONDS = 10;

/**
 * Tries what every document needs: to log in at the authority on behalf of the organisation. It asks for the
 * organisation's own TIN and id, which also finds a typing error in them. A login that worked within the hour is not
 * made again: logins are few, and everybody's.
 */
@Injectable()
export class AppointmentService {
  constructor(
    private readonly transactions: DashboardTransactions,
    private readonly budget: CallBudget,
    private readonly authority: AuthorityCalls,
    private readonly tokens: AuthorityTokens,
  ) {}

  async check(member: Member, environment: Environment): Promise<AppointmentDto> {
    const { tenant, now, checks } = await this.read(member.tenantId);
    const taxpayer = toTaxpayer(tenant);
    const incomplete = listProfileProblems(tenant);
    if (taxpayer === null) {
      const [isAppointed, authorityMessage, retryAfterSeconds] = [null, null, null];
      return { isAppointed, checkedAt: now, problems: incomplete, authorityMessage, retryAfterSeconds };
    }
    const outcome = await this.ask(environment, taxpayer);
    const finding = toFinding(outcome);
    const problems = [...finding.problems, ...incomplete];
    if (outcome.kind === 'not-appointed' && outcome.isPaused === true) {
      const earlier = checks.find((check) => check.environment === environment);
      const { checkedAt = now, authorityMessage = null } = earlier ?? {};
      return { ...finding, problems, checkedAt, authorityMessage };
    }
    const isIdKnown = outcome.kind === 'valid';
    const checkedAt = await this.remember(member, { environment, taxpayer, finding, isIdKnown });
    return { ...finding, problems, checkedAt };
  }

  private read(tenantId: string): Promise<{ tenant: Tenant; now: Date; checks: StoredCheck[] }> {
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const tenant = await tx.findOneByOrFail(Tenant, { tenantId });
      const taxpayer = toTaxpayer(tenant);
      const checks = taxpayer === null ? [] : await readChecks(tx, tenantId, taxpayer.onBehalfOf);
      return { tenant, now, checks };
    });
  }

  private async ask(environment: Environment, taxpayer: IdentifiedTaxpayer): Promise<TinOutcome> {
    const deadlineAt = performance.now() + DEADLINE_MS;
    const refusal = await this.tokens.findRefusal(environment, taxpayer);
    if (refusal !== null) return refusal;
    const slot = await this.budget.reserveWithinShare(
      { tenantId: taxpayer.tenantId, environment },
      'validateTin',
      SLOT_WAIT_MS,
    );
    if (!(slot instanceof CallSlot))
      return slot ?? { kind: 'throttled', api: 'validateTin', retryAfterSeconds: RETRY_AFTER_SECONDS };
    return this.authority.validateTin({ taxpayer, slot, deadlineAt }, taxpayer);
  }

  /** Stores a verdict, which may verify the organisation. An inconclusive result does not replace the previous verdict. */
  private remember({ tenantId, actor }: Member, { environment, taxpayer, finding, isIdKnown }: Verdict): Promise<Date> {
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const { isAppointed, authorityMessage } = finding;
      if (isAppointed === null) return now;
      // As a change of the profile does: locked in another order, each of the two would wait for the other.
      const lock = { mode: 'pessimistic_write' } as const;
      const tenant = await tx.findOneOrFail(Tenant, { where: { tenantId }, lock });
      const represented = taxpayer.onBehalfOf;
      const check = { environment, onBehalfOf: represented, isAppointed, authorityMessage, checkedAt: now };
      await storeCheck(tx, tenantId, { ...check, confirmed: isIdKnown ? taxpayer : null });
      const details = { environment, isAppointed };
      await appendAudit(tx, actor, { tenantId, action: 'appointment.checked', subject: represented, details });
      await requestVerifications(tx, tenant, [environment]);
      return now;
    });
  }
}

type IdentifiedTaxpayer = Taxpayer & { readonly tin: string; readonly idType: IdType; readonly idValue: string };

interface Verdict {
  readonly environment: Environment;
  readonly taxpayer: IdentifiedTaxpayer;
  readonly finding: AppointmentFinding;
  /** Whether the authority knows the TIN together with the id. */
  readonly isIdKnown: boolean;
}

function toTaxpayer({ tenantId, tin, idType, idValue }: Tenant): IdentifiedTaxpayer | null {
  if (!tin || !idType || !idValue) return null;
  return { tenantId, tin, idType, idValue, onBehalfOf: formatOnBehalfOf({ tin, idType, idValue }) };
}

function listProfileProblems(tenant: Tenant): AppointmentProblemDto[] {
  const missing = listMissing(tenant);
  if (missing.length === 0) return [];
  const message = `Your profile is incomplete: ${missing.join(', ')} missing`;
  return [{ message, fix: 'Fill that in first: without it no document can be sent.' }];
}
