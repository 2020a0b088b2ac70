import { setImmediate } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { KeyService } from '../auth/key.service.js';
import { FairSemaphore } from '../common/fair-semaphore.js';
import { measureHeldPolls } from '../common/metrics.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import type { Interruptions } from './interruptions.decorator.js';
import type { KnownState } from './known-states.js';
import { StatusReader } from './status-reader.js';
import { FIND_WAITED, type StatusRow, type WaitedRow } from './status.sql.js';

/** How often the database is asked about each batch and key, while polls wait for no more than BATCHES_MAX. */
const ROUND_MS = 500;
/**
 * Batches that a round asks about: some 18 ms of the database's CPU time. While polls wait for more, they take turns: of
 * 10,000, each is looked at every two seconds.
 */
const BATCHES_MAX = 2_500;
/** Of one statement. A round of more has several, spread over its time: what others ask comes in between. */
const STATEMENT_BATCHES_MAX = 500;
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
  /** The wait ends when the database has another state; polls of the same object are looked after together. */
  readonly known: KnownState;
  /** Whether the state was read for an earlier poll: what has changed since, a round is still to find. */
  readonly isRemembered: boolean;
  /** A moment of `performance.now()`. */
  readonly waitUntil: number;
  readonly interruptions: Interruptions;
}

/**
 * How a wait ends while its client is there: in time; with its key, found ended at a moment of `performance.now()`; or
 * with the rows of the changed batch.
 */
export type HeldPollEnd = 'over' | { readonly keyEndedAt: number } | { readonly rows: Promise<StatusRow[]> };

/** One wait of a poll: thousands are kept at the same time. */
interface Wait {
  readonly poll: HeldPoll;
  readonly batch: WaitedBatch;
  readonly key: Waited | null;
  readonly begunAt: number;
  readonly timer: NodeJS.Timeout;
  readonly onGone: () => void;
  readonly end: (end: HeldPollEnd | 'gone') => void;
}

/** What several polls wait for together. */
interface Waited {
  readonly tenantId: string;
  readonly id: string;
  readonly waits: Set<Wait>;
}

interface WaitedBatch extends Waited {
  readonly caller: AuthenticatedCaller;
  readonly state: string;
  /** When the last round began that has looked at it, and succeeded. */
  lookedAt: number;
}

/**
 * The polls whose response is held (docs/rules.md#status-response). One statement every half second looks after all of
 * them (docs/decisions/0079-held-polls-share-one-statement.md).
 */
@Injectable()
export class HeldPolls implements BeforeApplicationShutdown {
  private readonly logger = new Logger(HeldPolls.name);
  private readonly slots: FairSemaphore;
  private readonly rereads = new FairSemaphore({ capacity: REREADS_MAX, share: REREADS_MAX / 2 });
  private readonly ends = new FairSemaphore({ capacity: ENDS_MAX, share: ENDS_MAX });
  /** Both in the order of their turns to be looked at. */
  private readonly batches = new Map<KnownState, WaitedBatch>();
  private readonly keys = new Map<string, Waited>();
  private isRunning = false;
  private isStopping = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly reader: StatusReader,
    private readonly keyService: KeyService,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {
    const capacity = configuration.heldPollsMax;
    this.slots = new FairSemaphore({ capacity, share: Math.ceil(capacity / 2) });
  }

  /** Until all are answered: a connection whose response comes after idle ones were closed would stay open. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const { waits } of this.batches.values()) for (const wait of waits) this.finish(wait, 'over');
    do await setImmediate();
    while (this.ends.inUse > 0);
  }

  /** Acquires a slot, of which one tenant can have half. Returns false if no slot is free; the caller must then respond immediately. */
  tryAcquireSlot(tenantId: string): boolean {
    const isAcquired = !this.isStopping && this.slots.tryAcquire(tenantId);
    if (isAcquired) measureHeldPolls(this.slots.inUse);
    return isAcquired;
  }

  releaseSlot(tenantId: string): void {
    this.slots.release(tenantId);
    measureHeldPolls(this.slots.inUse);
  }

  /** Waits until it is the turn of a poll of this tenant to be answered: polls end by the thousand. */
  takeTurn(tenantId: string): Promise<void> {
    return this.ends.run(tenantId, () => setImmediate());
  }

  /** @param end is called once, when the wait ends; with 'gone' when nobody waits any more */
  wait(poll: HeldPoll, end: Wait['end']): void {
    if (this.isStopping) {
      end('over');
      return;
    }
    const [batch, key] = [this.findBatch(poll), this.findKey(poll.caller)];
    const begunAt = performance.now();
    const timer = setTimeout(() => this.finishInTime(wait), poll.waitUntil - begunAt);
    const onGone = (): void => this.finish(wait, 'gone');
    const wait: Wait = { poll, batch, key, begunAt, timer, onGone, end };
    batch.waits.add(wait);
    key?.waits.add(wait);
    poll.interruptions.onGone(onGone);
    if (!this.isRunning) void this.runRounds();
  }

  private findBatch({ caller, submissionBatchId: id, known }: HeldPoll): WaitedBatch {
    const { tenantId } = caller;
    const waited = this.batches.get(known);
    if (waited !== undefined) return waited;
    const batch = { caller, tenantId, id, state: known.state, lookedAt: -Infinity, waits: new Set<Wait>() };
    this.batches.set(known, batch);
    return batch;
  }

  /** Null for a user of the dashboard. */
  private findKey({ tenantId, actor }: AuthenticatedCaller): Waited | null {
    if (!('keyId' in actor)) return null;
    const { keyId: id } = actor;
    const key = this.keys.get(id) ?? { tenantId, id, waits: new Set<Wait>() };
    this.keys.set(id, key);
    return key;
  }

  private finish(wait: Wait, end: HeldPollEnd | 'gone'): void {
    const { poll, batch, key, timer, onGone } = wait;
    clearTimeout(timer);
    poll.interruptions.offGone(onGone);
    batch.waits.delete(wait);
    if (batch.waits.size === 0) this.batches.delete(poll.known);
    key?.waits.delete(wait);
    if (key?.waits.size === 0) this.keys.delete(key.id);
    wait.end(end);
  }

  private finishInTime(wait: Wait): void {
    const { poll, batch, begunAt } = wait;
    const isUnchecked = poll.isRemembered && batch.lookedAt < begunAt;
    this.finish(wait, isUnchecked ? { rows: this.readAgain(batch) } : 'over');
  }

  /** Goes on while somebody waits. A slow database is asked less often: half of the time at most. */
  private async runRounds(): Promise<void> {
    this.isRunning = true;
    let tookMs = 0;
    while (this.batches.size > 0) {
      const parts = Math.ceil(Math.min(this.batches.size, BATCHES_MAX) / STATEMENT_BATCHES_MAX);
      await pause(Math.max(ROUND_MS / parts - tookMs, tookMs));
      const startedAt = performance.now();
      // The waits go on, and end in time: a database that is away for a moment must not end thousands of them.
      await this.runPart(parts).catch((error: unknown) =>
        this.logger.warn(`Held polls were not looked after: ${String(error)}`),
      );
      tookMs = performance.now() - startedAt;
    }
    this.isRunning = false;
  }

  /** One statement of a round that has so many. */
  private async runPart(parts: number): Promise<void> {
    const batches = takeNext(this.batches, STATEMENT_BATCHES_MAX);
    const keys = takeNext(this.keys, Math.ceil(this.keys.size / parts));
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
    // So the client's next poll needs no lookup of its key: hundreds begin in each second.
    const working = keys.filter((_, index) => !ended.includes(index + 1));
    this.keyService.confirm(
      working.map(({ id }) => id),
      begunAt,
    );
    const keyEndedAt = performance.now();
    for (const position of ended) for (const wait of keys[position - 1].waits) this.finish(wait, { keyEndedAt });
    for (const position of changed) this.finishChanged(batches[position - 1]);
  }

  private finishChanged(batch: WaitedBatch): void {
    if (batch.waits.size === 0) return;
    const rows = this.readAgain(batch);
    for (const wait of batch.waits) this.finish(wait, { rows });
  }

  /** Once for all polls that wait for it. */
  private readAgain({ caller, id }: WaitedBatch): Promise<StatusRow[]> {
    const rows = this.rereads.run(caller.tenantId, () => this.reader.read(caller, id));
    // Polls that end before it is there do not look at it.
    rows.catch(() => undefined);
    return rows;
  }
}

/** So many whose turn it is, which go to the end. */
function takeNext<Name, W extends Waited>(all: Map<Name, W>, count: number): W[] {
  const taken: [Name, W][] = [];
  for (const entry of all) {
    if (taken.length === count) break;
    taken.push(entry);
  }
  for (const [name, waited] of taken) {
    all.delete(name);
    all.set(name, waited);
  }
  return taken.map(([, waited]) => waited);
}

/** An array of uuids as PostgreSQL writes it: for thousands the driver's own way, which looks for quotes, takes long. */
function toArrayText<Member extends string>(waited: readonly Record<Member, string>[], member: Member): string {
  return `{${waited.map((each) => each[member]).join(',')}}`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
