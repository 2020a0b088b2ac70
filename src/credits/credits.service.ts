import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { InsufficientCreditsError } from './insufficient-credits-error.js';
import type { TenantTransaction } from '../database/in-tenant.js';

/** What an accepted call costs. */
export interface Charge {
  /** Whole credits, above 0. */
  readonly credits: number;
  /** Documents of the request, for the response of a refusal (docs/rules.md#credits). */
  readonly documentCount: number;
}

/** Whose credits are spent, and where. */
export interface SpendingCaller {
  readonly tenantId: string;
  readonly environment: Environment;
}

/**
 * Prepaid credits in a tenant's own transaction (docs/rules.md#credits): grants and statements are the operator's, see
 * CreditLedger.
 */
@Injectable()
export class CreditsService {
  /**
   * What a charge would leave at this moment, without the account's lock and without spending.
   * @throws InsufficientCreditsError (402)
   */
  async previewCharge(
    { tx }: TenantTransaction,
    caller: SpendingCaller,
    charge: Charge,
  ): Promise<{ remaining: number }> {
    const remaining = await this.readRemaining(tx, caller);
    if (remaining < charge.credits) throw this.buildShortageError(charge, remaining);
    return { remaining };
  }

  /** The refusal (402) of a charge that the credits do not suffice for. */
  buildShortageError({ credits, documentCount }: Charge, remainingCredits: number): InsufficientCreditsError {
    return new InsufficientCreditsError({ requiredCredits: credits, remainingCredits, documentCount });
  }

  /**
   * The credits that the tenant can spend in an environment at this moment; what has expired does not count, swept or
   * not.
   */
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
