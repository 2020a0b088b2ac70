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

/**
 * While submits fail, asks whether they work again. No document is put at risk: one that a failing authority may have
 * taken would be in doubt, and an outage of a day would leave thousands of them to a person.
 */
@Injectable()
export class ProbeService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authority: AuthorityCalls,
  ) {}

  /** Calls in the name of the tenant whose turn it is, so that none that cannot log in is asked for twice in a row. */
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
