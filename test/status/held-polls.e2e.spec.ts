import type { ServerResponse } from 'node:http';
import { type Gauge, register } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { accept, type ApiResponse, createTenant, get, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { openConnection, type RawConnection } from '../support/raw-connection.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

// docs/rules.md#status-response

const PLACES = 60;
const SHARE = PLACES / 2;
const READ_INTERVAL_MS = 500;

const service = await startFileService({ environment: { HELD_POLLS_MAX: String(PLACES) } });
const [one, other] = [await createTenant(service), await createTenant(service)];
await countCalls('read_submission_status');

interface Waiting {
  readonly tenant: TestTenant;
  readonly batchId: string;
  readonly tag: string;
}

/** Submits a batch that does not change because no loop runs. */
async function submitOne(tenant: TestTenant): Promise<Waiting> {
  const { submissionBatchId: batchId } = await accept(service, tenant, [invoice()]);
  const { headers } = await get(service, tenant, toPath(batchId));
  return { tenant, batchId, tag: headers.get('etag') ?? '' };
}

const toPath = (batchId: string): string => `/v1/saas/submissions/${batchId}/status`;

function poll({ tenant, batchId, tag }: Waiting, seconds: number): Promise<ApiResponse> {
  return get(service, tenant, toPath(batchId), { 'If-None-Match': tag, Prefer: `wait=${seconds}` });
}

/** Starts polls whose clients can close the connection. */
function beginPolls({ tenant, batchId, tag }: Waiting, count: number): RawConnection[] {
  return Array.from({ length: count }, () => {
    const connection = openConnection(service);
    const headers = { 'X-API-Key': tenant.apiKey, 'If-None-Match': tag, Prefer: 'wait=20' };
    connection.begin('GET', `/api${toPath(batchId)}`, headers);
    return connection;
  });
}

function hangUp(connections: readonly RawConnection[]): void {
  for (const connection of connections) connection.destroy();
}

/** Makes the database count the calls of a function. */
async function countCalls(name: string): Promise<void> {
  const [{ parameters, result, names }] = await service.owner.query<
    { parameters: string; result: string; names: string }[]
  >(
    `SELECT pg_get_function_arguments(oid) AS parameters, pg_get_function_result(oid) AS result,
            array_to_string(proargnames[1:pronargs], ', ') AS names
       FROM pg_proc WHERE proname = $1`,
    [name],
  );
  await service.owner.query(`
    CREATE SEQUENCE calls_of_${name};
    GRANT USAGE ON SEQUENCE calls_of_${name} TO einvoice_app;
    ALTER FUNCTION ${name} RENAME TO counted_${name};
    CREATE FUNCTION ${name}(${parameters}) RETURNS ${result} LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    BEGIN
      PERFORM nextval('calls_of_${name}');
      RETURN QUERY SELECT * FROM counted_${name}(${names});
    END $$`);
}

async function readCalls(name: string): Promise<number> {
  const [{ calls }] = await service.owner.query<{ calls: number }[]>(
    `SELECT CASE WHEN is_called THEN last_value ELSE 0 END::integer AS calls FROM calls_of_${name}`,
  );
  return calls;
}

async function readHeld(): Promise<number | undefined> {
  const gauge = register.getSingleMetric('einvoice_held_polls') as Gauge;
  return (await gauge.get()).values[0]?.value;
}

const untilHeld = (count: number): Promise<void> =>
  until(`${count} polls are held`, async () => (await readHeld()) === count);

function changeBatch({ tenant, batchId }: Waiting): Promise<unknown> {
  return service.owner.query(
    'UPDATE document_transaction SET version = version + 1 WHERE tenant_id = $1 AND submission_batch_id = $2',
    [tenant.tenantId, batchId],
  );
}

function revokeKeys({ tenantId }: TestTenant): Promise<unknown> {
  return service.owner.query('UPDATE api_key SET revoked_at = service_now() WHERE tenant_id = $1', [tenantId]);
}

function sortStatuses(responses: readonly ApiResponse[]): number[] {
  return [...new Set(responses.map(({ status }) => status))].toSorted((a, b) => a - b);
}

describe('the cost of held polls', () => {
  it('is one read per batch and half second', async () => {
    const batches = await Promise.all([one, other].map(submitOne));
    const reads = await readCalls('read_submission_status');
    const startedAt = performance.now();
    const responses = await Promise.all(Array.from({ length: 50 }, (_, index) => poll(batches[index % 2], 3)));
    const intervals = (performance.now() - startedAt) / READ_INTERVAL_MS;
    expect(sortStatuses(responses)).toEqual([304]);
    const readsOfTimers = (await readCalls('read_submission_status')) - reads - responses.length;
    expect(readsOfTimers).toBeGreaterThanOrEqual(batches.length);
    expect(readsOfTimers).toBeLessThanOrEqual(batches.length * intervals);
  });

  it('does not include reads after a change of the batch', async () => {
    const [changing, still] = [await submitOne(one), await submitOne(other)];
    const waiting = Array.from({ length: 20 }, () => poll(changing, 20));
    const others = beginPolls(still, 20);
    await untilHeld(40);
    const reads = await readCalls('read_submission_status');
    const startedAt = performance.now();
    await changeBatch(changing);
    expect(sortStatuses(await Promise.all(waiting))).toEqual([200]);
    const intervals = 1 + (performance.now() - startedAt) / READ_INTERVAL_MS;
    expect((await readCalls('read_submission_status')) - reads).toBeLessThanOrEqual(2 * intervals);
    expect(others.some((connection) => connection.hasMore())).toBe(false);
    hangUp(others);
    await untilHeld(0);
  });
});

describe('a held poll whose key is revoked', () => {
  it('receives no data when its batch changes', async () => {
    const tenant = await createTenant(service);
    const batch = await submitOne(tenant);
    const held = poll(batch, 20);
    await untilHeld(1);
    await revokeKeys(tenant);
    await changeBatch(batch);
    const { status, body } = await held;
    expect([status, body.code]).toEqual([401, 'api_key_revoked']);
  });
});

describe('polls of one batch', () => {
  /** Event loop iteration in which each response started; the API runs in this process. */
  function watchRounds(): { readonly begun: number[]; stop(): void } {
    const begun: number[] = [];
    let round = 0;
    let next: NodeJS.Immediate;
    const count = (): void => {
      round += 1;
      next = setImmediate(count);
    };
    count();
    const server = service.api.getHttpServer();
    const watch = (_: unknown, response: ServerResponse): void => {
      response.once('prefinish', () => begun.push(round));
    };
    server.on('request', watch);
    const stop = (): void => {
      clearImmediate(next);
      server.off('request', watch);
    };
    return { begun, stop };
  }

  it.each([
    ['after a change of their batch', changeBatch, 200],
    [
      'after the revocation of their key',
      async (batch: Waiting) => {
        await revokeKeys(batch.tenant);
        await changeBatch(batch);
      },
      401,
    ],
  ])('receive their responses in several event loop iterations %s', async (_, end, status) => {
    const batch = await submitOne(await createTenant(service));
    const rounds = watchRounds();
    const responses = Array.from({ length: SHARE }, () => poll(batch, 20));
    await untilHeld(SHARE);
    rounds.begun.length = 0;
    await end(batch);
    expect(sortStatuses(await Promise.all(responses))).toEqual([status]);
    rounds.stop();
    const inOneRound = rounds.begun.map((round) => rounds.begun.filter((other) => other === round).length);
    expect(rounds.begun.length).toBe(SHARE);
    expect(Math.max(...inOneRound)).toBeLessThanOrEqual(10);
  });
});

describe('the slots for held polls', () => {
  it('are limited to half of all slots per tenant', async () => {
    const [greedy, victim] = [await submitOne(one), await submitOne(other)];
    const polls = beginPolls(greedy, SHARE + 7);
    const countAnswered = (): number => polls.filter((connection) => connection.hasMore()).length;
    await until('those beyond its share are answered', () => countAnswered() === 7);
    const waiting = poll(victim, 20);
    await untilHeld(SHARE + 1);
    await changeBatch(victim);
    expect((await waiting).status).toBe(200);
    expect(countAnswered()).toBe(7);
    hangUp(polls);
    await untilHeld(0);
  });

  it('are released when clients close their connections', async () => {
    const batch = await submitOne(one);
    for (let turn = 0; turn < 3; turn += 1) {
      // This poll starts first, with the same wait.
      const others = beginPolls(await submitOne(other), 1);
      await untilHeld(1);
      const polls = beginPolls(batch, SHARE);
      await untilHeld(1 + SHARE);
      hangUp(polls);
      await untilHeld(1);
      expect(others.some((connection) => connection.hasMore())).toBe(false);
      hangUp(others);
      await untilHeld(0);
    }
  });
});

describe('a stopping process', () => {
  it('responds to its held polls with 304', async () => {
    const stopping = await TestService.start();
    const tenant = await createTenant(stopping);
    const { submissionBatchId } = await accept(stopping, tenant, [invoice()]);
    const { headers } = await get(stopping, tenant, toPath(submissionBatchId));
    // This poll is held by another process, which continues.
    const others = beginPolls(await submitOne(one), 1);
    await untilHeld(1);
    const held = { 'If-None-Match': headers.get('etag') ?? '', Prefer: 'wait=20' };
    // Sends two polls because each process sets the gauge to its own number.
    const waiting = [1, 2].map(() => get(stopping, tenant, toPath(submissionBatchId), held));
    await untilHeld(waiting.length);
    const stopped = stopping.stop();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([304, 304]);
    expect(others.some((connection) => connection.hasMore())).toBe(false);
    hangUp(others);
    await stopped;
  });
});
