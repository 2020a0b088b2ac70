import { Injectable } from '@nestjs/common';
import { appendAudit } from '../../accounts/audit.js';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import { CallBudget, CallSlot } from '../../authority/call-budget.js';
import type { TinOutcome } from '../../authority/outcomes.js';
import { AuthorityTokens, type Taxpayer, REFUSAL_PAUSE_SECONDS } from '../../authority/tokens.js';
import type { Environment } from '../../config/environment.js';
import { DashboardTransactions } from '../../database/database.module.js';
import { type IdType, formatOnBehalfOf } from '../../documents/identity.js';
import { AppointmentCheck } from '../../entities/appointment-check.entity.js';
import { Tenant } from '../../entities/tenant.entity.js';
import { listMissing } from '../../tenants/supplier.js';
import type { Member } from '../session/access.js';
import type { AppointmentDto, AppointmentProblemDto } from './dto/organisation.dto.js';
import { requestVerifications } from '../../tenants/verification/request.js';

// Short time limits, because a user waits for the response.
const SLOT_WAIT_MS = 5_000;
const DEADLINE_MS = 15_000;
const RETRY_AFTER_SECONDS = 10;

/**
 * Checks whether the service may log in at the authority on behalf of the organisation, which every document requires.
 * The check validates the organisation's own TIN and id, which also detects typing errors. A login of the last hour is
 * reused, because all organisations share the limit of logins.
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

  private read(tenantId: string): Promise<{ tenant: Tenant; now: Date; checks: AppointmentCheck[] }> {
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const tenant = await tx.findOneByOrFail(Tenant, { tenantId });
      const taxpayer = toTaxpayer(tenant);
      const checks =
        taxpayer === null ? [] : await tx.findBy(AppointmentCheck, { tenantId, onBehalfOf: taxpayer.onBehalfOf });
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

  /** Stores a verdict, which may verify the organisation. An inconclusive result keeps the previous verdict. */
  private remember({ tenantId, actor }: Member, { environment, taxpayer, finding, isIdKnown }: Verdict): Promise<Date> {
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const { isAppointed, authorityMessage } = finding;
      if (isAppointed === null) return now;
      // Locks the tenant first, in the same order as a profile change, to avoid deadlocks.
      const lock = { mode: 'pessimistic_write' } as const;
      const tenant = await tx.findOneOrFail(Tenant, { where: { tenantId }, lock });
      const represented = taxpayer.onBehalfOf;
      const { tin, idType, idValue } = isIdKnown ? taxpayer : NO_IDENTITY;
      const confirmed = { confirmedTin: tin, confirmedIdType: idType, confirmedIdValue: idValue };
      const check = { environment, onBehalfOf: represented, isAppointed, authorityMessage, checkedAt: now };
      await tx.upsert(AppointmentCheck, { tenantId, ...check, ...confirmed }, ['tenantId', 'environment']);
      const details = { environment, isAppointed };
      await appendAudit(tx, actor, { tenantId, action: 'appointment.checked', subject: represented, details });
      await requestVerifications(tx, tenant, [environment]);
      return now;
    });
  }
}

const NO_IDENTITY = { tin: null, idType: null, idValue: null };

type IdentifiedTaxpayer = Taxpayer & { readonly tin: string; readonly idType: IdType; readonly idValue: string };

interface Verdict {
  readonly environment: Environment;
  readonly taxpayer: IdentifiedTaxpayer;
  readonly finding: AppointmentFinding;
  /** Whether the authority has confirmed that TIN and id belong together. */
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
  return [{ message, fix: 'Complete the profile first. Without these fields, no document can be sent.' }];
}

interface AuthorityError {
  readonly code: string | null;
  readonly message: string;
}

/** Result of a check, derived from the outcome of the authority call. */
interface AppointmentFinding {
  /** Null if the check was inconclusive. */
  readonly isAppointed: boolean | null;
  readonly problems: readonly AppointmentProblemDto[];
  readonly authorityMessage: string | null;
  readonly retryAfterSeconds: number | null;
}

const SOON_SECONDS = 30;

const APPOINT =
  'In the MyInvois portal, add this service as your intermediary and switch on its permissions. Compare the TIN in ' +
  'your profile with the TIN in the portal. After a change, wait a minute and check again.';

function buildFinding(
  isAppointed: boolean | null,
  [message, fix]: readonly [message: string, fix: string],
  retryAfterSeconds: number | null,
  errors: readonly AuthorityError[] = [],
): AppointmentFinding {
  return { isAppointed, problems: [{ message, fix }], authorityMessage: joinMessages(errors), retryAfterSeconds };
}

const FINDINGS: { [Kind in TinOutcome['kind']]: (outcome: Extract<TinOutcome, { kind: Kind }>) => AppointmentFinding } =
  {
    valid: () => ({ isAppointed: true, problems: [], authorityMessage: null, retryAfterSeconds: null }),
    // The login proves the appointment, but the authority would reject every document.
    invalid: () => buildFinding(true, ID_UNKNOWN, null),
    'not-appointed': ({ errors, isPaused }) =>
      isPaused === true
        ? buildFinding(false, CHECK_PAUSED, REFUSAL_PAUSE_SECONDS)
        : buildFinding(false, NOT_APPOINTED, REFUSAL_PAUSE_SECONDS, errors),
    forbidden: ({ errors }) => buildFinding(false, PERMISSIONS_MISSING, null, errors),
    unauthorized: () => {
      const message = 'The authority refused a login that it had granted moments before';
      return buildFinding(null, [message, formatRetryHint(SOON_SECONDS)], SOON_SECONDS);
    },
    'client-refused': () => buildFinding(null, SERVICE_REFUSED, REFUSAL_PAUSE_SECONDS),
    throttled: ({ retryAfterSeconds, isShareUsedUp }) => {
      const message = isShareUsedUp
        ? 'Your organisation has used up its share of the calls to the authority'
        : 'The limit of calls to the authority is used up for now';
      return buildFinding(null, [message, formatRetryHint(retryAfterSeconds)], retryAfterSeconds);
    },
    unavailable: ({ retryAfterSeconds }) => {
      const seconds = retryAfterSeconds ?? SOON_SECONDS;
      const fix = `This result says nothing about your appointment. ${formatRetryHint(seconds)}`;
      return buildFinding(null, ['The authority did not respond', fix], seconds);
    },
  };

const ID_UNKNOWN = [
  'The authority does not know your TIN together with the id of your profile',
  'Compare the TIN, id type and id number with your registration at the authority, and correct the profile.',
] as const;
const CHECK_PAUSED = [
  'The authority refused a check less than a minute ago, so this check was not sent',
  `The authority limits the number of checks: check again in ${REFUSAL_PAUSE_SECONDS} seconds.`,
] as const;
const NOT_APPOINTED = ['The authority does not let this service act for your TIN yet', APPOINT] as const;
const PERMISSIONS_MISSING = [
  'You appointed this service, but without the permissions that it needs',
  'In the MyInvois portal, open the intermediary and switch on submit, cancel and view. Then check again.',
] as const;
const SERVICE_REFUSED = [
  'The authority refuses the login of this service for every organisation',
  'Please report this to the operator of this service, who must correct the login.',
] as const;

function toFinding(outcome: TinOutcome): AppointmentFinding {
  const find = FINDINGS[outcome.kind] as (ending: TinOutcome) => AppointmentFinding;
  return find(outcome);
}

function formatRetryHint(seconds: number): string {
  return `Check again in ${Math.ceil(seconds)} seconds.`;
}

function joinMessages(errors: readonly AuthorityError[]): string | null {
  const sentences = errors.map(({ code, message }) => (code === null ? message : `${code}: ${message}`));
  return sentences.length === 0 ? null : sentences.join('; ');
}
