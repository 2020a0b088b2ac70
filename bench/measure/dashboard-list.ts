import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import type { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { readBatches } from '../../src/dashboard-api/batches/batches.service.js';
import { computeIdRange } from '../../src/dashboard-api/days.js';
import {
  COUNTED_MAX,
  EXAMPLES_MAX,
  COUNT_FAILED,
  READ_CAUSES,
} from '../../src/dashboard-api/needs-action/needs-action.service.js';
import { type ListRequest, readListRequest } from '../../src/dashboard-api/transactions/list-query.js';
import { countStatuses, searchPage } from '../../src/dashboard-api/transactions/search.js';
import { COUNT_RANGES, COUNT_SET, SET_PAGES, SETS, WALKS } from '../../src/dashboard-api/transactions/search.sql.js';
import { buildPageStatement, type Statement } from '../../src/dashboard-api/transactions/transaction-list.sql.js';
import { PAGE_ROWS } from '../../src/dashboard-api/cursor.js';
import { TenantTransactions } from '../../src/database/in-tenant.js';
import { fill } from '../database/fill.js';
import type { BenchDatabase, BenchServer } from '../database/server.js';
import { createTenants } from '../database/tenants.js';
import { measureOverview } from './overview.js';
import { median, percentile } from './statistics.js';

/** Stored documents of the reference, which is the first page without a filter. */
const REFERENCE_DOCUMENTS = 1_000;

const ROUNDS = 120;
const WARM_UP_ROUNDS = 20;

export interface ListFigures {
  readonly documents: number;
  /** Duration of the reference, including its database transaction. */
  readonly referenceMs: number;
  /** Duration of the overview of 90 days after a warm-up. */
  readonly overviewMs: number;
  readonly pages: readonly PageFigures[];
}

export interface PageFigures {
  /** Filters as a query string. */
  readonly list: string;
  readonly page: 'first' | 'middle' | 'last';
  readonly milliseconds: number;
  /** Ratio of the medians of the page and of the reference, which are measured alternately. */
  readonly ratio: number;
  /** Ratio of the 95th percentiles. */
  readonly p95Ratio: number;
  /** Tables with a sequential scan in the plan. Must be empty. */
  readonly scanned: readonly string[];
  /** Whether the search reads up to 2,000 rows, because it matches many documents or sorts them differently. */
  readonly looksFar: boolean;
}

interface Site {
  readonly database: BenchDatabase;
  readonly tenantId: string;
}

interface ListPosition extends PageRead {
  readonly list: string;
  readonly looksFar?: boolean;
  readonly page: PageFigures['page'];
}

interface PageRead {
  readonly read: (tx: EntityManager) => Promise<unknown>;
  readonly statements: readonly string[];
}

/** Measures the dashboard's lists with many documents of one organisation against the reference. */
export async function measureDashboardList(
  server: BenchServer,
  { documents, progress }: { documents: number; progress: (text: string) => void },
): Promise<ListFigures> {
  const small = await openSite(server, REFERENCE_DOCUMENTS);
  const large = await openSite(server, documents);
  progress(`${documents} documents of one organisation stored`);
  const sources = await Promise.all(
    [small, large].map(({ database }) =>
      createDataSource({ url: database.appUrl, poolSize: 1, applicationName: 'bench-list' }).initialize(),
    ),
  );
  const [ofSmall, ofLarge] = sources.map((source) => new TenantTransactions(source));
  try {
    const { tenantId } = small;
    const reference = { transactions: ofSmall, tenantId, ...readStatement(pageStatement(tenantId)) };
    const positions = await listPositions(large);
    const readings = positions.map((position) => ({ ...position, transactions: ofLarge, tenantId: large.tenantId }));
    const times = await measureTimes(readings, reference, progress);
    const pages: PageFigures[] = [];
    for (const [index, { list, page, looksFar = false }] of positions.entries()) {
      const { page: own, reference: others } = times[index];
      const milliseconds = median(own);
      const ratio = milliseconds / median(others);
      const p95Ratio = percentile(own, 0.95) / percentile(others, 0.95);
      pages.push({ list, page, milliseconds, ratio, p95Ratio, scanned: await scannedBy(readings[index]), looksFar });
    }
    const referenceMs = median(times.flatMap((ofPage) => ofPage.reference));
    return { documents, referenceMs, overviewMs: await measureOverview(ofLarge, large.tenantId), pages };
  } finally {
    await Promise.all(sources.map((source) => source.destroy()));
  }
}

async function openSite(server: BenchServer, documents: number): Promise<Site> {
  const database = await server.createDatabase(`list_${documents}`);
  const [tenant] = await createTenants(database.superuser);
  await fill(database.superuser, [tenant], documents);
  return { database, tenantId: tenant.tenantId };
}

interface ListRead extends PageRead {
  readonly transactions: TenantTransactions;
  readonly tenantId: string;
}

interface Times {
  readonly page: number[];
  readonly reference: number[];
}

/**
 * Measures each page and the reference alternately, in milliseconds. They swap their order in each round, so that other
 * load on the machine affects both.
 */
async function measureTimes(
  pages: readonly ListRead[],
  reference: ListRead,
  progress: (text: string) => void,
): Promise<readonly Times[]> {
  const times = pages.map((): Times => ({ page: [], reference: [] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % 10 === 0) progress(`round ${round + 1} of ${ROUNDS}`);
    for (const [index, page] of pages.entries()) {
      const pair = await measurePair(page, reference, round % 2 === 0);
      // In the first rounds, caches are cold and statements are unprepared.
      if (round < WARM_UP_ROUNDS) continue;
      times[index].page.push(pair.page);
      times[index].reference.push(pair.reference);
    }
  }
  return times;
}

async function measurePair(
  page: ListRead,
  reference: ListRead,
  isPageFirst: boolean,
): Promise<Record<keyof Times, number>> {
  if (isPageFirst) return { page: await measureTime(page), reference: await measureTime(reference) };
  return { reference: await measureTime(reference), page: await measureTime(page) };
}

async function measureTime({ transactions, tenantId, read }: ListRead): Promise<number> {
  const startedAt = performance.now();
  await transactions.inTenant({ tenantId }, ({ tx }) => read(tx));
  return performance.now() - startedAt;
}

async function scannedBy({ transactions, tenantId, statements }: ListRead): Promise<string[]> {
  const plans = await transactions.inTenant({ tenantId }, async ({ tx }) => {
    const rows: { 'QUERY PLAN': string }[] = [];
    // data-source.ts forces generic plans, so this plan is the one that is executed.
    for (const text of statements) rows.push(...(await tx.query<typeof rows>(`EXPLAIN (GENERIC_PLAN) ${text}`)));
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  return [...plans.matchAll(/Seq Scan on (\w+)/g)].map(([, table]) => table);
}

function readStatement({ text, parameters }: Statement): PageRead {
  return { read: (tx) => tx.query(text, [...parameters]), statements: [text] };
}

/** All statements of a search. The stored documents determine which of them run. */
const SEARCH_STATEMENTS = [
  ...Object.values(SETS),
  ...Object.values(SET_PAGES),
  ...Object.values(WALKS).flatMap(({ page, end }) => [page, end]),
].map(({ text }) => text);

/** Lists pages for each filter and for combinations of filters. */
async function listPositions({ database, tenantId }: Site): Promise<ListPosition[]> {
  const { superuser } = database;
  const [some] = await queryRows<{ reference_id: string; batch: string; day: Date }>(
    superuser,
    `SELECT t.reference_id, t.submission_batch_id AS batch, t.created_at AS day
       FROM document_transaction t JOIN submission_batch b ON b.tenant_id = t.tenant_id AND b.id = t.submission_batch_id
      WHERE t.tenant_id = $1 AND b.document_count = 100 ORDER BY md5(t.id::text) LIMIT 1`,
    [tenantId],
  );
  const day = toMalaysianDate(some.day);
  const month = `from=${toMalaysianDate(new Date(some.day.getTime() - 30 * 86_400_000))}&to=${day}`;
  const { reference_id: reference, batch } = some;
  const lists = [
    '',
    'type=invoice',
    'type=credit_note',
    'status=Valid',
    'status=Invalid',
    'status=Queued',
    'status=Cancelled',
    'type=credit_note&status=Invalid',
    `from=${day}`,
    `to=${day}`,
    month,
    `${month}&status=Cancelled`,
    `${month}&type=credit_note&status=Invalid`,
    `reference=${reference}`,
    'reference=NOBODY-HAS-THIS',
    `reference=${reference}&status=Valid&${month}`,
    `batch=${batch}`,
    `batch=${batch}&status=Invalid`,
    'status=Waiting',
    'action=needed',
    `action=needed&${month}`,
    'action=dismissed',
    'cause=buyer_tin_invalid:/recipient/tin',
    'cause=never_found',
  ];
  const positions: ListPosition[] = [];
  for (const list of lists) {
    for (const [page, after] of await findCursors(superuser, tenantId, list)) {
      positions.push({ list, page, ...readStatement(pageStatement(tenantId, list, after)) });
    }
  }
  for (const [list, text, parameters] of [
    ['(causes)', READ_CAUSES, [tenantId, 'sandbox', COUNTED_MAX, 5, EXAMPLES_MAX]],
    ['(failures counted)', COUNT_FAILED, [tenantId, 'sandbox', COUNTED_MAX]],
  ] as const) {
    positions.push({ list, page: 'first', ...readStatement({ text, parameters }) });
  }
  positions.push(...(await searchPositions({ database, tenantId })));
  const batches = await queryRows<{ id: string }>(
    superuser,
    `SELECT id FROM submission_batch WHERE tenant_id = $1 ORDER BY id DESC`,
    [tenantId],
  );
  for (const [page, after] of chooseListPositions(batches.map(({ id }) => id))) {
    const { first, end } = computeIdRange({ from: null, to: null }, after);
    const parameters = [tenantId, 'sandbox', first, end, PAGE_ROWS + 1];
    positions.push({ list: '(batches)', page, ...readStatement({ text: readBatches(null).text, parameters }) });
  }
  return positions;
}

/** Lists the first pages of searches with each condition and order, and the status counts. */
async function searchPositions({ database: { superuser }, tenantId }: Site): Promise<ListPosition[]> {
  const [some] = await queryRows<{ number: string; tin: string; uuid: string; sen: string; day: string }>(
    superuser,
    `SELECT t.reference_id AS number, t.buyer_tin AS tin, t.authority_uuid AS uuid, d.payable_sen AS sen,
            d.document_date::text AS day
       FROM document_transaction t JOIN document d ON d.tenant_id = t.tenant_id AND d.id = t.document_id
      WHERE t.tenant_id = $1 AND t.buyer_tin <> 'EI00000000010' ORDER BY md5(t.id::text) LIMIT 1`,
    [tenantId],
  );
  const month = `dated_from=${some.day.slice(0, 7)}-01&dated_to=${some.day}`;
  const found = [
    `q=${some.number.toLowerCase()}`,
    `q=${some.number.slice(0, -4)}`,
    `q=${some.tin}`,
    `q=pembeli ${some.tin.slice(1, 10)}`,
    `q=${some.uuid}`,
    `q=RM ${Number(some.sen) / 100}`,
    'sort=date',
    'sort=-date',
    'sort=amount',
    'sort=-amount',
    month,
    'error=buyer_tin_invalid',
  ];
  const far = [
    'q=INV-',
    `q=${some.tin.slice(0, -2)}`,
    'q=pembeli',
    'q=RM 5000 - 5001',
    `${month}&sort=amount`,
    'status=Invalid&sort=-amount',
    'q=pembeli&status=Cancelled&sort=amount',
  ];
  const caller = { tenantId, environment: 'sandbox' } as const;
  const page = { limit: PAGE_ROWS, after: null };
  const searched = [...found, ...far].map((list): ListPosition => {
    const filter = parseFilter(list);
    const looksFar = far.includes(list);
    const read = (tx: EntityManager): Promise<unknown> => searchPage(tx, caller, { filter, page });
    return { list, page: 'first', read, statements: SEARCH_STATEMENTS, looksFar };
  });
  const counted = ['', `q=${some.tin}`, 'q=pembeli'].map((list): ListPosition => {
    const filter = parseFilter(list);
    const statements = [COUNT_RANGES, COUNT_SET].map(({ text }) => text);
    const read = (tx: EntityManager): Promise<unknown> => countStatuses(tx, caller, filter);
    return { list: `(counts) ${list}`, page: 'first', read, statements, looksFar: true };
  });
  return [...searched, ...counted];
}

function pageStatement(tenantId: string, list = '', after: string | null = null): Statement {
  const filter = parseFilter(list);
  const caller = { tenantId, environment: 'sandbox' } as const;
  return buildPageStatement({ caller, filter, range: computeIdRange(filter, after), limit: PAGE_ROWS + 1 });
}

function parseFilter(list: string): ListRequest {
  return readListRequest(Object.fromEntries(new URLSearchParams(list)));
}

/** Finds the rows before the first, middle and last page, without the measured statements. */
async function findCursors(
  superuser: Client,
  tenantId: string,
  list: string,
): Promise<[PageFigures['page'], string | null][]> {
  const filter = parseFilter(list);
  const { types, statuses, referenceId, submissionBatchId, action, cause } = filter;
  const { first, end } = computeIdRange(filter, null);
  const rows = await queryRows<{ id: string }>(
    superuser,
    `SELECT id FROM document_transaction
      WHERE tenant_id = $1 AND document_type = ANY ($2) AND coalesce(authority_status, submission_status) = ANY ($3)
        AND id >= $4 AND id < $5 AND ($6::text IS NULL OR reference_id = $6)
        AND ($8::text IS NULL OR id IN (
          SELECT transaction_id FROM failed_document
           WHERE tenant_id = $1 AND (dismissed_at IS NULL) = ($8 = 'needed') AND ($9::text IS NULL OR cause = $9)))
        AND ($7::uuid IS NULL OR submission_batch_id = $7)
      ORDER BY id DESC`,
    Object.values({ tenantId, types, statuses, first, end, referenceId, submissionBatchId, action, cause }),
  );
  return chooseListPositions(rows.map(({ id }) => id));
}

function chooseListPositions(ids: readonly string[]): [PageFigures['page'], string | null][] {
  if (ids.length <= PAGE_ROWS) return [['first', null]];
  return [
    ['first', null],
    ['middle', ids[Math.floor(ids.length / 2)]],
    ['last', ids[Math.max(0, ids.length - PAGE_ROWS - 1)]],
  ];
}

async function queryRows<Row extends object>(superuser: Client, text: string, parameters: unknown[]): Promise<Row[]> {
  return (await superuser.query<Row>(text, parameters)).rows;
}
