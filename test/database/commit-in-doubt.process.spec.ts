import { DataSource } from 'typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDataSource } from '../../src/database/data-source.js';
import { accept, createTenant, readBalance, submit, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

// Only in this database, `synchronous_commit` is on and every commit waits for a missing standby. Cancelling the wait
// leaves a commit that PostgreSQL cannot confirm.

let service: TestService;
let superuser: DataSource;
let tenant: TestTenant;

beforeEach(async () => {
  service = await TestService.start();
  const { superuserUrl } = service.database;
  superuser = await createDataSource({ url: superuserUrl, poolSize: 3, applicationName: 'test' }).initialize();
  tenant = await createTenant(service);
});

afterEach(async () => {
  await needNoStandby();
  await superuser.destroy();
  await service.stop();
});

async function needMissingStandby(): Promise<void> {
  await superuser.query(`ALTER SYSTEM SET synchronous_standby_names = 'missing'`);
  await superuser.query('SELECT pg_reload_conf()');
  const mark = 'a probe of the wait';
  const probing = async (): Promise<boolean> => {
    const probe = superuser
      .transaction(async (tx) => {
        await tx.query('SET LOCAL synchronous_commit = on');
        await tx.query(`SELECT pg_logical_emit_message(true, '${mark}', '')`);
      })
      .then(
        () => false,
        () => true,
      );
    return Promise.race([probe, cancelWait('COMMIT').then(() => probe)]);
  };
  await until('commits wait for the standby', probing);
}

async function needNoStandby(): Promise<void> {
  await superuser.query('ALTER SYSTEM RESET synchronous_standby_names');
  await superuser.query('SELECT pg_reload_conf()');
  const isWaiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
  await until('no commit waits', async () => (await superuser.query<unknown[]>(isWaiting)).length === 0);
}

/** Waits until the statement waits for its commit, and cancels this wait. */
async function cancelWait(statement: string): Promise<void> {
  const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND wait_event = 'SyncRep' AND query LIKE $1`;
  const found = async (): Promise<boolean> => (await superuser.query<unknown[]>(cancel, [`%${statement}%`])).length > 0;
  await until(`a commit of ${statement} waits`, found);
}

it('a submit returns 200 only after the standby has its commit', { timeout: 120_000 }, async () => {
  await superuser.query(
    `ALTER ROLE einvoice_app IN DATABASE ${new URL(service.database.appUrl).pathname.slice(1)} SET synchronous_commit = on`,
  );
  await service.restart();
  const [balance, documents] = [await readBalance(service, tenant), [invoice()]];
  await needMissingStandby();

  const first = submit(service, tenant, documents, { key: 'doubtful' });
  await cancelWait('accept_request');
  expect(await first).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });

  const repeated = submit(service, tenant, documents, { key: 'doubtful' });
  await cancelWait('COMMIT');
  expect(await repeated).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });

  await needNoStandby();
  const replayed = await submit(service, tenant, documents, { key: 'doubtful' });
  expect(replayed.status).toBe(200);
  expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
  expect(await readBalance(service, tenant)).toBe(balance - 1);
});

it('documents with an unconfirmed claim are sent once', { timeout: 120_000 }, async () => {
  await accept(service, tenant, [invoice()]);
  await service.owner.query(`
    CREATE FUNCTION wait_for_standby() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM set_config('synchronous_commit', 'on', true); RETURN new; END $$`);
  await service.owner.query(`
    CREATE TRIGGER wait_for_standby BEFORE INSERT ON authority_submission
       FOR EACH ROW EXECUTE FUNCTION wait_for_standby()`);
  await needMissingStandby();

  const ticked = service.tick('submit').then(
    () => null,
    (error: Error) => error,
  );
  await cancelWait('COMMIT');
  expect(await ticked).toMatchObject({ code: '08007' });
  expect(await service.wireLog()).toEqual([]);
  await needNoStandby();

  await service.owner.query('DROP TRIGGER wait_for_standby ON authority_submission');
  await service.settle();
  expect(await service.wireLog()).toHaveLength(1);
  expect(await service.owner.query('SELECT authority_status FROM document_transaction')).toEqual([
    { authority_status: 'Valid' },
  ]);
});

it('a connection pool closes connections to a server that becomes read-only', async () => {
  const { ownerUrl } = service.database;
  const pool = await createDataSource({ url: ownerUrl, poolSize: 1, applicationName: 'test' }).initialize();
  try {
    const readProcess = async (): Promise<unknown> => (await pool.query('SELECT pg_backend_pid() AS id'))[0].id;
    const before = await readProcess();
    await pool.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY');
    await expect(pool.query('CREATE TABLE written ()')).rejects.toMatchObject({ code: '25006' });
    await pool.query('CREATE TABLE written ()');
    expect(await readProcess()).not.toBe(before);
  } finally {
    await pool.destroy();
  }
});
