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
  /** Ticks have succeeded since the last failure, and no other one was running. */
  readonly isOver: boolean;
}

/** The ticks of a loop that run at the same time, until none runs. */
interface Round {
  readonly running: number;
  readonly hasFailed: boolean;
}

const NO_ROUND: Round = { running: 0, hasFailed: false };

/** Whether the loops of this process run, for its readiness. */
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
   * Ends a tick that succeeded. One without work ends a series of failures only if no tick of the loop that ran at the
   * same time failed: while one tick fails at the only work, the others find none.
   * @param now on the clock of `performance.now()`
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

  /** Returns the other ticks of the loop that run, and whether one that ran at the same time has failed. */
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

  /** The loops of which no tick has ended for a quarter of an hour. */
  listStuck(now = performance.now()): string[] {
    return [...this.endedAt].filter(([, endedAt]) => now - endedAt > SILENT_MS_MAX).map(([loop]) => loop);
  }

  /** Lists the loops of which at least five ticks failed and none has succeeded since. */
  listFailing(): FailingLoop[] {
    const failing = [...this.failures].filter(([, { count, isOver }]) => count >= FAILURES_MIN && !isOver);
    return failing.map(([loop, { error }]) => ({ loop, error }));
  }
}
