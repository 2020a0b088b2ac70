import type { Configuration } from '../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../config/environment.js';

/** Work that is repeated. A tick does what is due and says how much that was; any number of replicas may run it. */
export interface Loop {
  readonly name: string;
  /** @param signal aborted when the process stops: calls under way are given up, nothing new begins */
  tick(signal: AbortSignal): Promise<number>;
}

export function servedEnvironments(configuration: Configuration): Environment[] {
  return ENVIRONMENTS.filter((environment) => configuration.authorities[environment] !== undefined);
}
