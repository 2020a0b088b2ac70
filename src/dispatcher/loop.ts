/** Work that is repeated. A tick does what is due and says how much that was; any number of replicas may run it. */
export interface Loop {
  readonly name: string;
  readonly schedule: LoopSchedule;
  /** @param signal aborted when the process stops and has waited long enough: calls under way are given up */
  tick(signal: AbortSignal): Promise<number>;
}

interface LoopSchedule {
  /** Between the end of a tick that found nothing to do and the next. */
  readonly intervalMs: number;
  /** Ticks that may be under way at the same time in this process. */
  readonly concurrency: number;
}

/** Injection token of all loops, for what repeats them. */
export const LOOPS = Symbol('Loops');
