import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CallBudget } from '../authority/call-budget.js';
import type { Taxpayer } from '../authority/tokens.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { DeliveryService } from './delivery.service.js';
import { ProcessIdentity } from './process-identity.js';
import { claimResend, type DoubtfulSubmission } from './reconcile.sql.js';
import { SLOT_WITHIN_MS } from './submit.loop.js';

/** Sends an unknown call again: the same documents in the same order, byte for byte. */
@Injectable()
export class ResendService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly budget: CallBudget,
    private readonly delivery: DeliveryService,
    private readonly identity: ProcessIdentity,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** Without a slot of the call budget nothing happens: the submission stays unknown, and its next look comes. */
  async send(resend: { submission: DoubtfulSubmission; taxpayer: Taxpayer; signal: AbortSignal }): Promise<void> {
    const slot = await this.budget.reserve(resend.submission.environment, 'submit', SLOT_WITHIN_MS);
    if (slot === null) return;
    const { authorityDeadlineSeconds, dispatchLeaseSeconds } = this.configuration.times;
    const waitSeconds = slot.waitMs / 1_000;
    const deadlineAt = performance.now() + (waitSeconds + authorityDeadlineSeconds) * 1_000;
    const submission = { ...resend.submission, owner: this.identity.id, taxpayer: resend.taxpayer };
    const leaseSeconds = waitSeconds + dispatchLeaseSeconds;
    if (!(await claimResend(this.dataSource.manager, submission, leaseSeconds))) return;
    await this.delivery.deliver({ submission, slot, deadlineAt, signal: resend.signal });
  }
}
