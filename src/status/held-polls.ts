import { setImmediate } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { FairSemaphore } from '../common/fair-semaphore.js';
import { measureHeldPolls } from '../common/metrics.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import { StatusReader } from './status-reader.js';
import type { StatusRow } from './status.sql.js';
import { computeEntityTag } from './submission-status.js';

const READ_INTERVAL_MS = 500;
/** Limits the reads for held polls to 125 per second and process. */
const READ_SPACING_MS = 8;
/** Concurrent reads for held polls. Most connections remain free for other requests. */
const READS_MAX = 2;
/** Held polls answered per event loop iteration. Each response may contain 100 documents. */
const ENDS_MAX = 10;

interface HeldPoll {
  readonly caller: AuthenticatedCaller;
  readonly submissionBatchId: string;
  /** The client's entity tag. */
  readonly entityTag: string;
  /** Deadline on the clock of `performance.now()`. */
  readonly waitUntil: number;
  /** Aborted when the client closes the connection. */
  readonly gone: AbortSignal;
}

interface Waiter {
  readonly entityTag: string;
  readonly end: (rows: StatusRow[] | null) => void;
}

/** A batch with held polls, and the timer of its next read. */
interface HeldBatch {
  readonly caller: AuthenticatedCaller;
  readonly submissionBatchId: string;
  readonly waiters: Set<Waiter>;
  timer: NodeJS.Timeout | undefined;
}

/** Holds polls until their batch changes (docs/rules.md#status-response). A batch is read once for all of its polls. */
@Injectable()
export class HeldPolls implements BeforeApplicationShutdown {
  private readonly slots: FairSemaphore;
  private readonly reads = new FairSemaphore({ capacity: READS_MAX, share: READS_MAX / 2 });
  private readonly ends = new FairSemaphore({ capacity: ENDS_MAX, share: ENDS_MAX });
  private readonly batches = new Map<string, HeldBatch>();
  private isStopping = false;

  constructor(
    private readonly reader: StatusReader,
    @Inject(CONFIGURATION) { heldPollsMax: capacity }: Configuration,
  ) {
    this.slots = new FairSemaphore({ capacity, share: Math.ceil(capacity / 2) });
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const { waiters } of this.batches.values()) for (const { end } of waiters) end(null);
  }

  /** Acquires a slot; one tenant may have half of them. If it returns false, the caller must respond immediately. */
  tryAcquireSlot(tenantId: string): boolean {
    const isAcquired = !this.isStopping && this.slots.tryAcquire(tenantId);
    if (isAcquired) measureHeldPolls(this.slots.inUse);
    return isAcquired;
  }

  releaseSlot(tenantId: string): void {
    this.slots.release(tenantId);
    measureHeldPolls(this.slots.inUse);
  }

  /** Delays responses to polls that end together, so that other requests are served in between. */
  takeTurn(tenantId: string): Promise<void> {
    return this.ends.run(tenantId, () => setImmediate());
  }

  /** Returns the rows once the entity tag has changed; null after the deadline or if the client is gone. */
  wait({ caller, submissionBatchId, entityTag, waitUntil, gone }: HeldPoll): Promise<StatusRow[] | null> {
    if (this.isStopping || gone.aborted) return Promise.resolve(null);
    const name = `${caller.tenantId} ${caller.environment} ${submissionBatchId}`;
    const batch = this.batches.get(name) ?? this.addBatch(name, caller, submissionBatchId);
    return new Promise((resolve) => {
      const end = (rows: StatusRow[] | null): void => {
        clearTimeout(timer);
        gone.removeEventListener('abort', onGone);
        batch.waiters.delete(waiter);
        if (batch.waiters.size === 0) {
          clearTimeout(batch.timer);
          this.batches.delete(name);
        }
        resolve(rows);
      };
      const onGone = (): void => end(null);
      const timer = setTimeout(onGone, waitUntil - performance.now());
      const waiter = { entityTag, end };
      gone.addEventListener('abort', onGone);
      batch.waiters.add(waiter);
    });
  }

  private addBatch(name: string, caller: AuthenticatedCaller, submissionBatchId: string): HeldBatch {
    const batch: HeldBatch = { caller, submissionBatchId, waiters: new Set(), timer: undefined };
    this.batches.set(name, batch);
    this.scheduleRead(batch);
    return batch;
  }

  private scheduleRead(batch: HeldBatch): void {
    const pauseMs = Math.max(READ_INTERVAL_MS, this.batches.size * READ_SPACING_MS);
    batch.timer = setTimeout(() => void this.readOnce(batch), pauseMs);
  }

  private async readOnce(batch: HeldBatch): Promise<void> {
    const { caller, submissionBatchId, waiters } = batch;
    try {
      const rows = await this.reads.run(caller.tenantId, () => this.reader.read(caller, submissionBatchId));
      const entityTag = computeEntityTag(rows);
      for (const waiter of waiters) if (waiter.entityTag !== entityTag) waiter.end(rows);
    } catch {
      // The polls are kept: an unavailable database must not end all of them at the same time.
    }
    if (waiters.size > 0) this.scheduleRead(batch);
  }
}
