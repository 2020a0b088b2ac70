import { Injectable } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Span } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import { DataSource, QueryFailedError } from 'typeorm';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import { CreditsService } from '../credits/credits.service.js';
import { currentAccess, toAccessError } from '../database/access.js';
import { type Caller, TenantTransactions } from '../database/in-tenant.js';
import { withReruns } from '../database/reruns.js';
import type { HttpResult } from '../http/http-result.js';
import { listOccurrences } from '../http/request-headers.js';
import { Tracing } from '../observability/tracing/tracing.js';
import {
  type Acceptance,
  type Decision,
  findReplay,
  type ReadRequest,
  type Refusal,
  type Replay,
  type StoredResponse,
} from './decision.js';
import { IdempotencyKeyInProgressError, IdempotencyKeyInvalidError } from './idempotency-errors.js';

export interface IdempotentRequest {
  readonly caller: Caller;
  readonly operation: 'submit' | 'cancel';
  readonly key: string;
  readonly bodyHash: string;
  readonly span?: Span;
}

export interface RequestSteps<Read extends ReadRequest, Accepted extends Acceptance> {
  /** Reads the stored response of the key and the input of the decision in one statement. */
  readonly read: () => Promise<Read>;
  /** Must be pure because it runs again after a conflict. */
  readonly decide: (read: Read) => Decision<Accepted>;
  /** Encodes the rows for `store_submission` or `store_cancellation` as JSON or binary jsonb. */
  readonly encode: (accepted: Accepted) => string | Buffer;
}

type Outcome = StoredResponse & { readonly is_locked: boolean; readonly credits_left: number };

const ACCEPT_REQUEST = /* sql */ `
  SELECT is_locked, body_hash, response_status, response, credits_left
    FROM accept_request($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

const CREDITS_SHORT = 'EI402';

// A stored response may be visible before its commit has reached a standby, and a failover would lose it. This commit
// waits until all earlier commits are replicated.
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
   * Runs a request once per (tenant, environment, operation, key). Its rows, charge and response are written in one
   * database transaction. Later requests with the same key and body receive the stored response. A rejection writes no
   * data. A crash releases the lock of the key. All steps run again after a deadlock or if the data has changed.
   * @throws IdempotencyKeyInProgressError (409), InsufficientCreditsError (402), or the rejection of the decision
   */
  run<Read extends ReadRequest, Accepted extends Acceptance>(
    request: IdempotentRequest,
    { read, decide, encode }: RequestSteps<Read, Accepted>,
  ): Promise<HttpResult> {
    const attempt = async (): Promise<HttpResult> => {
      const found = await withFailpoints('accept.read', read);
      const decision = decide(found);
      if (!('accepted' in decision)) return this.conclude(request, decision);
      const { accepted } = decision;
      const text = JSON.stringify(accepted.body);
      const outcome = await this.accept(request, accepted, { now: found.now, text, writes: encode(accepted) });
      if (!outcome.is_locked) throw new IdempotencyKeyInProgressError();
      const earlier = findReplay(outcome, request.bodyHash);
      if (earlier !== null) return this.conclude(request, earlier);
      const headers = buildCreditHeaders(accepted.charge.credits, outcome.credits_left);
      return { status: accepted.status, headers, body: text };
    };
    return this.tracing.inSpan('accept', request.span, () => withReruns(attempt));
  }

  private async accept(
    request: IdempotentRequest,
    { status, charge, causeId, precondition }: Acceptance,
    { now, text, writes }: { now: Date; text: string; writes: string | Buffer },
  ): Promise<Outcome> {
    const response = [Buffer.from(request.bodyHash, 'hex'), status, text, now];
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

  private async conclude(request: IdempotentRequest, decision: Replay | Refusal): Promise<HttpResult> {
    if ('refusal' in decision) throw decision.refusal;
    const { status, text } = decision.replay;
    const remaining = await withFailpoints('accept.replay', () =>
      this.transactions.inTenant(request.caller, async ({ tx }) => {
        await tx.query<{ position: string }[]>(AWAIT_REPLICATION);
        return this.credits.readRemaining(tx, request.caller);
      }),
    );
    const headers = { ...buildCreditHeaders(0, remaining), 'Idempotent-Replayed': 'true' };
    return { status, headers, body: text };
  }
}

export function buildCreditHeaders(charged: number, remaining: number): Record<string, number> {
  return { 'X-Credits-Charged': charged, 'X-Credits-Remaining': remaining };
}

function toRecordKey({ caller, operation, key }: IdempotentRequest): string[] {
  return [caller.tenantId, caller.environment, operation, key];
}

function readSpendable(error: unknown): number | null {
  if (!(error instanceof QueryFailedError)) return null;
  const { code, detail } = error.driverError as { code?: string; detail?: string };
  return code === CREDITS_SHORT ? Number(detail) : null;
}

const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
const KEY_SHAPE = /^[\x21-\x7E]{1,255}$/;

/** @throws IdempotencyKeyInvalidError (400) if the header is missing, repeated or malformed */
export function readIdempotencyKey(request: FastifyRequest): string {
  // Node joins repeated headers with a comma, which would form another valid key.
  const keys = listOccurrences(request.raw, 'idempotency-key');
  if (keys.length !== 1 || !KEY_SHAPE.test(keys[0])) throw new IdempotencyKeyInvalidError();
  return keys[0];
}

export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: 'idempotency-key',
    required: true,
    description:
      'Unique per logical request, 1 to 255 visible ASCII characters, stored for 30 days. A retry with the same key and ' +
      'body returns the same response. With another body, the response is 409.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_CHARACTERS_MAX,
      example: 'b1c8d2d4-0001',
    },
  });
