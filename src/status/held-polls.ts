import { setImmediate } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FairSemaphore } from '../common/fair-semaphore.js';
import { measureHeldPolls } from '../common/metrics.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import { FIND_WAITED, type StatusRow, type WaitedRow } from './status.sql.js';

/** How often the database is asked, for all held polls together. */
const ROUND_MS = 500;
/**
 * Batches that a round asks about: some 18 ms of the database's CPU time. While polls wait for more, they take turns: of
 * 10,000, each is looked at every two seconds.
 */
const BATCHES_MAX = 2_500;
/**
 * Responses that begin in one round of the event loop, so that others come in between: a thousand polls may wait for one
 * batch of 100 documents, each of which is written out for each of them.
 */
const ENDS_MAX = 10;
/** Batches that are read again at the same time, for all tenants and for one: a change may concern thousands. */
const REREADS_MAX = 2;

/** What a poll waits for. */
export interface HeldPoll {
  readonly caller: AuthenticatedCaller;
  readonly submissionBatchId: string;
  /** As `describeState` gives it; the wait ends when the database has another. */
  readonly state: string;
  /** Whether the state was read for an earlier poll: what has changed since, a round is still to find. */
  readonly isRemembered: boolean;
  readonly milliseconds: number;
  /** Calls back when the client hangs up; returns what takes the listener off again. */
  readonly onGone: (listener: () => void) => () => void;
  /** Reads the batch again after its change, once for all polls that wait for it. */
  readonly read: () => Promise<StatusRow[]>;
}

/**
 * How a wait ends: in time, or because nobody waits any more; with its key, found ended at a moment of
 * `performance.now()`; or with the rows of the changed batch.
 */
export type HeldPollEnd = 'over' | { readonly keyEndedAt: number } | { readonly rows: Promise<StatusRow[]> };

type Finish = (end: HeldPollEnd) => void;

/** What several polls wait for together. */
interface Waited {
  readonly tenantId: string;
  readonly id: string;
  readonly state: string;
  readonly polls: Set<Finish>;
}

interface WaitedBatch extends Waited {
  /** When the last round began that has looked at it, and succeeded. */
  lookedAt: number;
  readonly read: () => Promise<StatusRow[]>;
}

/**
 * The polls whose response is held (docs/rules.md#status-response). One statement every half second looks after all of
 * them (docs/decisions/0079-held-polls-share-one-statement.md).
 */
@Injectable()
export class HeldPolls implements BeforeApplicationShutdown {
  private readonly logger = new Logger(HeldPolls.name);
  private readonly room: FairSemaphore;
  private readonly rereads = new FairSemaphore({ capacity: REREADS_MAX, share: REREADS_MAX / 2 });
  private readonly ends = new FairSemaphore({ capacity: ENDS_MAX, share: ENDS_MAX });
  /** In the order of their turns to be looked at. */
  private readonly batches = new Map<string, WaitedBatch>();
  private readonly keys = new Map<string, Waited>();
  private isRunning = false;
  private isStopping = false;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {
    const capacity = configuration.heldPollsMax;
    this.room = new FairSemaphore({ capacity, share: Math.ceil(capacity / 2) });
  }

  /** Until all are answered: a connection whose response comes after idle ones were closed would stay open. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const { polls } of this.batches.values()) for (const finish of polls) finish('over');
    do await setImmediate();
    while (this.ends.inUse > 0);
  }

  /** Takes one of the places for held polls, of which a tenant has half; false: the poll is to be answered now. */
  tryEnter(tenantId: string): boolean {
    const isIn = !this.isStopping && this.room.tryAcquire(tenantId);
    if (isIn) measureHeldPolls(this.room.inUse);
    return isIn;
  }

  leave(tenantId: string): void {
    this.room.release(tenantId);
    measureHeldPolls(this.room.inUse);
  }

  /** Waits until it is the turn of a poll of this tenant to be answered: polls end by the thousand. */
  takeTurn(tenantId: string): Promise<void> {
    return this.ends.run(tenantId, () => setImmediate());
  }

  wait(poll: HeldPoll): Promise<HeldPollEnd> {
    if (this.isStopping) return Promise.resolve('over');
    return new Promise((resolve) => {
      const batch = this.findBatch(poll);
      const key = this.findKey(poll.caller);
      const finish = (end: HeldPollEnd): void => {
        clearTimeout(timer);
        offGone();
        leaveWaited(this.batches, toBatchName(batch), batch, finish);
        if (key !== null) leaveWaited(this.keys, key.id, key, finish);
        resolve(end);
      };
      const begunAt = performance.now();
      const onTime = (): void => {
        const isUnchecked = poll.isRemembered && batch.lookedAt < begunAt;
        finish(isUnchecked ? { rows: this.readAgain(batch) } : 'over');
      };
      const timer = setTimeout(onTime, poll.milliseconds);
      const offGone = poll.onGone(() => finish('over'));
      batch.polls.add(finish);
      key?.polls.add(finish);
      if (!this.isRunning) void this.runRounds();
    });
  }

  private findBatch({ caller: { tenantId }, submissionBatchId: id, state, read }: HeldPoll): WaitedBatch {
    const batch = { tenantId, id, state, read, lookedAt: -Infinity, polls: new Set<Finish>() };
    const name = toBatchName(batch);
    const known = this.batches.get(name);
    if (known !== undefined) return known;
    this.batches.set(name, batch);
    return batch;
  }

  /** Null for a user of the dashboard. */
  private findKey({ tenantId, actor }: AuthenticatedCaller): Waited | null {
    if (!('keyId' in actor)) return null;
    const { keyId: id } = actor;
    const key = this.keys.get(id) ?? { tenantId, id, state: '', polls: new Set<Finish>() };
    this.keys.set(id, key);
    return key;
  }

  /** Goes on while somebody waits. A slow database is asked less often: half of the time at most. */
  private async runRounds(): Promise<void> {
    this.isRunning = true;
    let tookMs = 0;
    while (this.batches.size > 0) {
      await pause(Math.max(ROUND_MS - tookMs, tookMs));
      const startedAt = performance.now();
      // The waits go on, and end in time: a database that is away for a moment must not end thousands of them.
      await this.runRound().catch((error: unknown) =>
        this.logger.warn(`Held polls were not looked after: ${String(error)}`),
      );
      tookMs = performance.now() - startedAt;
    }
    this.isRunning = false;
  }

  private async runRound(): Promise<void> {
    const batches = this.takeBatches();
    const keys = [...this.keys.values()];
    if (batches.length === 0) return;
    const begunAt = performance.now();
    const authorities = Object.entries(this.configuration.authorities);
    const [{ changed_batches: changed, ended_keys: ended }] = await this.dataSource.query<[WaitedRow]>(FIND_WAITED, [
      toArrayText(batches, 'tenantId'),
      toArrayText(batches, 'id'),
      toArrayText(batches, 'state'),
      toArrayText(keys, 'tenantId'),
      toArrayText(keys, 'id'),
      authorities.map(([environment]) => environment),
      authorities.map(([, { clientId }]) => clientId),
    ]);
    for (const batch of batches) batch.lookedAt = begunAt;
    const keyEndedAt = performance.now();
    for (const position of ended) for (const finish of keys[position - 1].polls) finish({ keyEndedAt });
    for (const position of changed) this.finishChanged(batches[position - 1]);
  }

  /** Those whose turn it is, which go to the end. */
  private takeBatches(): WaitedBatch[] {
    const taken: WaitedBatch[] = [];
    for (const batch of this.batches.values()) {
      if (taken.push(batch) === BATCHES_MAX) break;
    }
    if (taken.length === this.batches.size) return taken;
    for (const batch of taken) {
      const name = toBatchName(batch);
      this.batches.delete(name);
      this.batches.set(name, batch);
    }
    return taken;
  }

  private finishChanged(batch: WaitedBatch): void {
    if (batch.polls.size === 0) return;
    const rows = this.readAgain(batch);
    for (const finish of batch.polls) finish({ rows });
  }

  private readAgain({ tenantId, read }: WaitedBatch): Promise<StatusRow[]> {
    const rows = this.rereads.run(tenantId, read);
    // Polls that end before it is there do not look at it.
    rows.catch(() => undefined);
    return rows;
  }
}

function toBatchName({ tenantId, id, state }: Waited): string {
  return tenantId + id + state;
}

function leaveWaited<W extends Waited>(all: Map<string, W>, name: string, waited: W, finish: Finish): void {
  waited.polls.delete(finish);
  if (waited.polls.size === 0 && all.get(name) === waited) all.delete(name);
}

/** An array of uuids as PostgreSQL writes it: for thousands the driver's own way, which looks for quotes, takes long. */
function toArrayText(waited: readonly Waited[], member: 'tenantId' | 'id' | 'state'): string {
  return `{${waited.map((each) => each[member]).join(',')}}`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
