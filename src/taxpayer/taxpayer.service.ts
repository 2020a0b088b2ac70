import { Injectable } from '@nestjs/common';
import { AuthorityCalls } from '../authority/authority-calls.js';
import { CallBudget, CallSlot } from '../authority/call-budget.js';
import { AuthorityTokens, type Taxpayer } from '../authority/tokens.js';
import { BadRequestError, UnavailableError } from '../errors/api-error.js';
import { SupplierProfileIncompleteError } from '../tenants/supplier-errors.js';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import { type Caller, TenantTransactions } from '../database/in-tenant.js';
import { findOnBehalfOf } from '../documents/identity.js';
import { Tenant } from '../entities/tenant.entity.js';
import { assertVerified } from '../tenants/verification/verification.js';
import { readVerification } from '../tenants/verification/verification.sql.js';
import type { TaxpayerCheckDto } from './dto/taxpayer-check.dto.js';
import { findBuyerId, findVerdict, storeVerdict, type Verdict } from './taxpayer.sql.js';
import {
  readTinCheckQuery,
  type TaxpayerId,
  type TinQuery,
  type TinCheckQuery,
  findVerdictWithoutCall,
} from './tin-question.js';
import type { Throttled, TinOutcome } from '../authority/outcomes.js';

// A user may be waiting at a form, so a long wait is replaced by a 503 with `Retry-After`.
const SLOT_WAIT_MS = 5_000;
const DEADLINE_MS = 15_000;

interface Preparation {
  readonly id: TaxpayerId;
  readonly supplier: Taxpayer;
  /** A stored verdict that has not expired. */
  readonly verdict: Verdict | null;
}

const NO_ID = { idType: null, idValue: null };

/** Validates pairs of TIN and id, and caches the authority's verdicts (docs/rules.md#tin-check). */
@Injectable()
export class TaxpayerService {
  constructor(
    private readonly transactions: TenantTransactions,
    private readonly budget: CallBudget,
    private readonly authority: AuthorityCalls,
    private readonly tokens: AuthorityTokens,
  ) {}

  /**
   * @throws ValidationError for malformed parameters
   * @throws BadRequestError `taxpayer_id_required` if no id is known for the TIN
   * @throws SupplierProfileIncompleteError if the caller's organisation cannot log in
   * @throws SupplierNotVerifiedError if the organisation is not verified for its TIN
   * @throws UnavailableError if the authority gives no verdict
   */
  async validate(caller: Caller, tinText: string, query: TinQuery): Promise<TaxpayerCheckDto> {
    const question = readTinCheckQuery(tinText, query);
    const { tin } = question;
    const known = findVerdictWithoutCall(tin);
    if (known !== null)
      return { tin, ...NO_ID, ...known, checkedAt: (await this.readClock(caller)).toISOString(), cached: false };
    const preparation = await this.prepare(caller, question);
    const { id, verdict } = preparation;
    if (verdict !== null) return toCheck(tin, id, verdict, true);
    return toCheck(tin, id, await this.askAuthority(caller, tin, preparation), false);
  }

  private readClock(caller: Caller): Promise<Date> {
    return withFailpoints('taxpayer.clock', () =>
      this.transactions.inTenant(caller, ({ now }) => Promise.resolve(now)),
    );
  }

  private prepare(caller: Caller, { tin, id: given }: TinCheckQuery): Promise<Preparation> {
    return withFailpoints('taxpayer.prepare', () =>
      this.transactions.inTenant(caller, async ({ tx }) => {
        // Checked before a stored verdict, so that equal requests have equal responses.
        const supplier = toTaxpayer(await tx.findOneByOrFail(Tenant, { tenantId: caller.tenantId }));
        assertVerified(await readVerification(tx, caller), caller.environment);
        const id = given ?? (await findBuyerId(tx, caller, tin));
        if (id === null) throw idRequired();
        return { id, supplier, verdict: await findVerdict(tx, caller, { tin, ...id }) };
      }),
    );
  }

  private async askAuthority(caller: Caller, tin: string, { id, supplier }: Preparation): Promise<Verdict> {
    const deadlineAt = performance.now() + DEADLINE_MS;
    const refusal = await this.tokens.findRefusal(caller.environment, supplier);
    if (refusal !== null) throw buildNoVerdictError(refusal);
    const slot = await this.budget.reserveWithinShare(caller, 'validateTin', SLOT_WAIT_MS);
    if (!(slot instanceof CallSlot)) throw buildBudgetUsedUpError(slot);
    const outcome = await this.authority.validateTin({ taxpayer: supplier, slot, deadlineAt }, { tin, ...id });
    if (outcome.kind !== 'valid' && outcome.kind !== 'invalid') throw buildNoVerdictError(outcome);
    const valid = outcome.kind === 'valid';
    return withFailpoints('taxpayer.store', () =>
      this.transactions.inTenant(caller, ({ tx }) => storeVerdict(tx, caller, { tin, ...id, valid })),
    );
  }
}

function toCheck(
  tin: string,
  { idType, idValue }: TaxpayerId,
  { valid, checkedAt }: Verdict,
  cached: boolean,
): TaxpayerCheckDto {
  const reason = valid ? null : 'not_found';
  return { tin, idType, idValue, valid, reason, checkedAt: checkedAt.toISOString(), cached };
}

function idRequired(): BadRequestError {
  return new BadRequestError(
    'taxpayer_id_required',
    'The authority checks a TIN only together with an id, and none of your documents has an id for this TIN: ' +
      'add the query parameters idType and idValue',
  );
}

function toTaxpayer({ tenantId, tin, idType, idValue }: Tenant): Taxpayer {
  const onBehalfOf = findOnBehalfOf({ tin, idType, idValue });
  if (onBehalfOf !== null) return { tenantId, onBehalfOf };
  const missing = [tin ? null : 'TIN', idType && idValue ? null : 'id'].filter((name) => name !== null);
  throw new SupplierProfileIncompleteError(missing);
}

// Used if the authority does not state a time. Covers its back-off, and is acceptable for a user who waits.
const RETRY_AFTER_SECONDS = 10;
// The taxpayer must correct the appointment in MyInvois.
const RETRY_AFTER_APPOINTMENT_SECONDS = 60;

/** Returns a 503, because a client must not take an outage for a wrong TIN (docs/rules.md#tin-check). */
export function buildNoVerdictError(
  outcome: Exclude<TinOutcome, { kind: 'valid' } | { kind: 'invalid' }>,
): UnavailableError {
  switch (outcome.kind) {
    case 'throttled':
      return buildBudgetUsedUpError(outcome);
    case 'not-appointed':
    case 'forbidden':
      return new UnavailableError(
        'not_appointed',
        'The authority does not let this service act for your organisation: appoint the intermediary in MyInvois, then repeat',
        RETRY_AFTER_APPOINTMENT_SECONDS,
      );
    case 'unavailable':
      return buildAuthorityUnavailableError(outcome.retryAfterSeconds ?? RETRY_AFTER_SECONDS);
    case 'unauthorized':
    case 'client-refused':
      return buildAuthorityUnavailableError(RETRY_AFTER_SECONDS);
  }
}

/** @param throttled null if no slot of the call budget was free in time */
function buildBudgetUsedUpError(throttled: Throttled | null): UnavailableError {
  const reason = throttled?.isShareUsedUp
    ? 'Your organisation has used up its share of the calls to the authority'
    : 'The authority limits the number of TIN checks';
  return new UnavailableError(
    'call_budget',
    `${reason}, and there is no verdict yet; repeat after Retry-After`,
    throttled?.retryAfterSeconds ?? RETRY_AFTER_SECONDS,
  );
}

function buildAuthorityUnavailableError(retryAfterSeconds: number): UnavailableError {
  const message = 'The authority gave no verdict on this TIN; repeat after Retry-After';
  return new UnavailableError('authority_unavailable', message, retryAfterSeconds);
}
