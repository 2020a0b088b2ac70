import { createProviderDecorator } from '../decorated-providers.js';

/** Repeated work. Several replicas may run it at the same time. */
export interface Loop {
  /**
   * Does the due work and returns its amount.
   * @param signal aborts calls in progress when the shutdown timeout has passed
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
