import { createProviderDecorator } from '../decorated-providers.js';

/** Repeated work that several replicas may run at the same time. */
export interface Loop {
  /**
   * Processes the due work and returns the number of items.
   * @param signal aborts calls in progress after the shutdown timeout
   */
  tick(signal: AbortSignal): Promise<number>;
}

export interface LoopSchedule {
  readonly name: string;
  readonly intervalMs: number;
  readonly concurrency: number;
}

/** Registers a provider with ScheduleService. */
export const RepeatedLoop = createProviderDecorator<Loop, LoopSchedule>();
