import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTenant, readBalance, request, submit } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { startLoggedApi } from '../support/logged-api.js';
import { until } from '../support/until.js';

const service = await startFileService();
const DISK_FULL_MESSAGE = 'could not extend file "base/16384/16385": No space left on device';

const ready = (): ReturnType<typeof request> => request(service, '/health/ready');
// Rejects every write, like a full disk.
const FULL_DEVICE = '/dev/full';
const RAISE = `BEGIN RAISE EXCEPTION '${DISK_FULL_MESSAGE}' USING ERRCODE = '53100'; END`;

it('a submit returns 503 without a charge while the database disk is full', async () => {
  const tenant = await createTenant(service);
  const credits = await readBalance(service, tenant);
  const logged = await startLoggedApi(service);
  const documents = [invoice()];
  const send = (): ReturnType<typeof submit> => submit(logged.service, tenant, documents, { key: 'the-same' });
  await service.owner.query(
    `CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ ${RAISE} $$;
     CREATE TRIGGER refuse_row BEFORE INSERT ON document_transaction FOR EACH ROW EXECUTE FUNCTION refuse_row()`,
  );
  const refused = await send();
  expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  expect(refused.body.message).toMatch(
    /^The disk of the service's database is full, so the request was not stored or charged/,
  );
  expect(refused.headers.get('retry-after')).toBe('30');
  expect(await readBalance(service, tenant)).toBe(credits);
  await service.owner.query('DROP FUNCTION refuse_row CASCADE');
  expect(await send()).toMatchObject({ status: 200 });
  expect(await readBalance(service, tenant)).toBe(credits - 1);
  const errors = (await logged.readLines({ requests: 2 })).filter(({ level }) => level === ERROR);
  expect(errors).toEqual([
    expect.objectContaining({
      requestId: refused.body.requestId as string,
      error: expect.stringContaining(`The database's disk is full: ${DISK_FULL_MESSAGE}`) as string,
    }),
  ]);
});

it('readiness reports a full disk until space is free', async () => {
  const [{ definition }] = await service.owner.query<{ definition: string }[]>(
    `SELECT pg_get_functiondef('oldest_queued_seconds'::regproc) AS definition`,
  );
  await service.owner.query(
    `CREATE OR REPLACE FUNCTION oldest_queued_seconds() RETURNS double precision LANGUAGE plpgsql STABLE
       SECURITY DEFINER SET search_path = public, pg_temp AS $$ ${RAISE} $$`,
  );
  expect(await ready()).toMatchObject({
    status: 503,
    body: { code: 'disk_full', message: "The database's disk is full: make room on it" },
  });
  await service.owner.query(definition);
  expect(await ready()).toMatchObject({ status: 200 });
});

it('readiness checks the database disk with a write', async () => {
  const written = async (): Promise<number> => {
    const [{ bytes }] = await service.owner.query<{ bytes: string }[]>(
      'SELECT temp_bytes AS bytes FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(bytes);
  };
  const before = await written();
  // PostgreSQL updates this statistic with a delay.
  await until('it has written', async () => {
    expect(await ready()).toMatchObject({ status: 200 });
    return (await written()) > before;
  });
});

it.skipIf(!existsSync(FULL_DEVICE))('the API works while its log cannot be written', async () => {
  const logged = await startLoggedApi(service, FULL_DEVICE);
  const tenant = await createTenant(service);
  // More than the buffer of the log.
  for (let sent = 0; sent < 50; sent += 1) {
    expect(await submit(logged.service, tenant, [invoice()])).toMatchObject({ status: 200 });
  }
});

const ERROR = 50;
