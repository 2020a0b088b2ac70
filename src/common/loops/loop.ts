import { createProviderDecorator } from '../decorated-providers.js';

/** Repeated work. Any number of replicas may run it. */
export interface Loop {
  /**
   * Does the work that is due and returns its amount.
   * @param signal aborted when a stopping process has waited long enough; aborts calls in progress
   */
  tick(signal: AbortSignal): Promise<number>;
}

export interface LoopSchedule {
  /** Unique name for metrics and logs. */
  readonly name: string;
  /** Pause after a tick without work. */
  readonly intervalMs: number;
  /** Maximum number of parallel ticks per process. */
  readonly concurrency: number;
}

/** Marks a provider class as a loop, which ScheduleService finds and repeats. */
export const RepeatedLoop = createProviderDecorator<Loop, LoopSchedule>();
