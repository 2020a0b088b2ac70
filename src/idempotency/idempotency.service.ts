import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { bodyHash } from '../common/canonical-json.js';
import type { HttpAnswer } from '../common/http-answer.js';
import { IdempotencyKeyInProgressError, IdempotencyKeyReusedError } from '../common/errors.js';
import { type Charge, CreditsService } from '../credits/credits.service.js';
import { type Caller, type Opening, type TenantTransaction, TenantTransactions } from '../database/in-tenant.js';

export interface IdempotentCall {
  readonly caller: Caller;
  readonly operation: 'submit' | 'cancel';
  readonly key: string;
  readonly bodyHash: Buffer;
}

// Charges the call and stores its answer, in one round trip.
const COMPLETE_CALL = /* sql */ `SELECT complete_idempotent_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS left`;

/** What the work of a first call gives: an answer to keep, and what it costs. */
export interface Done {
  readonly status: 200 | 202;
  readonly body: object;
  readonly charge: Charge;
  /** What is paid for, the submission batch or the cancellation: one cause is charged once. */
  readonly causeId: string;
}

interface StoredAnswer {
  body_hash: Buffer;
  answer_status: number;
  answer: string;
}

type OpenedCall = { now: Date; is_locked: boolean } & (
  StoredAnswer | { body_hash: null; answer_status: null; answer: null }
);

// Sets the tenant, tries the key's lock and then looks the key up, in one round trip.
const OPEN_CALL = /* sql */ `SELECT * FROM open_idempotent_call($1, $2, $3, $4)`;

@Injectable()
export class IdempotencyService {
  constructor(
    private readonly transactions: TenantTransactions,
    private readonly credits: CreditsService,
  ) {}

  /** The call as it is told apart from others: "same body" is the same canonical JSON (D13). */
  callOf(
    caller: Caller,
    operation: IdempotentCall['operation'],
    request: { key: string; body: unknown },
  ): IdempotentCall {
    return { caller, operation, key: request.key, bodyHash: bodyHash(request.body) };
  }

  /**
   * Runs `work` once per (tenant, environment, operation, key), in one transaction with the record of its answer; later
   * equal calls get the stored text. A work that fails stores nothing. The lock vanishes with its transaction, so a
   * call that dies frees its key at once.
   * @throws IdempotencyKeyInProgressError, IdempotencyKeyReusedError (409), InsufficientCreditsError (402)
   */
  run(call: IdempotentCall, work: (transaction: TenantTransaction) => Promise<Done>): Promise<HttpAnswer> {
    return this.transactions.opened(openingOf(call), async ({ tx, row, isRetry }) => {
      const { now } = row;
      if (!row.is_locked) throw new IdempotencyKeyInProgressError();
      if (row.answer !== null) return this.replayOf(tx, call, row);
      const done = await work({ tx, now, isRetry });
      const text = JSON.stringify(done.body);
      const [{ left }] = await tx.query<{ left: number }[]>(COMPLETE_CALL, [
        ...identityOf(call),
        call.bodyHash,
        done.status,
        text,
        now,
        done.charge.credits,
        done.causeId,
      ]);
      const remaining = this.credits.remainingAfter(done.charge, left);
      return { status: done.status, headers: creditHeaders(done.charge.credits, remaining), body: text };
    });
  }

  /**
   * The stored answer of a call whose body is refused by now: a key that has an answer keeps it (D3).
   * @returns null when the key is not known
   * @throws IdempotencyKeyReusedError (409) when it was used with another body
   */
  findReplay(call: IdempotentCall): Promise<HttpAnswer | null> {
    return this.transactions.opened(openingOf(call), async ({ tx, row }) =>
      row.answer === null ? null : this.replayOf(tx, call, row),
    );
  }

  private async replayOf(tx: EntityManager, call: IdempotentCall, stored: StoredAnswer): Promise<HttpAnswer> {
    if (!stored.body_hash.equals(call.bodyHash)) throw new IdempotencyKeyReusedError();
    const remaining = await this.credits.remaining(tx, call.caller.tenantId);
    const headers = { ...creditHeaders(0, remaining), 'Idempotent-Replayed': 'true' };
    return { status: stored.answer_status, headers, body: stored.answer };
  }
}

/** D12. */
export function creditHeaders(charged: number, remaining: number): Record<string, number> {
  return { 'X-Credits-Charged': charged, 'X-Credits-Remaining': remaining };
}

function openingOf(call: IdempotentCall): Opening<OpenedCall> {
  return { statement: OPEN_CALL, parameters: identityOf(call) };
}

function identityOf({ caller, operation, key }: IdempotentCall): string[] {
  return [caller.tenantId, caller.environment, operation, key];
}
