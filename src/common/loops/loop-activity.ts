import { Injectable } from '@nestjs/common';

// All statements and calls of a tick have deadlines. The longest ticks take minutes, so a tick of 15 minutes is stuck.
const SILENT_MS_MAX = 15 * 60_000;
// A deadlock or a lost race fails only one tick.
const FAILURES_MIN = 5;
// A loop that keeps failing does so within a statement timeout and the pause that follows.
const QUIET_MS_MIN = 20_000;

interface FailingLoop {
  readonly loop: string;
  readonly error: unknown;
}

interface Failures {
  readonly count: number;
  readonly error: unknown;
  readonly failedAt: number;
  readonly isOver: boolean;
}

interface Round {
  readonly running: number;
  readonly hasFailed: boolean;
}

const NO_ROUND: Round = { running: 0, hasFailed: false };

/** Tracks the loops of this process for the readiness check. */
@Injectable()
export class LoopActivity {
  private readonly endedAt = new Map<string, number>();
  private readonly failures = new Map<string, Failures>();
  private readonly rounds = new Map<string, Round>();
  private phase: 'starting' | 'running' | 'draining' = 'starting';

  get state(): 'starting' | 'running' | 'draining' {
    return this.phase;
  }

  begin(loops: readonly string[]): void {
    for (const loop of loops) this.endedAt.set(loop, performance.now());
    this.phase = 'running';
  }

  beginTick(loop: string): void {
    const { running, hasFailed } = this.rounds.get(loop) ?? NO_ROUND;
    this.rounds.set(loop, { running: running + 1, hasFailed });
  }

  /**
   * Records a successful tick. A tick without work ends a series of failures only if no overlapping tick failed,
   * because one tick may fail on the only work while the others find none.
   * @param now on the `performance.now()` clock
   */
  noteSuccess(loop: string, done: number, now = performance.now()): void {
    const { running, hasFailed } = this.endTick(loop, now);
    const failures = this.failures.get(loop);
    if (failures === undefined) return;
    if (done > 0 || now - failures.failedAt >= QUIET_MS_MIN) this.failures.delete(loop);
    else if (running === 0 && !hasFailed) this.failures.set(loop, { ...failures, isOver: true });
  }

  noteFailure(loop: string, error: unknown, failedAt = performance.now()): void {
    const { running } = this.endTick(loop, failedAt);
    if (running > 0) this.rounds.set(loop, { running, hasFailed: true });
    const count = (this.failures.get(loop)?.count ?? 0) + 1;
    this.failures.set(loop, { count, error, failedAt, isOver: false });
  }

  private endTick(loop: string, now: number): Round {
    this.endedAt.set(loop, now);
    const { running, hasFailed } = this.rounds.get(loop) ?? NO_ROUND;
    const round = { running: running - 1, hasFailed };
    this.rounds.set(loop, round.running > 0 ? round : NO_ROUND);
    return round;
  }

  drain(): void {
    this.phase = 'draining';
  }

  listStuck(now = performance.now()): string[] {
    return [...this.endedAt].filter(([, endedAt]) => now - endedAt > SILENT_MS_MAX).map(([loop]) => loop);
  }

  listFailing(): FailingLoop[] {
    const failing = [...this.failures].filter(([, { count, isOver }]) => count >= FAILURES_MIN && !isOver);
    return failing.map(([loop, { error }]) => ({ loop, error }));
  }
}
