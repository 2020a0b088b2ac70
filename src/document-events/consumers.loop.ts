import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { assertNamesDiffer, findDecorated } from '../common/decorated-providers.js';
import { beginDeadLetters } from '../common/metrics.js';
import { claimTurn } from '../database/claim-turn.js';
import { SERVICE_NOW } from '../database/clock.js';
import { insertIfNew } from '../database/insert-if-new.js';
import { EventConsumer } from '../entities/event-consumer.entity.js';
import { withFailpoints } from '../common/failpoints/failpoints.js';
import { type Loop, RepeatedLoop } from '../common/loops/loop.js';
import { DocumentEventConsumer, type DocumentEventHandler } from './document-event.js';
import { toNoteName } from './event-operations.js';

const INTERVAL_SECONDS = 10;

/** Registers the consumers of this process and stores regularly that they run. */
@Injectable()
@RepeatedLoop({ name: 'consumers', intervalMs: INTERVAL_SECONDS * 1_000, concurrency: 1 })
export class ConsumersLoop implements Loop, OnApplicationBootstrap {
  private readonly logger = new Logger(ConsumersLoop.name);
  /** Handlers by consumer name. */
  handlers: ReadonlyMap<string, DocumentEventHandler> = new Map();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly dataSource: DataSource,
  ) {}

  /** After the registration, each consumer receives every event. */
  async onApplicationBootstrap(): Promise<void> {
    const found = findDecorated(this.discovery, DocumentEventConsumer);
    assertNamesDiffer(
      'consumers of document events',
      found.map(({ options }) => options),
    );
    this.handlers = new Map(found.map(({ options, provider }) => [options, provider]));
    for (const name of this.handlers.keys()) {
      beginDeadLetters(name);
      await insertIfNew(this.dataSource.manager, EventConsumer, { name, registeredAt: SERVICE_NOW });
    }
    const registered = await this.dataSource.getRepository(EventConsumer).find();
    for (const { name: consumer } of registered.filter(({ name }) => !this.handlers.has(name))) {
      this.logger.warn({ message: 'Events wait for a consumer that this build does not have', consumer });
    }
  }

  async tick(): Promise<number> {
    for (const consumer of this.handlers.keys()) {
      await withFailpoints('consumers.note', () =>
        claimTurn(this.dataSource.manager, toNoteName(consumer), INTERVAL_SECONDS / 2),
      );
    }
    return 0;
  }
}
