import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { assertNamesDiffer, findDecorated } from '../common/decorated-providers.js';
import { countDeadLetter } from '../common/metrics.js';
import { SERVICE_NOW } from '../database/clock.js';
import { TenantTransactions } from '../database/in-tenant.js';
import { EventConsumer } from '../entities/event-consumer.entity.js';
import { withFailpoints } from '../failpoints/failpoints.js';
import { type Loop, RepeatedLoop } from '../loops/loop.js';
import { DocumentEventConsumer, type DocumentEventHandler } from './document-event.js';
import {
  type ClaimedDelivery,
  claimDelivery,
  failDelivery,
  putOffBehind,
  takeEvent,
  wakeNext,
} from './event-deliveries.sql.js';

/** With the pauses below, about a working day. */
export const ATTEMPTS_MAX = 16;
const FIRST_RETRY_SECONDS = 2;
const RETRY_SECONDS_MAX = 3_600;

/** A handler does database work alone; the database ends a transaction that is idle for ten seconds. */
const HANDLE_MS_MAX = 20_000;
/** Only from the claim to the transaction, which locks the delivery. */
const LEASE_SECONDS = 60;
/** A slow consumer may hold up the others in this process for no more than so many events. */
const EVENTS_PER_TICK = 20;

const ERROR_LENGTH_MAX = 1_000;
const INTERRUPTED = 'The attempt before did not end: its process stopped, or it took too long';

/** Brings every event to every consumer: at least once, those of one document in their order. */
@Injectable()
@RepeatedLoop({ name: 'deliver', intervalMs: 1_000, concurrency: 4 })
export class DeliverLoop implements Loop, OnApplicationBootstrap {
  private readonly logger = new Logger(DeliverLoop.name);
  private handlers: ReadonlyMap<string, DocumentEventHandler> = new Map();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
  ) {}

  /** From here on each consumer gets every event. */
  async onApplicationBootstrap(): Promise<void> {
    const found = findDecorated(this.discovery, DocumentEventConsumer);
    assertNamesDiffer(
      'consumers of document events',
      found.map(({ options }) => options),
    );
    this.handlers = new Map(found.map(({ options, provider }) => [options, provider]));
    for (const name of this.handlers.keys()) {
      await this.dataSource
        .createQueryBuilder()
        .insert()
        .into(EventConsumer)
        .values({ name, registeredAt: SERVICE_NOW })
        .orIgnore()
        .execute();
    }
  }

  /** Handles what is due for each consumer; returns how many deliveries were changed. */
  async tick(signal: AbortSignal): Promise<number> {
    const worked = [...this.handlers].map(([consumer, handler]) => this.work(consumer, handler, signal));
    return (await Promise.all(worked)).reduce((sum, count) => sum + count, 0);
  }

  private async work(consumer: string, handler: DocumentEventHandler, signal: AbortSignal): Promise<number> {
    for (let done = 0; done < EVENTS_PER_TICK; done += 1) {
      if (signal.aborted) return done;
      const { delivery, isBehind } = await withFailpoints('deliver.claim', () =>
        claimDelivery(this.dataSource.manager, { consumer, owner: uuidv7(), leaseSeconds: LEASE_SECONDS }),
      );
      if (delivery !== null) await this.deliver(delivery, handler);
      else if (isBehind) return done + (await this.putOff(consumer));
      else return done;
    }
    return EVENTS_PER_TICK;
  }

  private putOff(consumer: string): Promise<number> {
    return withFailpoints('deliver.put_off', () => putOffBehind(this.dataSource.manager, consumer));
  }

  private async deliver(delivery: ClaimedDelivery, handler: DocumentEventHandler): Promise<void> {
    // Each claim after a crash would crash the process again.
    if (delivery.attempts > ATTEMPTS_MAX) return this.fail(delivery, INTERRUPTED);
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
      await this.fail(delivery, error instanceof Error ? error.message : String(error));
    }
  }

  private async fail(delivery: ClaimedDelivery, reason: string): Promise<void> {
    const { consumer, tenantId, documentId, eventId, attempts } = delivery;
    const isDead = attempts >= ATTEMPTS_MAX;
    const retrySeconds = isDead ? null : Math.min(FIRST_RETRY_SECONDS * 2 ** (attempts - 1), RETRY_SECONDS_MAX);
    const error = reason.slice(0, ERROR_LENGTH_MAX);
    const isOwn = await withFailpoints('deliver.fail', () =>
      failDelivery(this.dataSource.manager, delivery, { error, retrySeconds }),
    );
    if (!isOwn) return;
    const facts = { consumer, tenantId, documentId, eventId, attempts, error };
    if (!isDead) this.logger.warn({ message: 'A consumer failed to handle a document event', ...facts });
    if (!isDead) return;
    countDeadLetter(consumer);
    this.logger.error({ message: 'A document event is a dead letter', ...facts });
  }
}

/** @throws Error when a handler takes too long; what it did is undone with its transaction */
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
