import type { EntityManager } from 'typeorm';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readListRequest } from '../../src/dashboard-api/transactions/list-query.js';
import { countStatuses, searchPage } from '../../src/dashboard-api/transactions/search.js';
import { LOOKED_MAX } from '../../src/dashboard-api/transactions/search.sql.js';
import { startFileService } from '../support/file-service.js';
import { countPlanReads } from '../support/plan-reads.js';
import { insertTenant } from '../support/tenants.js';

const service = await startFileService();

// Ten times the number of documents that one page may check.
const DOCUMENTS = 20_000;
const AT_ONCE = 4_000;
/** Maximum reads of an index: for the walk, its attempts, and one row per range of the list. */
const READ_MAX = 2 * LOOKED_MAX + 14;

let tenantId: string;
let client: pg.Client;
beforeAll(async () => {
  ({ tenantId } = await insertTenant(service.owner));
  for (let from = 1; from <= DOCUMENTS; from += AT_ONCE) await insert(from);
  // Uses generic plans, as the API does, and disables sequential scans.
  client = new pg.Client({
    connectionString: service.database.appUrl,
    options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off',
  });
  await client.connect();
});
afterAll(() => client.end());

/** Inserts documents with repeated amounts and dates. One quarter is Invalid, and all buyers share a word. */
async function insert(from: number): Promise<void> {
  await service.owner.query(
    `WITH made AS MATERIALIZED (
       SELECT n, (lpad(to_hex(1780000000000 + n), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid AS id,
              'N-' || n AS number, 'C' || 1000 + n % 500 AS tin, 'Kedai B' || n % 500 AS name,
              date '2026-01-01' + n % 20 AS day, n % 1000 AS sen,
              CASE n % 4 WHEN 0 THEN 'Invalid' ELSE 'Valid' END AS status
         FROM generate_series($2::integer, $2::integer + ${AT_ONCE - 1}) AS n),
     batch AS (
       INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, created_at)
       SELECT $1, id, 'sandbox', 'non-consolidated', 1, service_now() FROM made),
     doc AS (
       INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts,
                             number_key, document_date, payable_sen, created_at)
       SELECT $1, id, 'sandbox', 'invoice', number, id, 1, number, day, sen, service_now() FROM made),
     sold AS (
       INSERT INTO buyer (tenant_id, environment, tin, name, name_key)
       SELECT DISTINCT $1::uuid, 'sandbox', tin, name, upper(name) FROM made ON CONFLICT DO NOTHING),
     words AS (
       INSERT INTO buyer_word (tenant_id, environment, word, tin)
       SELECT DISTINCT $1::uuid, 'sandbox', word, tin FROM made, string_to_table(upper(name), ' ') AS word
       ON CONFLICT DO NOTHING)
     INSERT INTO document_transaction
       (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
        payload, totals, buyer_tin, on_behalf_of, submission_status, authority_status, wire_bytes_max, due_at, created_at,
        updated_at)
     SELECT $1, id, 'sandbox', id, id, 0, 1, 'invoice', number,
            jsonb_build_object('documentDate', day, 'recipient', jsonb_build_object('name', name)),
            jsonb_build_object('totalPayableAmount', sen / 100.0), tin, 'C1', 'Submitted', status,
            1, service_now(), service_now(), service_now()
       FROM made`,
    [tenantId, from],
  );
  await service.owner.query('ANALYZE document, document_transaction, buyer, buyer_word');
}

interface StatementReads {
  readonly text: string;
  readonly reads: ReadonlyMap<string, number>;
}

/** Runs a use case and counts the rows read by each statement. */
async function record<Result>(
  run: (tx: EntityManager) => Promise<Result>,
): Promise<{ result: Result; statements: StatementReads[] }> {
  const statements: StatementReads[] = [];
  const query = async (text: string, parameters: unknown[]): Promise<unknown> => {
    statements.push({ text, reads: await countPlanReads(client, { tenantId, text, parameters }) });
    await client.query('BEGIN');
    await client.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenantId]);
    const { rows } = await client.query(text, parameters);
    await client.query('COMMIT');
    return rows;
  };
  const result = await run({ query } as unknown as EntityManager);
  return { result, statements };
}

function expectBounded(statements: readonly StatementReads[]): void {
  expect(statements.length).toBeGreaterThan(0);
  for (const { text, reads } of statements) {
    for (const [index, rows] of reads) {
      expect(rows, `${index} in ${text}`).toBeLessThanOrEqual(READ_MAX);
    }
  }
}

it.each([
  'q=n-77',
  'q=n-',
  'q=N-19999',
  'q=C1007',
  'q=C1',
  'q=B17',
  'q=kedai',
  'q=kedai b499',
  'q=RM 1.23',
  'q=RM 1 - 9',
  'q=RM 999',
  'q=01a1fc06-aaf7-7598-a650-5bdb926736ac',
  'q=n-&status=Cancelled',
  'sort=date',
  'sort=-date',
  'sort=amount',
  'sort=-amount',
  'sort=amount&status=Cancelled',
  'sort=-date&type=credit_note',
  'q=kedai&sort=amount&status=Invalid',
  'dated_from=2026-01-03&dated_to=2026-01-03',
  'dated_from=2026-01-03&dated_to=2026-01-03&sort=amount',
  'dated_from=2027-01-01&sort=-accepted',
  'error=unknown',
  'error=unknown&sort=amount',
  'dated_from=2026-01-01&status=Cancelled&sort=-accepted',
])('document search reads a bounded number of index rows for %s', async (query) => {
  const filter = readListRequest(Object.fromEntries(new URLSearchParams(query)));
  const caller = { tenantId, environment: 'sandbox' } as const;
  const page = await record((tx) => searchPage(tx, caller, { filter, page: { limit: 50, after: null } }));
  expectBounded(page.statements);
  const counts = await record((tx) => countStatuses(tx, caller, filter));
  expectBounded(counts.statements);
});

it('document search without results continues to the end of the list', async () => {
  const caller = { tenantId, environment: 'sandbox' } as const;
  const filter = readListRequest({ q: 'kedai', status: 'Cancelled', sort: 'amount' });
  let pages = 0;
  for (let after: string | null = null, isLast = false; !isLast; pages += 1) {
    const page: { limit: number; after: string | null } = { limit: 50, after };
    const { result } = await record((tx) => searchPage(tx, caller, { filter, page }));
    expect(result.items).toEqual([]);
    isLast = result.next === null;
    after = result.next === null ? null : Buffer.from(result.next, 'base64url').toString();
  }
  expect(pages).toBe(DOCUMENTS / LOOKED_MAX + 1);
});

it('document search limits the count of each index range', async () => {
  const caller = { tenantId, environment: 'sandbox' } as const;
  const { result, statements } = await record((tx) => countStatuses(tx, caller, readListRequest({})));
  expect(result.filter(({ documents }) => documents > 0)).toEqual([
    { status: 'Valid', documents: 1_000, hasMore: true },
    { status: 'Invalid', documents: 1_000, hasMore: true },
  ]);
  expectBounded(statements);
});
