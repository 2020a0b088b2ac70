import { Injectable } from '@nestjs/common';
import type { Span } from '@opentelemetry/api';
import { DataSource, QueryFailedError } from 'typeorm';
import { withFailpoints } from '../failpoints/failpoints.js';
import type { HttpResult } from '../http/http-result.js';
import { IdempotencyKeyInProgressError, IdempotencyKeyReusedError } from './idempotency-errors.js';
import { type Charge, CreditsService } from '../credits/credits.service.js';
import { currentAccess, toAccessError } from '../database/access.js';
import { type Caller, TenantTransactions } from '../database/in-tenant.js';
import { withReruns } from '../database/reruns.js';
import { Tracing } from '../tracing/tracing.js';

export interface IdempotentRequest {
  readonly caller: Caller;
  readonly operation: 'submit' | 'cancel';
  readonly key: string;
  /** "Same body" is the same canonical JSON (docs/rules.md#idempotency). */
  readonly bodyHash: Buffer;
  /** The request's; what its acceptance takes is a span below it. */
  readonly span?: Span;
}

/** The response that a key has already, or none. */
type StoredResponse =
  | { readonly body_hash: Buffer; readonly response_status: number; readonly response: string }
  | { readonly body_hash: null; readonly response_status: null; readonly response: null };

/** What every read of a call gives in addition to what its decision needs, all of one snapshot. */
export type ReadRequest = StoredResponse & { readonly now: Date };

/** A first call that may be accepted: what it responds, what it costs and what it writes. */
export interface Decision {
  readonly status: 200 | 202;
  readonly body: object;
  readonly charge: Charge;
  /** What is paid for, the submission batch or the cancellation: one cause is charged once. */
  readonly causeId: string;
  /** What was decided on, as it was read: it must still be so under the locks. */
  readonly precondition: unknown;
  /** The rows, for `store_submission` or `store_cancellation`: JSON, or the binary form of jsonb. */
  readonly writes: string | Buffer;
}

/** The two steps of a call that are its own. */
export interface RequestSteps<Read extends ReadRequest> {
  /** Reads the stored response of the key and the input of the decision in one statement. Reads more after a lost race. */
  read(isRerun: boolean): Read | Promise<Read>;
  /** Accepts the call, or throws its refusal. Touches nothing. */
  decide(read: Read): Decision | Promise<Decision>;
}

type Outcome = StoredResponse & { readonly is_locked: boolean; readonly credits_left: number };

const ACCEPT_REQUEST = /* sql */ `
  SELECT is_locked, body_hash, response_status, response, credits_left
    FROM accept_request($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

// What accept_request raises when the credits do not suffice.
const CREDITS_SHORT = 'EI402';

const FIND_RESPONSE = /* sql */ `
  SELECT body_hash, response_status, response FROM idempotency_record
   WHERE tenant_id = $1 AND environment = $2 AND operation = $3 AND key = $4`;

// A stored response that is read may be one whose commit has not reached a standby, and would be lost with its server.
// The commit of a message that nobody reads waits until everything before it has.
const AWAIT_REPLICATION = /* sql */ `
  SELECT pg_logical_emit_message(true, 'einvoice', '')::text AS position
   WHERE current_setting('synchronous_standby_names') <> ''`;

@Injectable()
export class IdempotencyService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
    private readonly credits: CreditsService,
    private readonly tracing: Tracing,
  ) {}

  /**
   * Reads, decides and accepts a call once per (tenant, environment, operation, key): its rows, its charge and its
   * response are written in one transaction; later equal calls get the stored text. What is refused stores nothing. The
   * key's lock vanishes with that transaction, so a call that dies frees its key immediately.
   * @throws IdempotencyKeyInProgressError, IdempotencyKeyReusedError (409), InsufficientCreditsError (402)
   */
  run<Read extends ReadRequest>(request: IdempotentRequest, steps: RequestSteps<Read>): Promise<HttpResult> {
    const attempt = async (isRerun: boolean): Promise<HttpResult> => {
      const read = await steps.read(isRerun);
      if (read.response !== null) return this.replay(request, read);
      const decision = await steps.decide(read);
      const text = JSON.stringify(decision.body);
      const outcome = await this.accept(request, decision, { now: read.now, text });
      if (!outcome.is_locked) throw new IdempotencyKeyInProgressError();
      if (outcome.response !== null) return this.replay(request, outcome);
      const headers = buildCreditHeaders(decision.charge.credits, outcome.credits_left);
      return { status: decision.status, headers, body: text };
    };
    return this.tracing.inSpan('accept', request.span, () => withReruns(attempt));
  }

  /**
   * The stored response of a call whose body is refused by now: a key that has a response keeps it
   * (docs/rules.md#order-of-checks).
   * @returns null when the key is not known
   * @throws IdempotencyKeyReusedError (409) when it was used with another body
   */
  async findReplay(request: IdempotentRequest): Promise<HttpResult | null> {
    const [stored] = await withFailpoints('accept.find_response', () =>
      this.transactions.inTenant(request.caller, ({ tx }) =>
        tx.query<(StoredResponse & { response: string })[]>(FIND_RESPONSE, toRecordKey(request)),
      ),
    );
    return stored === undefined ? null : this.replay(request, stored);
  }

  private async accept(
    request: IdempotentRequest,
    { status, charge, causeId, precondition, writes }: Decision,
    { now, text }: { now: Date; text: string },
  ): Promise<Outcome> {
    const response = [request.bodyHash, status, text, now];
    const rows = [charge.credits, causeId, JSON.stringify(precondition), writes];
    const access = currentAccess();
    if (access === undefined) throw new Error('A request needs the access of its caller to be accepted');
    const parameters = [...toRecordKey(request), ...response, ...rows, JSON.stringify(access)];
    try {
      const [outcome] = await withFailpoints(`accept.${request.operation}`, () =>
        this.transactions.inShare(request.caller, () => this.dataSource.query<Outcome[]>(ACCEPT_REQUEST, parameters)),
      );
      return outcome;
    } catch (error) {
      const spendable = readSpendable(error);
      if (spendable === null) throw toAccessError(error, access) ?? error;
      throw this.credits.buildShortageError(charge, spendable);
    }
  }

  private async replay(request: IdempotentRequest, stored: StoredResponse & { response: string }): Promise<HttpResult> {
    if (!stored.body_hash.equals(request.bodyHash)) throw new IdempotencyKeyReusedError();
    const remaining = await withFailpoints('accept.replay', () =>
      this.transactions.inTenant(request.caller, async ({ tx }) => {
        await tx.query<{ position: string }[]>(AWAIT_REPLICATION);
        return this.credits.readRemaining(tx, request.caller);
      }),
    );
    const headers = { ...buildCreditHeaders(0, remaining), 'Idempotent-Replayed': 'true' };
    return { status: stored.response_status, headers, body: stored.response };
  }
}

// docs/rules.md#credits
export function buildCreditHeaders(charged: number, remaining: number): Record<string, number> {
  return { 'X-Credits-Charged': charged, 'X-Credits-Remaining': remaining };
}

function toRecordKey({ caller, operation, key }: IdempotentRequest): string[] {
  return [caller.tenantId, caller.environment, operation, key];
}

/** The credits that can be spent, when they did not suffice; null for every other error. */
function readSpendable(error: unknown): number | null {
  if (!(error instanceof QueryFailedError)) return null;
  const { code, detail } = error.driverError as { code?: string; detail?: string };
  return code === CREDITS_SHORT ? Number(detail) : null;
}
