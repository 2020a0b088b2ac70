import type { DataSource } from 'typeorm';
import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { CreditsService } from '../../src/credits/credits.service.js';
import { BatchesService } from '../../src/dashboard-api/batches/batches.service.js';
import { PAGE_ROWS, type PageRequest } from '../../src/dashboard-api/cursor.js';
import { NeedsActionService } from '../../src/dashboard-api/needs-action/needs-action.service.js';
import { OverviewService } from '../../src/dashboard-api/overview/overview.service.js';
import { readListRequest } from '../../src/dashboard-api/transactions/list-query.js';
import { TransactionListService } from '../../src/dashboard-api/transactions/transaction-list.service.js';
import { createDataSource } from '../../src/database/data-source.js';
import { TenantTransactions } from '../../src/database/in-tenant.js';
import { fill } from '../database/fill.js';
import type { BenchServer } from '../database/server.js';
import { createTenants } from '../database/tenants.js';
import { median, percentile } from './statistics.js';

/** Number of documents stored for the reference, which is the first page without a filter. */
const REFERENCE_DOCUMENTS = 1_000;
const ROUNDS = 120;
const WARM_UP_ROUNDS = 20;
const OVERVIEW_DAYS = 90;

export interface ListFigures {
  readonly documents: number;
  readonly referenceMs: number;
  readonly overviewMs: number;
  readonly pages: readonly PageFigures[];
}

interface PageFigures {
  /** Filters as a query string. */
  readonly list: string;
  readonly page: PageName;
  readonly milliseconds: number;
  /** Ratio of the median of the page to the median of the reference. Both are measured alternately. */
  readonly ratio: number;
  readonly p95Ratio: number;
  /** Tables with a sequential scan in the plan. Must be empty. */
  readonly scanned: readonly string[];
  readonly looksFar: boolean;
}

type PageName = 'first' | 'middle' | 'last';

interface Reading {
  readonly list: string;
  readonly page: PageName;
  /** Whether the search reads up to 2,000 rows because it matches many documents or uses a different order. */
  readonly looksFar: boolean;
  readonly read: () => Promise<unknown>;
}

/** Database of one organisation, read through the dashboard's code. */
interface Site {
  readonly source: DataSource;
  /** Statements that were executed since the set was last cleared. */
  readonly statements: Set<string>;
  readonly listPages: (query: string, page: PageRequest) => Promise<unknown>;
  readonly countStatuses: (query: string) => Promise<unknown>;
  readonly listBatches: (page: PageRequest) => Promise<unknown>;
  readonly readNeedsAction: () => Promise<unknown>;
  readonly readOverview: () => Promise<unknown>;
  readonly query: <Row extends object>(text: string) => Promise<Row[]>;
}

/** Measures the dashboard's lists with many documents of one organisation against the reference. */
export async function measureDashboardList(
  server: BenchServer,
  { documents, progress }: { documents: number; progress: (text: string) => void },
): Promise<ListFigures> {
  const small = await openSite(server, REFERENCE_DOCUMENTS);
  const large = await openSite(server, documents);
  progress(`${documents} documents of one organisation stored`);
  try {
    const readings = [...(await listReadings(large)), ...(await searchReadings(large))];
    const firstPage = { limit: PAGE_ROWS, after: null };
    const times = await measureTimes(readings, () => small.listPages('', firstPage), progress);
    const pages: PageFigures[] = [];
    for (const [index, { read, ...reading }] of readings.entries()) {
      const { page, reference } = times[index];
      pages.push({
        ...reading,
        milliseconds: median(page),
        ratio: median(page) / median(reference),
        p95Ratio: percentile(page, 0.95) / percentile(reference, 0.95),
        scanned: await findScannedTables(large, read),
      });
    }
    const overview: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) overview.push(await measureTime(large.readOverview));
    const referenceMs = median(times.flatMap(({ reference }) => reference));
    return { documents, referenceMs, overviewMs: median(overview.slice(WARM_UP_ROUNDS)), pages };
  } finally {
    await Promise.all([small, large].map(({ source }) => source.destroy()));
  }
}

async function openSite(server: BenchServer, documents: number): Promise<Site> {
  const { superuser, appUrl } = await server.createDatabase(`list_${documents}`);
  const [tenant] = await createTenants(superuser);
  await fill(superuser, [tenant], documents);
  const source = await createDataSource({ url: appUrl, poolSize: 1, applicationName: 'bench-list' }).initialize();
  const statements = new Set<string>();
  source.logger.logQuery = (text) => void statements.add(text);
  const transactions = new TenantTransactions(source);
  const lists = new TransactionListService(transactions);
  const caller = { tenantId: tenant.tenantId, environment: 'sandbox' } as const;
  const parse = (query: string) => readListRequest(Object.fromEntries(new URLSearchParams(query)));
  return {
    source,
    statements,
    listPages: (query, page) => lists.list(caller, parse(query), page),
    countStatuses: (query) => lists.count(caller, parse(query)),
    listBatches: (page) => new BatchesService(transactions).list(caller, { from: null, to: null, by: null }, page),
    readNeedsAction: () => new NeedsActionService(transactions).read(caller),
    readOverview: () => new OverviewService(transactions, new CreditsService()).read(caller, OVERVIEW_DAYS),
    query: async <Row extends object>(text: string) => (await superuser.query<Row>(text, [tenant.tenantId])).rows,
  };
}

interface Times {
  readonly page: number[];
  readonly reference: number[];
}

/**
 * Measures each page and the reference alternately. Their order changes in each round, so that other load on the
 * machine affects both.
 */
async function measureTimes(
  readings: readonly Reading[],
  readReference: () => Promise<unknown>,
  progress: (text: string) => void,
): Promise<readonly Times[]> {
  const times = readings.map((): Times => ({ page: [], reference: [] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % 10 === 0) progress(`round ${round + 1} of ${ROUNDS}`);
    for (const [index, { read }] of readings.entries()) {
      const isPageFirst = round % 2 === 0;
      const first = await measureTime(isPageFirst ? read : readReference);
      const second = await measureTime(isPageFirst ? readReference : read);
      // Ignores the first rounds, in which caches are cold and statements are unprepared.
      if (round < WARM_UP_ROUNDS) continue;
      times[index].page.push(isPageFirst ? first : second);
      times[index].reference.push(isPageFirst ? second : first);
    }
  }
  return times;
}

async function measureTime(read: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await read();
  return performance.now() - startedAt;
}

async function findScannedTables({ source, statements }: Site, read: () => Promise<unknown>): Promise<string[]> {
  statements.clear();
  await read();
  const plans: { 'QUERY PLAN': string }[] = [];
  for (const text of [...statements].filter((one) => /^\s*(?:SELECT|WITH)\b/.test(one))) {
    // data-source.ts forces generic plans, so this is the plan that is executed.
    plans.push(...(await source.query<typeof plans>(`EXPLAIN (GENERIC_PLAN) ${text}`)));
  }
  if (plans.length === 0) throw new Error('The page was read without a statement');
  return plans.flatMap((row) => /Seq Scan on (\w+)/.exec(row['QUERY PLAN'])?.[1] ?? []);
}

/** Lists pages for each filter and for combinations of filters. */
async function listReadings(site: Site): Promise<Reading[]> {
  const [{ reference, batch, day }] = await site.query<{ reference: string; batch: string; day: Date }>(
    `SELECT t.reference_id AS reference, t.submission_batch_id AS batch, t.created_at AS day
       FROM document_transaction t JOIN submission_batch b ON b.tenant_id = t.tenant_id AND b.id = t.submission_batch_id
      WHERE t.tenant_id = $1 AND b.document_count = 100 ORDER BY md5(t.id::text) LIMIT 1`,
  );
  const to = toMalaysianDate(day);
  const month = `from=${toMalaysianDate(new Date(day.getTime() - 30 * 86_400_000))}&to=${to}`;
  const lists = [
    '',
    'type=invoice',
    'type=credit_note',
    'status=Valid',
    'status=Invalid',
    'status=Queued',
    'status=Cancelled',
    'type=credit_note&status=Invalid',
    `from=${to}`,
    `to=${to}`,
    month,
    `${month}&status=Cancelled`,
    `${month}&type=credit_note&status=Invalid`,
    `reference=${reference}`,
    'reference=UNUSED-NUMBER',
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
  const common = { looksFar: false };
  const rows = await findPages(site, 'document_transaction');
  const batches = await findPages(site, 'submission_batch');
  return [
    ...lists.flatMap((list) =>
      rows.map(([page, request]) => ({ ...common, list, page, read: () => site.listPages(list, request) })),
    ),
    ...batches.map(([page, request]) => ({
      ...common,
      list: '(batches)',
      page,
      read: () => site.listBatches(request),
    })),
    { ...common, list: '(needs action)', page: 'first', read: site.readNeedsAction },
  ];
}

/** Lists the first pages of searches for each condition and order, and the status counts. */
async function searchReadings(site: Site): Promise<Reading[]> {
  const [some] = await site.query<{ number: string; tin: string; uuid: string; sen: string; day: string }>(
    `SELECT t.reference_id AS number, t.buyer_tin AS tin, t.authority_uuid AS uuid, d.payable_sen AS sen,
            d.document_date::text AS day
       FROM document_transaction t JOIN document d ON d.tenant_id = t.tenant_id AND d.id = t.document_id
      WHERE t.tenant_id = $1 AND t.buyer_tin <> 'EI00000000010' ORDER BY md5(t.id::text) LIMIT 1`,
  );
  const month = `dated_from=${some.day.slice(0, 7)}-01&dated_to=${some.day}`;
  const near = [
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
  const request = { limit: PAGE_ROWS, after: null };
  const searches = [...near, ...far].map((list): Reading => ({
    list,
    page: 'first',
    looksFar: far.includes(list),
    read: () => site.listPages(list, request),
  }));
  const counts = ['', `q=${some.tin}`, 'q=pembeli'].map((list): Reading => ({
    list: `(counts) ${list}`,
    page: 'first',
    looksFar: true,
    read: () => site.countStatuses(list),
  }));
  return [...searches, ...counts];
}

/** Returns requests for the first page of the unfiltered list, and for pages in its middle and at its end. */
async function findPages(site: Site, table: string): Promise<(readonly [PageName, PageRequest])[]> {
  const [{ middle, last }] = await site.query<{ middle: string; last: string }>(
    `SELECT ids[cardinality(ids) / 2] AS middle, ids[cardinality(ids) - ${PAGE_ROWS}] AS last
       FROM (SELECT array_agg(id ORDER BY id DESC) AS ids FROM ${table} WHERE tenant_id = $1) AS one`,
  );
  return (
    [
      ['first', null],
      ['middle', middle],
      ['last', last],
    ] as const
  ).map(([page, after]) => [page, { limit: PAGE_ROWS, after }] as const);
}
