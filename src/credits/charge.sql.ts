/** What CHARGE_ACCOUNT answers; no row at all means that the tenant has no account. */
export interface ChargeOutcome {
  /** False: nothing was done, since the account changed before its lock was got; run it again. */
  readonly is_current: boolean;
  /** Credits that had not expired before the charge; fewer than asked for means that nothing was done. */
  readonly spendable: number;
}

/**
 * Lock, sweep, debit and entries in one statement, the hottest of the service.
 * $1 tenant, $2 credits, $3 environment, $4 kind, $5 cause, $6 now.
 *
 * A statement sees the lots as they were when it began, also when it then waits for the account's lock: only the locked
 * row itself is read anew after the wait. Spending from such old lots would spend them twice. So the statement compares
 * the account under the lock (`locked`) with the account as it began (`begun`). Whoever changes a lot holds the lock and
 * moves `entry_sequence`, so equal sequences prove that the lots are the current ones too; else nothing happens, and
 * the caller runs it again, now with the lock in hand. One round trip when nobody else charges this tenant, two when
 * somebody does: the least that lock-then-read can do.
 *
 * The lots need no lock of their own for the same reason: the account's is taken before any of them is touched.
 */
export const CHARGE_ACCOUNT = /* sql */ `
WITH locked AS MATERIALIZED (
  SELECT balance, entry_sequence FROM credit_account WHERE tenant_id = $1 FOR UPDATE
), begun AS (
  SELECT entry_sequence FROM credit_account WHERE tenant_id = $1
), account AS MATERIALIZED (
  SELECT locked.* FROM locked JOIN begun USING (entry_sequence)
), lot AS MATERIALIZED (
  SELECT id, remaining, expires_at <= $6::timestamptz AS is_expired,
         row_number() OVER earliest AS position,
         sum(remaining) OVER earliest AS through_here
    FROM credit_lot
   WHERE tenant_id = $1 AND remaining > 0 AND EXISTS (SELECT FROM account)
  WINDOW earliest AS (ORDER BY expires_at, id ROWS UNBOUNDED PRECEDING)
), figures AS MATERIALIZED (
  SELECT coalesce(sum(remaining) FILTER (WHERE is_expired), 0)::integer AS expired,
         coalesce(sum(remaining) FILTER (WHERE NOT is_expired), 0)::integer AS spendable,
         count(*) FILTER (WHERE is_expired)::integer AS expired_lots
    FROM lot
), paid AS MATERIALIZED (
  SELECT account.balance, account.entry_sequence, figures.expired, figures.expired_lots
    FROM account, figures WHERE figures.spendable >= $2::integer
), taken AS (
  -- Expired lots come first in the order, so what a lot keeps is what lies beyond the expired and the charged credits.
  UPDATE credit_lot
     SET remaining = least(lot.remaining, greatest(0, lot.through_here - paid.expired - $2::integer))
    FROM lot, paid
   WHERE credit_lot.tenant_id = $1 AND credit_lot.id = lot.id
     AND lot.through_here - lot.remaining < paid.expired + $2::integer
), appended AS (
  INSERT INTO credit_entry
    (tenant_id, sequence, kind, amount, balance_after, environment, cause_id, created_at)
  SELECT $1, paid.entry_sequence + lot.position, 'expire', -lot.remaining, paid.balance - lot.through_here, NULL, lot.id,
         $6::timestamptz
    FROM lot, paid WHERE lot.is_expired
  UNION ALL
  SELECT $1, entry_sequence + expired_lots + 1, $4, -$2::integer, balance - expired - $2::integer, $3, $5::uuid,
         $6::timestamptz
    FROM paid
), updated AS (
  UPDATE credit_account
     SET balance = paid.balance - paid.expired - $2::integer, entry_sequence = paid.entry_sequence + paid.expired_lots + 1
    FROM paid
   WHERE credit_account.tenant_id = $1
)
SELECT EXISTS (SELECT FROM account) AS is_current, figures.spendable FROM locked, figures
`;
