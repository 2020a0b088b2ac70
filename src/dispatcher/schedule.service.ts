import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CancelLoop } from './cancel.loop.js';
import { HousekeepingLoop } from './housekeeping.loop.js';
import type { Loop } from './loop.js';
import { PollLoop } from './poll.loop.js';
import { ReconcileLoop } from './reconcile.loop.js';
import { SubmitLoop } from './submit.loop.js';

interface Schedule {
  readonly loop: Loop;
  readonly intervalMs: number;
  /** Ticks that may be under way at once in this process. */
  readonly lanes: number;
}

// Calls under way get this long to end by themselves; then they are given up, and what they sent is looked up later.
const SHUTDOWN_GRACE_MS = 10_000;

/** Repeats the loops: a lane's next tick begins when its last has ended, at once while there is work. */
@Injectable()
export class ScheduleService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ScheduleService.name);
  private readonly giveUp = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly schedules: readonly Schedule[];
  private isStopping = false;

  constructor(
    private readonly registry: SchedulerRegistry,
    submit: SubmitLoop,
    poll: PollLoop,
    cancel: CancelLoop,
    reconcile: ReconcileLoop,
    housekeeping: HousekeepingLoop,
  ) {
    this.schedules = [
      { loop: submit, intervalMs: 250, lanes: 4 },
      { loop: poll, intervalMs: 500, lanes: 4 },
      { loop: cancel, intervalMs: 1_000, lanes: 1 },
      { loop: reconcile, intervalMs: 2_000, lanes: 1 },
      { loop: housekeeping, intervalMs: 30_000, lanes: 1 },
    ];
  }

  onApplicationBootstrap(): void {
    for (const { loop, intervalMs, lanes } of this.schedules) {
      for (let lane = 1; lane <= lanes; lane += 1) this.repeat(`${loop.name}-${lane}`, loop, intervalMs);
    }
  }

  /** Nothing new begins; what is under way ends, or is given up after the grace. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const name of this.registry.getIntervals()) this.registry.deleteInterval(name);
    const ended = new AbortController();
    const grace = delay(SHUTDOWN_GRACE_MS, undefined, { signal: ended.signal }).then(
      () => this.giveUp.abort(),
      () => undefined,
    );
    await Promise.all(this.running);
    ended.abort();
    await grace;
  }

  private repeat(name: string, loop: Loop, intervalMs: number): void {
    let isRunning = false;
    const wake = (): void => {
      if (isRunning) return;
      isRunning = true;
      const run = this.drain(loop).finally(() => {
        isRunning = false;
        this.running.delete(run);
      });
      this.running.add(run);
    };
    this.registry.addInterval(name, setInterval(wake, intervalMs));
  }

  private async drain(loop: Loop): Promise<void> {
    try {
      while (!this.isStopping && (await loop.tick(this.giveUp.signal)) > 0);
    } catch (error) {
      // The next tick tries again: whatever was claimed has a lease, and whatever is due stays due.
      this.logger.error({ loop: loop.name, error: error instanceof Error ? error.stack : String(error) });
    }
  }
}
