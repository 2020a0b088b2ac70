import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { Numbering, renderRows, type RowsTemplate, rowsTemplates } from '../content/templates.js';
import type { LoadResult } from '../measure/load-result.js';
import { summarise } from '../measure/load-result.js';
import { serveTasks } from '../processes/serve-tasks.js';
import { goldenSupplier } from '../../src/documents/golden/golden.js';
import { CHARGE, SET_TENANT, STORE } from './accept-floor.sql.js';

/** Floor for accepting: writes the same rows with plain SQL over the same number of connections. */
export interface AcceptFloorTask {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly tenantIds: readonly string[];
  readonly documentsPerBatch: number;
  readonly batches: number;
  readonly numberPrefix: string;
}

const templatesBySize = new Map<number, RowsTemplate[]>();
const clientsByUrl = new Map<string, Promise<pg.Client[]>>();

serveTasks(async (task: AcceptFloorTask): Promise<LoadResult> => {
  const clients = await openClients(task);
  const templates = getTemplates(task.documentsPerBatch);
  const numbering = new Numbering(task.numberPrefix);
  const latenciesMs: number[] = [];
  let begun = 0;
  const startedAt = performance.now();
  await Promise.all(
    clients.map(async (client, index) => {
      const tenantId = task.tenantIds[index % task.tenantIds.length];
      while (begun < task.batches) {
        const template = templates[begun % templates.length];
        begun += 1;
        const beganAt = performance.now();
        await writeBatch(client, tenantId, template, numbering);
        latenciesMs.push(performance.now() - beganAt);
      }
    }),
  );
  return summarise(latenciesMs, performance.now() - startedAt);
});

const SUPPLIER = goldenSupplier();

async function writeBatch(
  client: pg.Client,
  tenantId: string,
  template: RowsTemplate,
  numbering: Numbering,
): Promise<void> {
  const { rows, documents } = renderRows(template, numbering);
  const batchId = uuidv7();
  const now = new Date();
  const answer = JSON.stringify({ submissionBatchId: batchId, documents });
  const record = [randomUUID(), randomBytes(32), answer];
  await client.query('BEGIN');
  await client.query({ name: 'set_tenant', text: SET_TENANT, values: [tenantId] });
  await client.query({
    name: 'store',
    text: STORE,
    values: [tenantId, batchId, template.submissionType, now, rows, ...record, JSON.stringify(SUPPLIER), SUPPLIER.tin],
  });
  await client.query({ name: 'charge', text: CHARGE, values: [tenantId, documents.length, batchId, now] });
  await client.query('COMMIT');
}

function openClients({ databaseUrl, connections }: AcceptFloorTask): Promise<pg.Client[]> {
  const known = clientsByUrl.get(databaseUrl);
  if (known !== undefined) return known;
  const connecting = Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client({ connectionString: databaseUrl, application_name: 'bench-floor' });
      await client.connect();
      return client;
    }),
  );
  clientsByUrl.set(databaseUrl, connecting);
  return connecting;
}

function getTemplates(documentsPerBatch: number): RowsTemplate[] {
  const templates = templatesBySize.get(documentsPerBatch) ?? rowsTemplates(documentsPerBatch);
  templatesBySize.set(documentsPerBatch, templates);
  return templates;
}
