import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { InsufficientCreditsError } from './insufficient-credits-error.js';
import type { TenantTransaction } from '../database/in-tenant.js';

export interface Charge {
  readonly credits: number;
  /** Reported in the error response (docs/rules.md#credits). */
  readonly documentCount: number;
}

export interface SpendingCaller {
  readonly tenantId: string;
  readonly environment: Environment;
}

/** Reads prepaid credits in a tenant transaction (docs/rules.md#credits). */
@Injectable()
export class CreditsService {
  /** Computes the balance after a charge without a lock. @throws InsufficientCreditsError (402) */
  async previewCharge(
    { tx }: TenantTransaction,
    caller: SpendingCaller,
    charge: Charge,
  ): Promise<{ remaining: number }> {
    const remaining = await this.readRemaining(tx, caller);
    if (remaining < charge.credits) throw this.buildShortageError(charge, remaining);
    return { remaining };
  }

  buildShortageError({ credits, documentCount }: Charge, remainingCredits: number): InsufficientCreditsError {
    return new InsufficientCreditsError({ requiredCredits: credits, remainingCredits, documentCount });
  }

  /** Reads the spendable credits in an environment. */
  async readRemaining(tx: EntityManager, { tenantId, environment }: SpendingCaller): Promise<number> {
    const [{ remaining }] = await tx.query<{ remaining: number }[]>(
      `SELECT coalesce(sum(remaining), 0)::integer AS remaining
         FROM credit_lot
        WHERE tenant_id = $1 AND remaining > 0 AND expires_at > service_now()
          AND (environment IS NULL OR environment = $2)`,
      [tenantId, environment],
    );
    return remaining;
  }
}
