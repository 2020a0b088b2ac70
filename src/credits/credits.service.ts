import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { InsufficientCreditsError } from '../common/errors.js';
import type { Environment } from '../config/environment.js';
import type { TenantTransaction } from '../database/in-tenant.js';

export interface Charge {
  readonly tenantId: string;
  readonly environment: Environment;
  /** Whole credits, above 0. */
  readonly credits: number;
  readonly kind: 'submit' | 'cancel';
  /** The submission batch or the cancellation that is paid for: one cause is charged once. */
  readonly causeId: string;
  /** Documents of the request, for the answer of a refusal (D12). */
  readonly documentCount: number;
}

/** Prepaid credits in a tenant's own transaction (D12): grants and statements are the operator's, see CreditLedger. */
@Injectable()
export class CreditsService {
  /**
   * Spends credits, the earliest to expire first, as the last step of an accepted call.
   * @returns the credits that are left
   * @throws InsufficientCreditsError (402) with figures that were read under the account's lock; the caller's
   *   transaction must then roll back
   */
  async charge(transaction: TenantTransaction, charge: Charge): Promise<{ remaining: number }> {
    const { tenantId, credits, environment, kind, causeId } = charge;
    const [{ left }] = await transaction.tx.query<{ left: number }[]>(
      'SELECT charge_credits($1, $2, $3, $4, $5, $6) AS left',
      [tenantId, credits, environment, kind, causeId, transaction.now],
    );
    if (left < 0) throw shortage(charge, left + credits);
    return { remaining: left };
  }

  /**
   * What `charge` would say at this moment, without the account's lock and without spending.
   * @throws InsufficientCreditsError (402)
   */
  async foresee(
    { tx }: TenantTransaction,
    charge: Pick<Charge, 'tenantId' | 'credits' | 'documentCount'>,
  ): Promise<{ remaining: number }> {
    const remaining = await this.remaining(tx, charge.tenantId);
    if (remaining < charge.credits) throw shortage(charge, remaining);
    return { remaining };
  }

  /** The credits that the tenant can spend at this moment; what has expired does not count, swept or not. */
  async remaining(tx: EntityManager, tenantId: string): Promise<number> {
    const [{ remaining }] = await tx.query<{ remaining: number }[]>(
      `SELECT coalesce(sum(remaining), 0)::integer AS remaining
         FROM credit_lot
        WHERE tenant_id = $1 AND remaining > 0 AND expires_at > service_now()`,
      [tenantId],
    );
    return remaining;
  }
}

function shortage(
  { credits, documentCount }: Pick<Charge, 'credits' | 'documentCount'>,
  remainingCredits: number,
): InsufficientCreditsError {
  return new InsufficientCreditsError({ requiredCredits: credits, remainingCredits, documentCount });
}
