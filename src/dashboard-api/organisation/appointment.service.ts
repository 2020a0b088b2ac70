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

  /** Stores a verdict, which may verify the organisation. An inconclusive result does not replace the previous verdict. */
  private remember({ tenantId, actor }: Member, { environment, taxpayer, finding, isIdKnown }: Verdict): Promise<Date> {
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const { isAppointed, authorityMessage } = finding;
      if (isAppointed === null) return now;
      // As a change of the profile does: locked in another order, each of the two would wait for the other.
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

/** What the ending of a call on behalf of an organisation says of its appointment. */
interface AppointmentFinding {
  /** Null: no verdict, and nothing to remember. */
  readonly isAppointed: boolean | null;
  readonly problems: readonly AppointmentProblemDto[];
  readonly authorityMessage: string | null;
  readonly retryAfterSeconds: number | null;
}

const SOON_SECONDS = 30;

const NO_FINDING = { isAppointed: null, authorityMessage: null, retryAfterSeconds: SOON_SECONDS };

const APPOINT =
  'In the MyInvois portal, add this service as your intermediary and switch on its permissions; and compare the TIN of ' +
  'your profile with the one in the portal. If you did so just now, wait a minute and check again.';

/** One entry for every ending, so that a new one does not pass unseen. */
const FINDINGS: { [Kind in TinOutcome['kind']]: (outcome: Extract<TinOutcome, { kind: Kind }>) => AppointmentFinding } =
  {
    valid: () => ({ isAppointed: true, problems: [], authorityMessage: null, retryAfterSeconds: null }),
    // The login worked, so the appointment stands; but every document would be refused.
    invalid: () => ({
      isAppointed: true,
      problems: [
        {
          message: 'The authority does not know your TIN together with the id of your profile',
          fix: 'Compare TIN, type and number of the id with your registration at the authority, and correct the profile.',
        },
      ],
      authorityMessage: null,
      retryAfterSeconds: null,
    }),
    'not-appointed': ({ errors, isPaused }) =>
      isPaused === true
        ? {
            isAppointed: false,
            problems: [
              {
                message: 'The authority refused less than a minute ago and was not asked again',
                fix: `It limits how often may be asked: check again in ${REFUSAL_PAUSE_SECONDS} seconds.`,
              },
            ],
            authorityMessage: null,
            retryAfterSeconds: REFUSAL_PAUSE_SECONDS,
          }
        : {
            isAppointed: false,
            problems: [{ message: 'The authority does not let this service act for your TIN yet', fix: APPOINT }],
            authorityMessage: joinMessages(errors),
            retryAfterSeconds: REFUSAL_PAUSE_SECONDS,
          },
    forbidden: ({ errors }) => ({
      isAppointed: false,
      problems: [
        {
          message: 'You appointed this service, but without the permissions that it needs',
          fix: 'In the MyInvois portal, open the intermediary and switch on submit, cancel and view; then check again.',
        },
      ],
      authorityMessage: joinMessages(errors),
      retryAfterSeconds: null,
    }),
    unauthorized: () => ({
      ...NO_FINDING,
      problems: [
        { message: 'The authority refused a login that it had just granted', fix: formatRetryHint(SOON_SECONDS) },
      ],
    }),
    'client-refused': () => ({
      ...NO_FINDING,
      problems: [
        {
          message: 'The authority refuses this service itself, for every organisation',
          fix: 'You cannot fix this: the operator of this service must correct its login. Please tell them.',
        },
      ],
      retryAfterSeconds: REFUSAL_PAUSE_SECONDS,
    }),
    throttled: ({ retryAfterSeconds, isShareUsedUp }) => ({
      ...NO_FINDING,
      problems: [
        {
          message: isShareUsedUp
            ? 'Your organisation has used up its share of the calls to the authority'
            : 'The authority limits the number of calls, and none is left now',
          fix: formatRetryHint(retryAfterSeconds),
        },
      ],
      retryAfterSeconds,
    }),
    unavailable: ({ retryAfterSeconds }) => ({
      ...NO_FINDING,
      problems: [
        {
          message: 'The authority did not respond',
          fix: `It says nothing about your appointment. ${formatRetryHint(retryAfterSeconds ?? SOON_SECONDS)}`,
        },
      ],
      retryAfterSeconds: retryAfterSeconds ?? SOON_SECONDS,
    }),
  };

/** What to tell an organisation about its appointment, from how a call on its behalf ended. */
function toFinding(outcome: TinOutcome): AppointmentFinding {
  const find = FINDINGS[outcome.kind] as (ending: TinOutcome) => AppointmentFinding;
  return find(outcome);
}

function formatRetryHint(seconds: number): string {
  return `Check again in ${Math.ceil(seconds)} seconds.`;
}

function joinMessages(errors: readonly { code: string | null; message: string }[]): string | null {
  const sentences = errors.map(({ code, message }) => (code === null ? message : `${code}: ${message}`));
  return sentences.length === 0 ? null : sentences.join('; ');
}
