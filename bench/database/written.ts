import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';

/** Start of the interval in which a run writes. */
export interface Mark {
  /** Lower bound of all later ids. */
  readonly id: string;
  readonly at: Date;
  /** Database transaction id. Rows written later have a greater id. */
  readonly databaseTransaction: string;
}

// Ids contain the database time that the API last read, which lags by the duration of the read. Without a gap, a batch
// of a run could get an id from before the run and would not be counted.
const MARK_GAP_MS = 250;

export async function mark(superuser: Client): Promise<Mark> {
  const { rows } = await superuser.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  await wait(MARK_GAP_MS);
  const at = new Date();
  const id = uuidv7({ msecs: at.getTime(), random: new Uint8Array(16), seq: 0 });
  await wait(MARK_GAP_MS);
  return { id, at, databaseTransaction: rows[0].id };
}

/** Expected result of accepting. */
export interface Written {
  readonly batches: number;
  readonly documents: number;
}

interface Counted {
  readonly batches: number;
  readonly batch_documents: number;
  readonly documents: number;
  readonly transactions: number;
  readonly entries: number;
  readonly entry_credits: number;
  readonly balance_gap: number;
  readonly records: number;
  readonly unnamed_buyers: number;
}

// Ids are compared per tenant, so that the primary keys can be used.
const COUNT = /* sql */ `
SELECT (SELECT count(*)::integer FROM submission_batch WHERE tenant_id = ANY ($1) AND id >= $2) AS batches,
       (SELECT coalesce(sum(document_count), 0)::integer FROM submission_batch
         WHERE tenant_id = ANY ($1) AND id >= $2) AS batch_documents,
       (SELECT count(*)::integer FROM document WHERE tenant_id = ANY ($1) AND id >= $2) AS documents,
       t.transactions, e.entries, e.entry_credits,
       (SELECT coalesce(sum(abs(a.balance - l.remaining)), 0)::integer
          FROM credit_account a JOIN credit_lot l USING (tenant_id)) AS balance_gap,
       (SELECT count(*)::integer FROM idempotency_record WHERE created_at >= $3) AS records,
       (SELECT count(*)::integer FROM document_transaction t
         WHERE t.tenant_id = ANY ($1) AND t.id >= $2 AND t.payload#>>'{recipient,name}' IS NOT NULL
           AND NOT EXISTS (
             SELECT FROM buyer b JOIN buyer_word w USING (tenant_id, environment, tin)
              WHERE b.tenant_id = t.tenant_id AND b.environment = t.environment AND b.tin = t.buyer_tin
                AND b.name = t.payload#>>'{recipient,name}'
                AND w.word = upper(split_part(b.name, ' ', 1) COLLATE "C"))) AS unnamed_buyers
  FROM (SELECT count(*)::integer AS transactions
          FROM document_transaction WHERE tenant_id = ANY ($1) AND id >= $2 AND submission_status = 'Queued') AS t,
       (SELECT count(*)::integer AS entries, coalesce(sum(-amount), 0)::integer AS entry_credits
          FROM credit_entry WHERE tenant_id = ANY ($1) AND kind = 'submit' AND cause_id >= $2) AS e`;

/**
 * Compares the reported number of rows with the stored rows, so that a fast but wrong run cannot win.
 * @throws Error that lists the stored and expected counts
 */
export async function checkWritten(
  superuser: Client,
  { tenantIds, since, expected }: { tenantIds: readonly string[]; since: Mark; expected: Written },
): Promise<void> {
  const { rows } = await superuser.query<Counted>(COUNT, [tenantIds, since.id, since.at]);
  const [found] = rows;
  const wanted: Partial<Counted> = {
    batches: expected.batches,
    batch_documents: expected.documents,
    documents: expected.documents,
    transactions: expected.documents,
    entries: expected.batches,
    entry_credits: expected.documents,
    balance_gap: 0,
    records: expected.batches,
    unnamed_buyers: 0,
  };
  const differences = Object.entries(wanted).filter(([name, value]) => found[name as keyof Counted] !== value);
  if (differences.length > 0) {
    throw new Error(`Written ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`);
  }
}

const REMOVE = [
  `DELETE FROM document_transaction WHERE tenant_id = ANY ($1) AND id >= $2`,
  `DELETE FROM document WHERE tenant_id = ANY ($1) AND id >= $2`,
  `DELETE FROM submission_batch WHERE tenant_id = ANY ($1) AND id >= $2`,
  `WITH removed AS (
     DELETE FROM credit_entry WHERE tenant_id = ANY ($1) AND kind = 'submit' AND cause_id >= $2
     RETURNING tenant_id, amount),
   charged AS (SELECT tenant_id, sum(amount) AS amount, count(*) AS entries FROM removed GROUP BY tenant_id),
   lot AS (UPDATE credit_lot l SET remaining = l.remaining - charged.amount
             FROM charged WHERE l.tenant_id = charged.tenant_id)
   UPDATE credit_account a SET balance = a.balance - charged.amount, entry_sequence = a.entry_sequence - charged.entries
     FROM charged WHERE a.tenant_id = charged.tenant_id`,
] as const;

// Buyers have neither a timestamp nor an ordered id. The statement scans the whole table, which is fast enough here.
const REMOVE_BUYERS = ['buyer', 'buyer_word'].map((table) => `DELETE FROM ${table} WHERE xmin::text::bigint > $1`);

const WRITTEN_TABLES =
  'document_transaction, document, submission_batch, buyer, buyer_word, credit_entry, credit_lot, credit_account, ' +
  'idempotency_record';

/** Deletes the rows of a run, so that every run starts with the same number of stored documents. */
export async function removeWritten(superuser: Client, tenantIds: readonly string[], since: Mark): Promise<void> {
  // Disables foreign key checks and the triggers that forbid deleting entries.
  await superuser.query(`SET session_replication_role = replica`);
  for (const statement of REMOVE) await superuser.query(statement, [tenantIds, since.id]);
  for (const statement of REMOVE_BUYERS) await superuser.query(statement, [since.databaseTransaction]);
  await superuser.query(`DELETE FROM idempotency_record WHERE created_at >= $1`, [since.at]);
  await superuser.query(`VACUUM (ANALYZE) ${WRITTEN_TABLES}`);
}
