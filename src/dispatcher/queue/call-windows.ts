import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { CallBudget, type CallSlot } from '../../authority/call-budget.js';
import type { AuthorityApi } from '../../authority/call-limits.js';
import { getAuthoritySettings } from '../../authority/settings.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';

/** The time in which one call is claimed, made and settled, and the right to make it. */
export interface CallWindow<Api extends AuthorityApi> {
  readonly slot: CallSlot<Api>;
  /** Who holds the lease: this process. */
  readonly owner: string;
  /** From the claim. Longer than until `deadlineAt`, so that a live process never loses its lease in mid-call. */
  readonly leaseSeconds: number;
  /** On the clock of `performance.now()`: nothing is sent after it, even if the process was frozen in between. */
  readonly deadlineAt: number;
}

/** Opens windows for the loops: nothing is claimed from the queue that could not be sent immediately. */
@Injectable()
export class CallWindows {
  /** New with every start, so that a process never takes its predecessor's work for its own. */
  private readonly owner = uuidv7();

  constructor(
    private readonly budget: CallBudget,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** The environments that this process works for (docs/rules.md#environments). */
  get environments(): Environment[] {
    return ENVIRONMENTS.filter((environment) => this.configuration.authorities[environment] !== undefined);
  }

  /** Whether this process sends queued documents (docs/operations.md#change-the-client-id). */
  get sendsQueued(): boolean {
    return this.configuration.sendsQueued;
  }

  /** The client id of this process, whose calls alone it works on. */
  getClientId(environment: Environment): string {
    return getAuthoritySettings(this.configuration, environment).clientId;
  }

  /** A window whose slot comes within `withinMs`, or null: then a later tick is early enough. */
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
