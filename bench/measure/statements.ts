import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { bodyTemplates, Numbering, renderBody } from '../content/templates.js';
import { mark, removeWritten } from '../database/written.js';
import type { Site, Stage } from '../stage.js';

export interface StatementCount {
  readonly documents: number;
  readonly service: number;
  readonly floor: number;
}

const DOCUMENT_COUNTS = [1, 100] as const;

// The first use of a key is written in parallel with its request, and the server's log a moment after its statements.
const SETTLE_MS = 300;

/** Every statement that a client sends, however it sends it. */
const LOGGED_STATEMENT = /LOG: {2}(?:statement|execute [^:]+): /g;

/**
 * Statements of one submit, transaction control and the lookup of the key included, as PostgreSQL itself logs them for
 * the API's role. From separate processes, since logging costs time.
 */
export async function countStatements(stage: Stage): Promise<StatementCount[]> {
  const [site] = stage.sites;
  const tenantIds = site.tenants.map(({ tenantId }) => tenantId);
  const since = await mark(site.database.superuser);
  await site.database.superuser.query(`ALTER ROLE einvoice_app SET log_statement = 'all'`);
  const api = await stage.startApi(site, 2);
  try {
    const counts: StatementCount[] = [];
    await submit(site, api.url, 1);
    for (const documents of DOCUMENT_COUNTS) {
      const service = await counted(stage, () => submit(site, api.url, documents));
      const floor = await counted(stage, () => submitBare(stage, site, documents));
      counts.push({ documents, service, floor });
    }
    return counts;
  } finally {
    await api.stop();
    await site.database.superuser.query(`ALTER ROLE einvoice_app RESET log_statement`);
    await removeWritten(site.database.superuser, tenantIds, since);
  }
}

async function counted(stage: Stage, work: () => Promise<void>): Promise<number> {
  await wait(SETTLE_MS);
  const before = await stage.databaseLog();
  await work();
  await wait(SETTLE_MS);
  const after = await stage.databaseLog();
  return [...after.slice(before.length).matchAll(LOGGED_STATEMENT)].length;
}

async function submit({ tenants }: Site, url: string, documents: number): Promise<void> {
  const [template] = bodyTemplates(documents);
  const response = await fetch(`${url}/v1/einvoice/submit`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-API-Key': tenants[0].apiKey,
      'idempotency-key': randomUUID(),
    },
    body: renderBody(template, new Numbering(`COUNT-${randomUUID().slice(0, 8)}`)),
  });
  if (response.status !== 200) throw new Error(`Submit: ${response.status} ${await response.text()}`);
}

/** Over its own connection, which the setting of the role has reached. */
async function submitBare({ acceptFloor }: Stage, { database, tenants }: Site, documents: number): Promise<void> {
  await acceptFloor.ask({
    databaseUrl: `${database.appUrl}?application_name=counted`,
    connections: 1,
    tenantIds: [tenants[0].tenantId],
    documentsPerBatch: documents,
    batches: 1,
    numberPrefix: `BARE-${randomUUID().slice(0, 8)}`,
  });
}
