import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CallBudget } from '../authority/call-budget.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import type { Environment } from '../config/environment.js';
import { claimSubmission } from './claim.js';
import { DeliveryService } from './delivery.service.js';
import { hasQueuedWork } from './lanes.js';
import { servedEnvironments, type Loop } from './loop.js';
import { ProcessIdentity } from './process-identity.js';

/** A slot further away than this is left to a later tick, so that what is claimed is sent at once. */
export const SLOT_WITHIN_MS = 2_000;

/** Sends queued documents: a slot of the call budget, a durable claim, the call, its settlement. */
@Injectable()
export class SubmitLoop implements Loop {
  readonly name = 'submit';

  constructor(
    private readonly dataSource: DataSource,
    private readonly budget: CallBudget,
    private readonly delivery: DeliveryService,
    private readonly identity: ProcessIdentity,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** Makes at most one call for each environment; returns how many. */
  async tick(signal: AbortSignal): Promise<number> {
    const made = await Promise.all(
      servedEnvironments(this.configuration).map((environment) => this.sendOne(environment, signal)),
    );
    return made.filter(Boolean).length;
  }

  private async sendOne(environment: Environment, signal: AbortSignal): Promise<boolean> {
    if (!(await hasQueuedWork(this.dataSource.manager, environment))) return false;
    const slot = await this.budget.reserve(environment, 'submit', SLOT_WITHIN_MS);
    if (slot === null) return false;
    const { authorityDeadlineSeconds, dispatchLeaseSeconds } = this.configuration.times;
    const waitSeconds = slot.waitMs / 1_000;
    const deadlineAt = performance.now() + (waitSeconds + authorityDeadlineSeconds) * 1_000;
    const submission = await this.dataSource.transaction((tx) =>
      claimSubmission(tx, { environment, owner: this.identity.id, leaseSeconds: waitSeconds + dispatchLeaseSeconds }),
    );
    if (submission === null) return false;
    await this.delivery.deliver({ submission, slot, deadlineAt, signal });
    return true;
  }
}
