import { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueCopies } from '../dispatcher/backlog.js';
import { accept, createTenant, request } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { TestService } from '../support/service.js';

// docs/rules.md#health-metrics-and-logs

let service: TestService;
beforeEach(async () => {
  service = await TestService.start({ environment: { DATABASE_POOL_SIZE: '2' } });
});
afterEach(() => service.stop());

const ready = (): ReturnType<typeof request> => request(service, '/health/ready');

async function oldestQueuedSeconds(): Promise<number | null> {
  const [{ seconds }] = await service.owner.query<{ seconds: number | null }[]>(
    'SELECT oldest_queued_seconds() AS seconds',
  );
  return seconds;
}

const ASKERS = 50;
const KEPT_MS = 2_000;

it(`readiness runs one statement for ${ASKERS} concurrent requests`, async () => {
  await service.owner.query('CREATE SEQUENCE reads; GRANT USAGE ON SEQUENCE reads TO einvoice_app');
  await service.owner.query(
    `CREATE OR REPLACE FUNCTION oldest_queued_seconds() RETURNS double precision LANGUAGE sql VOLATILE SECURITY DEFINER
       SET search_path = public, pg_temp AS $$ SELECT nextval('reads')::double precision $$`,
  );
  const startedAt = performance.now();
  const responses = await Promise.all(Array.from({ length: ASKERS }, ready));
  const tookMs = performance.now() - startedAt;
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  const reads = Math.max(...responses.map(({ body }) => Number(body.oldestQueuedSeconds)));
  expect(reads).toBeLessThanOrEqual(1 + Math.floor(tookMs / KEPT_MS));
  const connections = await service.owner.query<object[]>(
    `SELECT usename FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'einvoice-health'`,
  );
  expect(connections).toEqual([{ usename: 'einvoice_app' }]);
});

it('readiness responds while the connection pool of the API is exhausted', async () => {
  const database = service.api.get(DataSource);
  const runners = [database.createQueryRunner(), database.createQueryRunner()];
  await Promise.all(runners.map((runner) => runner.connect()));
  expect(await ready()).toMatchObject({ status: 200, body: { database: 'ok' } });
  await Promise.all(runners.map((runner) => runner.release()));
});

it('readiness returns 503 while the database is unavailable', async () => {
  await service.owner.query('REVOKE SELECT ON schema_migration FROM einvoice_app');
  expect(await ready()).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
  await service.owner.query('GRANT SELECT ON schema_migration TO einvoice_app');
  expect(await ready()).toMatchObject({ status: 200 });
});

describe('the age of the oldest queued document', () => {
  it('is computed across all tenants without held credit notes', async () => {
    const [one, other] = [await createTenant(service), await createTenant(service)];
    expect(await oldestQueuedSeconds()).toBeNull();
    const referenceId = reference();
    await accept(service, other, [invoice({ referenceId }), creditNote({ referenceId })]);
    await service.advance(100);
    await accept(service, one, [invoice()]);
    await service.advance(10);
    expect(await oldestQueuedSeconds()).toBeGreaterThanOrEqual(110);
    await service.tick('submit');
    await service.tick('submit');
    expect(await oldestQueuedSeconds()).toBeNull();
    await service.settle();
    expect(await oldestQueuedSeconds()).toBeNull();
  });

  it.each(['before', 'after'])('requires one index entry per queue %s ANALYZE', async (when) => {
    const tenant = await createTenant(service);
    await createTenant(service);
    const referenceId = reference();
    await accept(service, tenant, [invoice({ referenceId })]);
    await queueCopies(service, tenant, { of: referenceId, count: 5_000, prefix: 'COPY', batches: 50 });
    if (when === 'after') await service.owner.query('ANALYZE');
    const [{ scans, rows, queues }] = await service.owner.transaction(async (tx) => {
      await tx.query('SELECT oldest_queued_seconds()');
      return tx.query<{ scans: number; rows: number; queues: number }[]>(
        `SELECT seq_scan::int AS scans, idx_tup_fetch::int AS rows,
                  (SELECT count(*)::int FROM tenant_queue WHERE operation = 'submit') AS queues
             FROM pg_stat_xact_user_tables WHERE relname = 'document_transaction'`,
      );
    });
    expect(scans).toBe(0);
    expect(rows).toBeGreaterThanOrEqual(1);
    // The planner may also read both ends of the index.
    expect(rows).toBeLessThanOrEqual(queues + 2);
    expect(queues).toBeLessThan(10);
  });
});
