import { createProviderDecorator } from '../common/decorated-providers.js';

/** Work that is repeated. Any number of replicas may run it. */
export interface Loop {
  /**
   * Does what is due and returns how much that was.
   * @param signal aborted when the process stops and has waited long enough: calls under way are given up
   */
  tick(signal: AbortSignal): Promise<number>;
}

export interface LoopSchedule {
  /** In metrics and logs; no other loop has it. */
  readonly name: string;
  /** Between the end of a tick that found nothing to do and the next. */
  readonly intervalMs: number;
  /** Ticks that may be under way at the same time in this process. */
  readonly concurrency: number;
}

/** On a class that a module of the dispatcher provides: ScheduleService finds it and repeats it. */
export const RepeatedLoop = createProviderDecorator<Loop, LoopSchedule>();
