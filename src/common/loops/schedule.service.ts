import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { countLoopError, countLoopWork } from '../metrics.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { LoopActivity } from './loop-activity.js';
import { LoopRegistry, type RegisteredLoop } from './loop-registry.js';

const QUIET_MS = 60_000;

interface Seen {
  readonly loggedAt: number;
  readonly unlogged: number;
}

/** Limits log lines for repeated errors. Without a database, every loop fails several times per second. */
export class RepeatedErrors {
  private readonly seen = new Map<string, Seen>();

  /** Returns the number of similar errors since the last log line, or null if this error must not be logged. */
  note(loop: string, message: string, now = Date.now()): number | null {
    const key = `${loop}\n${message}`;
    const earlier = this.seen.get(key);
    if (earlier !== undefined && now - earlier.loggedAt < QUIET_MS) {
      this.seen.set(key, { ...earlier, unlogged: earlier.unlogged + 1 });
      return null;
    }
    if (earlier === undefined && this.seen.size >= KEPT_MAX) this.seen.clear();
    this.seen.set(key, { loggedAt: now, unlogged: 0 });
    return earlier?.unlogged ?? 0;
  }
}

const KEPT_MAX = 200;

// All loops detect a recovered database within this time.
const PAUSE_MS_MAX = 5_000;

export function computePauseMs(intervalMs: number, failures: number): number {
  return Math.max(intervalMs, Math.min(PAUSE_MS_MAX, intervalMs * 2 ** failures));
}

/** Repeats the loops without a pause while there is work, and with growing pauses after failures. */
@Injectable()
export class ScheduleService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ScheduleService.name);
  private readonly giveUp = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly errors = new RepeatedErrors();
  private isStopping = false;

  constructor(
    private readonly intervals: SchedulerRegistry,
    private readonly registry: LoopRegistry,
    private readonly activity: LoopActivity,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  onApplicationBootstrap(): void {
    // Each call in progress adds a listener, which may exceed Node's default limit.
    setMaxListeners(0, this.giveUp.signal);
    const loops = this.registry.list();
    for (const loop of loops) {
      for (let runner = 1; runner <= loop.concurrency; runner += 1) this.repeat(`${loop.name}-${runner}`, loop);
    }
    this.activity.begin(loops.map(({ name }) => name));
    this.logger.log('The loops run');
  }

  /** Lets calls in progress finish before their deadline, so that a restart leaves no document in doubt. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.activity.drain();
    for (const name of this.intervals.getIntervals()) this.intervals.deleteInterval(name);
    const ended = new AbortController();
    const graceMs = this.configuration.times.authorityDeadlineSeconds * 1_000;
    const grace = delay(graceMs, undefined, { signal: ended.signal }).then(
      () => this.giveUp.abort(),
      () => undefined,
    );
    await Promise.all(this.running);
    ended.abort();
    await grace;
  }

  private repeat(name: string, loop: RegisteredLoop): void {
    let isRunning = false;
    let failures = 0;
    let endedAt = Number.NEGATIVE_INFINITY;
    const work = async (): Promise<void> => {
      failures = (await this.drain(loop)) ? 0 : failures + 1;
      endedAt = performance.now();
      isRunning = false;
    };
    const wakeUp = (): void => {
      const isPaused = failures > 0 && performance.now() - endedAt < computePauseMs(loop.intervalMs, failures);
      if (isRunning || isPaused) return;
      isRunning = true;
      const run = work().finally(() => this.running.delete(run));
      this.running.add(run);
    };
    this.intervals.addInterval(name, setInterval(wakeUp, loop.intervalMs));
    // Runs even the slowest loop at startup, in case the process is restarted repeatedly.
    wakeUp();
  }

  private async drain({ name, loop }: RegisteredLoop): Promise<boolean> {
    try {
      let done = 1;
      while (!this.isStopping && done > 0) {
        this.activity.beginTick(name);
        done = await loop.tick(this.giveUp.signal);
        this.activity.noteSuccess(name, done);
        countLoopWork(name, done);
      }
      return true;
    } catch (error) {
      // The next tick retries: claimed rows have a lease, and due work stays due.
      countLoopError(name);
      this.activity.noteFailure(name, error);
      this.logError(name, error);
      return false;
    }
  }

  private logError(loop: string, error: unknown): void {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    const repeated = this.errors.note(loop, message);
    if (repeated !== null) this.logger.error({ loop, error: stack ?? message, repeated });
  }
}
