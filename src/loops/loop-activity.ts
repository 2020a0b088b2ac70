import { Injectable } from '@nestjs/common';

// Every statement and every call that a tick waits for has a deadline; the longest ticks, which make many calls of a
// small budget, take minutes. So this is not work but a tick that never ends.
const SILENT_MS_MAX = 15 * 60_000;
// A deadlock or a lost race ends one tick, and the next one succeeds.
const FAILURES_MIN = 5;
// Longer than a statement and the pause after it: as long as work fails, a failure follows within this time.
const QUIET_MS_MIN = 20_000;

/** A loop of which every tick fails. */
interface FailingLoop {
  readonly loop: string;
  /** Of its last tick. */
  readonly error: unknown;
}

interface Failures {
  readonly count: number;
  /** Of the last one. */
  readonly error: unknown;
  readonly failedAt: number;
}

/** Whether the loops of this process run, for its readiness. */
@Injectable()
export class LoopActivity {
  private readonly endedAt = new Map<string, number>();
  private readonly failures = new Map<string, Failures>();
  private phase: 'starting' | 'running' | 'draining' = 'starting';

  get state(): 'starting' | 'running' | 'draining' {
    return this.phase;
  }

  begin(loops: readonly string[]): void {
    for (const loop of loops) this.noteTick(loop);
    this.phase = 'running';
  }

  /** A tick has ended, however; `now` on the clock of `performance.now()`. */
  noteTick(loop: string, now = performance.now()): void {
    this.endedAt.set(loop, now);
  }

  /**
   * A tick without work ends no series of failures by itself: while one tick fails at the only work, the others of the
   * loop find none.
   */
  noteSuccess(loop: string, done: number, now = performance.now()): void {
    const failures = this.failures.get(loop);
    if (failures !== undefined && (done > 0 || now - failures.failedAt >= QUIET_MS_MIN)) this.failures.delete(loop);
  }

  noteFailure(loop: string, error: unknown, failedAt = performance.now()): void {
    this.failures.set(loop, { count: (this.failures.get(loop)?.count ?? 0) + 1, error, failedAt });
  }

  drain(): void {
    this.phase = 'draining';
  }

  /** The loops of which no tick has ended for a quarter of an hour. */
  listStuck(now = performance.now()): string[] {
    return [...this.endedAt].filter(([, endedAt]) => now - endedAt > SILENT_MS_MAX).map(([loop]) => loop);
  }

  /** The loops of which at least five ticks failed since the last one that did any work. */
  listFailing(): FailingLoop[] {
    const failing = [...this.failures].filter(([, { count }]) => count >= FAILURES_MIN);
    return failing.map(([loop, { error }]) => ({ loop, error }));
  }
}
