import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Taxpayer } from '../../authority/tokens.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import { CallWindows } from '../queue/call-windows.js';
import { DeliveryService } from '../queue/delivery.service.js';
import { claimResend, type UnknownSubmission } from './reconcile.sql.js';

const SLOT_WITHIN_MS = 2_000;

/** Resends an unknown call with the same documents in the same order, byte for byte. */
@Injectable()
export class ResendService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly windows: CallWindows,
    private readonly delivery: DeliveryService,
  ) {}

  async send(resend: { submission: UnknownSubmission; taxpayer: Taxpayer; signal: AbortSignal }): Promise<void> {
    const window = await this.windows.open(resend.submission.environment, 'submit', SLOT_WITHIN_MS);
    if (window === null) return;
    const submission = {
      ...resend.submission,
      owner: window.owner,
      taxpayer: resend.taxpayer,
      earlierSends: resend.submission.sends,
      waits: [],
    };
    const claimedSince = new Date();
    const isClaimed = await withFailpoints('reconcile.claim_resend', () =>
      claimResend(this.dataSource.manager, submission, window.leaseSeconds),
    );
    if (!isClaimed) return;
    await this.delivery.deliver({ submission, window, signal: resend.signal, claimedSince });
  }
}
