import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { CallBudget, type CallSlot } from '../../authority/call-budget.js';
import type { AuthorityApi } from '../../authority/call-limits.js';
import { getAuthoritySettings } from '../../authority/settings.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';

export interface CallWindow<Api extends AuthorityApi> {
  readonly slot: CallSlot<Api>;
  readonly owner: string;
  /**
   * Seconds from the claim. Longer than the deadline, so that a running process never loses its lease during a call.
   */
  readonly leaseSeconds: number;
  /** Deadline on the `performance.now()` clock. No call is sent later, even after the process was paused. */
  readonly deadlineAt: number;
}

/** Reserves windows for calls. Loops claim work only if a call can be sent immediately. */
@Injectable()
export class CallWindows {
  /** Unique for each process, so that a restarted process does not continue the calls of its predecessor. */
  private readonly owner = uuidv7();

  constructor(
    private readonly budget: CallBudget,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  get environments(): Environment[] {
    return ENVIRONMENTS.filter((environment) => this.configuration.authorities[environment] !== undefined);
  }

  /** False while the client id changes (docs/operations.md#change-the-client-id). */
  get sendsQueued(): boolean {
    return this.configuration.sendsQueued;
  }

  getClientId(environment: Environment): string {
    return getAuthoritySettings(this.configuration, environment).clientId;
  }

  /** Reserves a slot within `withinMs`. Returns null if there is none. */
  async open<Api extends AuthorityApi>(
    environment: Environment,
    api: Api,
    withinMs: number,
  ): Promise<CallWindow<Api> | null> {
    const slot = await this.budget.reserve(environment, api, withinMs);
    if (slot === null) return null;
    const { authorityDeadlineSeconds, dispatchLeaseSeconds } = this.configuration.times;
    const waitSeconds = slot.waitMs / 1_000;
    return {
      slot,
      owner: this.owner,
      leaseSeconds: waitSeconds + dispatchLeaseSeconds,
      deadlineAt: performance.now() + (waitSeconds + authorityDeadlineSeconds) * 1_000,
    };
  }
}
