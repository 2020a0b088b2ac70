import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuthorityCalls } from '../../authority/authority-calls.js';
import type { Taxpayer } from '../../authority/tokens.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import type { Environment } from '../../config/environment.js';
import type { CallWindow } from '../queue/call-windows.js';
import { findOldestTaxpayer, markTenantQueueServed, claimTenantQueue } from '../queue/tenant-queues.js';

interface Probe {
  readonly window: CallWindow<'submit'>;
  readonly signal: AbortSignal;
}

/** Tests whether submits work again, without sending a document that could end in doubt. */
@Injectable()
export class ProbeService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authority: AuthorityCalls,
  ) {}

  /** Rotates through the tenant queues, so that a tenant that cannot log in does not block the probes. */
  async send(environment: Environment, { window, signal }: Probe): Promise<boolean> {
    const taxpayer = await this.nextTaxpayer(environment);
    if (taxpayer === null) return false;
    const { slot, deadlineAt } = window;
    return (await this.authority.probeSubmit({ taxpayer, slot, deadlineAt, signal })).kind === 'reachable';
  }

  private nextTaxpayer(environment: Environment): Promise<Taxpayer | null> {
    return withFailpoints('probe.claim', () =>
      this.dataSource.transaction(async (tx) => {
        const taken = await claimTenantQueue(tx, environment);
        if (taken === null) return null;
        await markTenantQueueServed(tx, taken);
        return findOldestTaxpayer(tx, taken.tenantQueue);
      }),
    );
  }
}
