import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CreditEntry } from '../entities/credit-entry.entity.js';
import { OperatorError } from '../errors/operator-error.js';
import { appendAudit, COMMAND_ACTOR } from '../accounts/audit.js';
import { countSandboxOnly, nameCredits, sumRemaining } from './lots.js';
import { computeDefaultLastDay, computeMalaysianDayEnd, findLastDayProblem } from './expiry.js';

/** Limits the damage of a typing error, because grants cannot be revoked. */
export const GRANT_CREDITS_MAX = 100_000_000;

// Balances are PostgreSQL integers.
const BALANCE_MAX = 2_147_483_647;

export interface Grant {
  readonly tenantId: string;
  readonly credits: number;
  /** Last valid day in Malaysia, `YYYY-MM-DD`. Default: 12 months (docs/rules.md#credits). */
  readonly lastDay?: string;
  /** Limits the credits to the sandbox. Default: both environments. */
  readonly environment?: 'sandbox';
}

export interface OpenLot {
  readonly remaining: number;
  readonly granted: number;
  readonly expiresAt: Date;
  readonly environment: 'sandbox' | null;
}

const APPEND_GRANT = /* sql */ `
WITH lot AS (
  INSERT INTO credit_lot (tenant_id, id, granted, remaining, expires_at, created_at, environment)
  VALUES ($1, $2, $3::integer, $3::integer, $4, service_now(), $5)
), account AS (
  UPDATE credit_account SET balance = balance + $3::integer, entry_sequence = entry_sequence + 1
   WHERE tenant_id = $1 RETURNING balance, entry_sequence
), entry AS (
  INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, environment, cause_id, created_at)
  SELECT $1, entry_sequence, 'grant', $3::integer, balance, $5, $2, service_now() FROM account
)
SELECT balance FROM account`;

export interface Granted {
  readonly lotId: string;
  readonly balance: number;
  readonly expiresAt: Date;
}

/**
 * Adds credits to a tenant as the owner or operator role.
 * @throws OperatorError if the tenant is unknown, or an amount or day is invalid
 */
export async function grantCredits(tx: EntityManager, grant: Grant): Promise<Granted> {
  const { balance: earlier, now } = await lockAccount(tx, grant.tenantId);
  const expiresAt = computeExpiry(grant, now);
  if (earlier + grant.credits > BALANCE_MAX) {
    throw new OperatorError(`--credits would raise the balance of ${earlier} above ${BALANCE_MAX}`);
  }
  const lotId = uuidv7({ msecs: now.getTime() });
  const parameters = [grant.tenantId, lotId, grant.credits, expiresAt, grant.environment ?? null];
  const [{ balance }] = await tx.query<{ balance: number }[]>(APPEND_GRANT, parameters);
  return { lotId, balance, expiresAt };
}

/** Grants, balances and statements for operators, with the owner role. */
@Injectable()
export class CreditLedger {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Adds credits, and removes expired ones. @throws OperatorError if the tenant is unknown, or an
   * amount or day is invalid
   */
  async grant(grant: Grant): Promise<{ balance: number; expiresAt: Date }> {
    const { balance, expiresAt } = await this.dataSource.transaction(async (tx) => {
      const granted = await grantCredits(tx, grant);
      const { tenantId, credits, environment = null } = grant;
      const details = { credits, environment, expiresAt: granted.expiresAt, lotId: granted.lotId };
      await appendAudit(tx, COMMAND_ACTOR, {
        tenantId,
        action: 'credits.granted',
        subject: nameCredits(credits, environment),
        details,
      });
      return granted;
    });
    return { balance, expiresAt };
  }

  /** Reads the spendable balance, its sandbox part, and the lots in spending order. */
  async readBalance(tenantId: string): Promise<{ balance: number; sandboxOnly: number; lots: OpenLot[] }> {
    const lots = await this.dataSource.query<OpenLot[]>(
      `SELECT remaining, granted, expires_at AS "expiresAt", environment
         FROM credit_lot
        WHERE tenant_id = $1 AND remaining > 0 AND expires_at > service_now()
        ORDER BY environment NULLS LAST, expires_at, id`,
      [tenantId],
    );
    return { balance: sumRemaining(lots), sandboxOnly: countSandboxOnly(lots), lots };
  }

  readStatement(tenantId: string, entriesMax: number): Promise<CreditEntry[]> {
    return this.dataSource.manager.find(CreditEntry, {
      where: { tenantId },
      order: { sequence: 'DESC' },
      take: entriesMax,
    });
  }
}

function computeExpiry({ credits, lastDay }: Grant, now: Date): Date {
  if (!Number.isInteger(credits) || credits < 1 || credits > GRANT_CREDITS_MAX) {
    throw new OperatorError(`--credits must be a whole number from 1 to ${GRANT_CREDITS_MAX}`);
  }
  const day = lastDay ?? computeDefaultLastDay(now);
  const problem = findLastDayProblem(day, now);
  if (problem !== null) throw new OperatorError(`--expires-at ${problem}`);
  return computeMalaysianDayEnd(day);
}

// The first grant creates the account. Its lock protects the lots, as in charge_credits.
async function lockAccount(tx: EntityManager, tenantId: string): Promise<{ balance: number; now: Date }> {
  await tx.query(
    `INSERT INTO credit_account (tenant_id, balance, entry_sequence)
     SELECT tenant_id, 0, 0 FROM tenant WHERE tenant_id = $1 ON CONFLICT DO NOTHING`,
    [tenantId],
  );
  const locked = await tx.query<unknown[]>('SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
  if (locked.length === 0) throw new OperatorError(`There is no tenant ${tenantId}`);
  const [account] = await tx.query<{ balance: number; now: Date }[]>(
    'SELECT balance, service_now() AS now FROM sweep_expired_lots($1, service_now())',
    [tenantId],
  );
  return account;
}
