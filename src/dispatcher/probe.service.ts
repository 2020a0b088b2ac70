import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuthorityClient } from '../authority/authority-client.js';
import { at } from '../common/failpoints.js';
import type { Environment } from '../config/environment.js';
import { supplierOf } from '../tenants/supplier.js';
import type { CallWindow } from './call-windows.js';
import { serveLane, takeLane, type TakenLane } from './lanes.js';

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
    private readonly authority: AuthorityClient,
  ) {}

  /** Calls in the name of the tenant whose turn it is, so that none that cannot log in is asked for twice in a row. */
  async send(environment: Environment, { window, signal }: Probe): Promise<boolean> {
    const taken = await this.nextLane(environment);
    if (taken === null) return false;
    const supplier = supplierOf(taken.tenant);
    if ('missing' in supplier) return false;
    const { tin, idType, idValue } = supplier;
    const { slot, deadlineAt } = window;
    const call = { taxpayer: { tenantId: taken.lane.tenantId, tin, idType, idValue }, slot, deadlineAt, signal };
    return (await this.authority.probeSubmit(call)).kind === 'reachable';
  }

  private nextLane(environment: Environment): Promise<TakenLane | null> {
    return at('probe.claim', () =>
      this.dataSource.transaction(async (tx) => {
        const taken = await takeLane(tx, environment);
        if (taken !== null) await serveLane(tx, taken);
        return taken;
      }),
    );
  }
}
