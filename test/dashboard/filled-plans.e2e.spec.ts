import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBatches } from '../../src/dashboard-api/batches/batches.service.js';
import type { SubmitterFilter } from '../../src/dashboard-api/parameters.js';
import { computeIdRange } from '../../src/dashboard-api/days.js';
import { FIND_BY, SCANNED_MAX } from '../../src/dashboard-api/transactions/transaction-list.sql.js';
import { COUNT_CREDITS, COUNT_DAYS, READ_WAITING } from '../../src/dashboard-api/overview/overview.service.js';
import { dataSourceOptions } from '../../src/database/data-source.js';
import { startFileService } from '../support/file-service.js';
import { countPlanReads } from '../support/plan-reads.js';
import { insertTenant } from '../support/tenants.js';

const service = await startFileService();

// Exceeds the rows that one page may check. Keys and users alternate, which would reveal a full scan.
const BATCHES = 30_000;
// Prevents statement timeouts on a busy machine.
const AT_ONCE = 3_000;
const LIMIT = 51;
const KEY = '00000000-0000-4000-8000-00000000000a';
const USER = '00000000-0000-4000-8000-00000000000b';
const { first, end } = computeIdRange({ from: null, to: null }, null);

let tenantId: string;
let client: pg.Client;
let middle: string;
beforeAll(async () => {
  ({ tenantId } = await insertTenant(service.owner));
  for (let from = 1; from <= BATCHES; from += AT_ONCE) await insert(from);
  await service.owner.query('ANALYZE submission_batch, document_transaction, document_cancellation');
  [{ id: middle }] = await service.owner.query<{ id: string }[]>(
    'SELECT id FROM submission_batch WHERE tenant_id = $1 ORDER BY id OFFSET $2 LIMIT 1',
    [tenantId, BATCHES / 2],
  );
  const url = service.database.appUrl;
  const { options } = dataSourceOptions({ url, poolSize: 1, applicationName: 'plans' }).extra as { options: string };
  client = new pg.Client({ connectionString: url, options });
  await client.connect();
});
afterAll(() => client.end());

/** Inserts batches of one document each. One third is in production and one third is cancelled. */
async function insert(from: number): Promise<void> {
  await service.owner.query(
    `WITH made AS MATERIALIZED (
       SELECT n, (lpad(to_hex(1780000000000 + n), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid AS id
         FROM generate_series($2::integer, $2::integer + ${AT_ONCE - 1}) AS n),
     batch AS (
       INSERT INTO submission_batch
         (tenant_id, id, environment, submission_type, document_count, api_key_id, user_id, created_at)
       SELECT $1, id, CASE n % 3 WHEN 1 THEN 'production' ELSE 'sandbox' END, 'non-consolidated', 1, CASE n % 2 WHEN 0 THEN $3::uuid END,
              CASE n % 2 WHEN 1 THEN $4::uuid END, service_now() FROM made),
     cancellation AS (
       INSERT INTO document_cancellation
         (tenant_id, id, environment, document_id, transaction_id, reason, status, deadline_at, due_at, created_at, updated_at)
       SELECT $1, id, 'sandbox', id, id, '', 'Completed', service_now(), service_now(), service_now(), service_now()
         FROM made WHERE n % 3 = 0),
     doc AS (
       INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
       SELECT $1, id, 'sandbox', 'invoice', 'N-' || n, id, 1, service_now() FROM made)
     INSERT INTO document_transaction
       (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
        payload, totals, buyer_tin, on_behalf_of, submission_status, authority_status, wire_bytes_max, due_at, created_at,
        updated_at)
     SELECT $1, id, 'sandbox', id, id, 0, 1, 'invoice', 'N-' || n, '{}', '{}', 'EI00000000010', 'C1', 'Submitted', 'Valid',
            1, service_now(), service_now(), service_now()
       FROM made`,
    [tenantId, from, KEY, USER],
  );
}

/** Counts the rows read per index under the API's database role. */
function countReads(text: string, parameters: readonly unknown[]): Promise<Map<string, number>> {
  return countPlanReads(client, { tenantId, text, parameters });
}

describe.each([
  ['key', KEY],
  ['user', USER],
] as const)('submission list of a %s', (kind, id) => {
  it.each(['first', 'middle'] as const)('reads a bounded number of attempts for the %s page', async (page) => {
    const after = page === 'first' ? null : middle;
    // Without an Invalid attempt, the query checks the maximum number of attempts.
    const wanted = [['invoice', 'credit_note'], ['Invalid'], first, end, LIMIT, id, after, false];
    const reads = await countReads(FIND_BY[kind], [tenantId, 'sandbox', ...wanted]);
    expect([...reads.keys()]).toContain(`ix_submission_batch_${kind}`);
    for (const [index, rows] of reads) expect([index, rows <= SCANNED_MAX]).toEqual([index, true]);
  });

  it('reads only one page of batches', async () => {
    const by: SubmitterFilter = { kind, id };
    const { text, further } = readBatches(by);
    const reads = await countReads(text, [tenantId, 'sandbox', first, end, LIMIT, ...further]);
    expect(reads.get(`ix_submission_batch_${kind}`)).toBe(LIMIT);
    for (const [index, rows] of reads) expect([index, rows <= LIMIT]).toEqual([index, true]);
  });
});

it('waiting documents are counted without reading finished ones', async () => {
  // Uses the generic plan, as prepared statements in the API do.
  await client.query(`PREPARE waiting AS ${READ_WAITING}`);
  const values = [tenantId, 'sandbox', end].map((value) => pg.escapeLiteral(value)).join(', ');
  const reads = await countReads(`EXECUTE waiting (${values})`, []);
  expect([...reads.keys()]).toContain('ix_document_transaction_list');
  for (const [index, rows] of reads) expect([index, rows]).toEqual([index, 0]);
});

it('daily credits are counted by id range', async () => {
  const rows = await service.owner.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN (GENERIC_PLAN) ${COUNT_CREDITS}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  const reads = plan.matchAll(/(?:Scan using|Bitmap Index Scan on|Seq Scan on) (\w+)/g);
  expect([...new Set([...reads].map(([, name]) => name))].toSorted()).toEqual([
    'ix_submission_batch_list',
    'pk_document_cancellation',
  ]);
  expect(plan.match(/Index Cond: .*id >= day.first/g)).toHaveLength(2);
});

it('daily attempts are counted from the index of the list', async () => {
  await service.owner.query('VACUUM (ANALYZE) document_transaction');
  const rows = await service.owner.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN (GENERIC_PLAN) ${COUNT_DAYS}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  // The query must read the counts only once.
  expect(
    plan.match(/Index Only Scan using ix_document_transaction_list .*\n +Index Cond: .*id >= day.first/g),
  ).toHaveLength(1);
});
