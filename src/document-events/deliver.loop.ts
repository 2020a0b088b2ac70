import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { countDeadLetter } from '../common/metrics.js';
import { TenantTransactions } from '../database/in-tenant.js';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import { type Loop, RepeatedLoop } from '../common/loops/loop.js';
import { ConsumersLoop } from './consumers.loop.js';
import type { DocumentEventHandler } from './document-event.js';
import {
  type ClaimedDelivery,
  claimDelivery,
  failDelivery,
  putOffBehind,
  takeEvent,
  wakeNext,
} from './event-deliveries.sql.js';

/** The pauses below add up to about a working day. */
export const ATTEMPTS_MAX = 16;
const FIRST_RETRY_SECONDS = 2;
export const RETRY_SECONDS_MAX = 3_600;

/** Time limit of a handler, below the database's 10 s limit for idle transactions. */
const HANDLE_MS_MAX = 9_000;
/** Covers the time from the claim to the database transaction, which locks the delivery. */
const LEASE_SECONDS = 60;
/** Concurrent ticks of this process. Each holds a connection while a consumer handles an event. */
const CONCURRENCY = 4;
/** Ticks per consumer. A slow consumer leaves one tick for the other consumers. */
const TICKS_PER_CONSUMER_MAX = CONCURRENCY - 1;
const TURN_MS = 1_000;

const ERROR_LENGTH_MAX = 1_000;
const INTERRUPTED = 'The attempt before did not end: its process stopped, or it took too long';

/** Delivers every event to every consumer at least once, and the events of a document in order. */
@Injectable()
@RepeatedLoop({ name: 'deliver', intervalMs: 1_000, concurrency: CONCURRENCY })
export class DeliverLoop implements Loop {
  private readonly logger = new Logger(DeliverLoop.name);
  private readonly serving = new Map<string, number>();

  constructor(
    private readonly consumers: ConsumersLoop,
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
  ) {}

  /**
   * Handles due deliveries of each consumer and returns the number of changed deliveries.
   * @throws the error of a consumer after the other consumers were served
   */
  async tick(signal: AbortSignal): Promise<number> {
    let done = 0;
    const errors: unknown[] = [];
    for (const [consumer, handler] of this.consumers.handlers) {
      const ticks = this.serving.get(consumer) ?? 0;
      if (ticks >= TICKS_PER_CONSUMER_MAX) continue;
      this.serving.set(consumer, ticks + 1);
      try {
        done += await this.serve(consumer, handler, signal);
      } catch (error) {
        errors.push(error);
      } finally {
        this.serving.set(consumer, (this.serving.get(consumer) ?? 1) - 1);
      }
    }
    if (errors.length > 0) throw errors[0];
    return done;
  }

  private async serve(consumer: string, handler: DocumentEventHandler, signal: AbortSignal): Promise<number> {
    const endsAt = performance.now() + TURN_MS;
    let done = 0;
    for (; performance.now() < endsAt && !signal.aborted; done += 1) {
      const { delivery, isBlocked } = await withFailpoints('deliver.claim', () =>
        claimDelivery(this.dataSource.manager, { consumer, owner: uuidv7(), leaseSeconds: LEASE_SECONDS }),
      );
      if (delivery !== null) await this.deliver(delivery, handler);
      else if (isBlocked) return done + (await this.putOff(consumer));
      else return done;
    }
    return done;
  }

  private putOff(consumer: string): Promise<number> {
    return withFailpoints('deliver.put_off', () => putOffBehind(this.dataSource.manager, consumer));
  }

  private async deliver(delivery: ClaimedDelivery, handler: DocumentEventHandler): Promise<void> {
    // All previous attempts crashed the process.
    if (delivery.attempts > ATTEMPTS_MAX) return this.fail(delivery, new Error(INTERRUPTED));
    try {
      await withFailpoints('deliver.commit', () =>
        this.transactions.inTenant(delivery, async ({ tx }) => {
          const event = await takeEvent(tx, delivery);
          if (event === null) return;
          await withFailpoints('deliver.handle', () => withTimeLimit(handler.handle(event, tx)));
          await wakeNext(tx, delivery);
        }),
      );
    } catch (error) {
      await this.fail(delivery, error);
    }
  }

  private async fail(delivery: ClaimedDelivery, thrown: unknown): Promise<void> {
    const { consumer, tenantId, documentId, eventId, attempts } = delivery;
    const isDead = attempts >= ATTEMPTS_MAX;
    const retrySeconds = isDead ? null : Math.min(FIRST_RETRY_SECONDS * 2 ** (attempts - 1), RETRY_SECONDS_MAX);
    const error = describe(thrown);
    const isOwn = await withFailpoints('deliver.fail', () =>
      failDelivery(this.dataSource.manager, delivery, { error, retrySeconds }),
    );
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    const facts = { consumer, tenantId, documentId, eventId, attempts, error, stack };
    if (isOwn && isDead) {
      countDeadLetter(consumer);
      this.logger.error({ message: 'A document event is a dead letter', ...facts });
    } else {
      // The lease was lost, or the consumer ended the database transaction.
      this.logger.warn({ message: 'A consumer failed to handle a document event', ...facts, isRetried: isOwn });
    }
  }
}

/** Converts any thrown value to a string that PostgreSQL can store. */
function describe(thrown: unknown): string {
  return describeOne(thrown).replaceAll('\0', '\uFFFD').slice(0, ERROR_LENGTH_MAX);
}

function describeOne(thrown: unknown): string {
  if (!(thrown instanceof Error)) return inspect(thrown);
  const text = thrown.message === '' ? thrown.name : thrown.message;
  return thrown.cause === undefined ? text : `${text}; cause: ${describeOne(thrown.cause)}`;
}

/** @throws Error if a handler takes too long; its writes are rolled back */
async function withTimeLimit(handled: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const limit = delay(HANDLE_MS_MAX, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`The event was not handled within ${HANDLE_MS_MAX / 1_000} s`);
  });
  try {
    await Promise.race([handled, limit]);
  } finally {
    limit.catch(() => undefined);
    ended.abort();
  }
}
