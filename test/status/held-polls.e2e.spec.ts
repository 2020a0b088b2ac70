import type { ServerResponse } from 'node:http';
import { type Gauge, register } from 'prom-client';
import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { FIND_WAITED, READ_STATUS, type StatusRow, type WaitedRow } from '../../src/status/status.sql.js';
import { describeState } from '../../src/status/submission-status.js';
import { accept, type ApiResponse, cancel, createTenant, get, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { openConnection, type RawConnection } from '../support/raw-connection.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

// docs/rules.md#status-response: what a held response costs others, and who may hold how many.

const PLACES = 60;
const SHARE = PLACES / 2;
const ROUND_MS = 500;

const service = await startFileService({ environment: { HELD_POLLS_MAX: String(PLACES) } });
const [one, other] = [await createTenant(service), await createTenant(service)];
await countCalls('find_waited');
await countCalls('read_submission_status');
await countCalls('find_caller_key');

interface Waiting {
  readonly tenant: TestTenant;
  readonly batchId: string;
  readonly tag: string;
}

/** A batch that stays as it is while no loop ticks. */
async function submitOne(tenant: TestTenant): Promise<Waiting> {
  const { submissionBatchId: batchId } = await accept(service, tenant, [invoice()]);
  const { headers } = await get(service, tenant, toPath(batchId));
  return { tenant, batchId, tag: headers.get('etag') ?? '' };
}

const toPath = (batchId: string): string => `/v1/saas/submissions/${batchId}/status`;

function poll({ tenant, batchId, tag }: Waiting, seconds: number): Promise<ApiResponse> {
  return get(service, tenant, toPath(batchId), { 'If-None-Match': tag, Prefer: `wait=${seconds}` });
}

/** Polls whose clients can hang up. */
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

/** Has the database count how often the API calls a function. */
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

function sortStatuses(responses: readonly ApiResponse[]): number[] {
  return [...new Set(responses.map(({ status }) => status))].toSorted((a, b) => a - b);
}

describe('what held polls cost', () => {
  it('is one statement in half a second for those of all tenants, and no other until something changes', async () => {
    const batches = await Promise.all([one, one, other, other, other].map(submitOne));
    const [rounds, reads] = [await readCalls('find_waited'), await readCalls('read_submission_status')];
    const startedAt = performance.now();
    const responses = await Promise.all(Array.from({ length: 50 }, (_, index) => poll(batches[index % 5], 3)));
    const tookMs = performance.now() - startedAt;
    expect(sortStatuses(responses)).toEqual([304]);
    const roundsMade = (await readCalls('find_waited')) - rounds;
    expect(roundsMade).toBeGreaterThanOrEqual(1);
    expect(roundsMade).toBeLessThanOrEqual(1 + tookMs / ROUND_MS);
    expect((await readCalls('read_submission_status')) - reads).toBeLessThanOrEqual(50);
  });

  it('is one read of a changed batch for all who wait for it, and none for those who wait for others', async () => {
    const [changing, still] = [await submitOne(one), await submitOne(other)];
    const waiting = Array.from({ length: 20 }, () => poll(changing, 20));
    const others = beginPolls(still, 20);
    await untilHeld(40);
    const reads = await readCalls('read_submission_status');
    await changeBatch(changing);
    expect(sortStatuses(await Promise.all(waiting))).toEqual([200]);
    expect((await readCalls('read_submission_status')) - reads).toBe(1);
    expect(others.some((connection) => connection.hasMore())).toBe(false);
    hangUp(others);
    await untilHeld(0);
  });
});

describe('the key of held polls', () => {
  it('needs no separate lookup for each further poll', async () => {
    const batch = await submitOne(one);
    const held = beginPolls(batch, 1);
    await untilHeld(1);
    const lookups = await readCalls('find_caller_key');
    const polls = 5;
    // Each longer than a lookup stands by itself.
    for (let count = 0; count < polls; count += 1) expect((await poll(batch, 1)).status).toBe(304);
    // The first may share the lookup of the held one.
    expect((await readCalls('find_caller_key')) - lookups).toBeLessThan(polls - 1);
    hangUp(held);
    await untilHeld(0);
  });

  it('is refused once it is revoked, although further polls had needed no lookup', async () => {
    const tenant = await createTenant(service);
    const batch = await submitOne(tenant);
    const held = poll(batch, 20);
    await untilHeld(1);
    expect((await poll(batch, 1)).status).toBe(304);
    await service.owner.query('UPDATE api_key SET revoked_at = service_now() WHERE tenant_id = $1', [tenant.tenantId]);
    await until('the key is refused', async () => (await poll({ ...batch, tag: '' }, 0)).status === 401);
    expect((await held).status).toBe(401);
  });
});

describe('polls that end together', () => {
  /** In which round of the event loop each response began: the API runs in this process. */
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
    ['since their batch has changed', changeBatch, 200],
    [
      'since their key is revoked',
      ({ tenant }: Waiting) =>
        service.owner.query('UPDATE api_key SET revoked_at = service_now() WHERE tenant_id = $1', [tenant.tenantId]),
      401,
    ],
  ])(
    '%s are answered over several rounds of the event loop, so that others come in between',
    async (_, end, status) => {
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
    },
  );
});

describe('a poll that follows a held one with the same tag', () => {
  /** A batch of which a poll was held. */
  async function holdOne(): Promise<Waiting> {
    const batch = await submitOne(one);
    expect((await poll(batch, 1)).status).toBe(304);
    return batch;
  }

  it('costs no read of its batch, and is held as long as it asks', async () => {
    const batch = await holdOne();
    const reads = await readCalls('read_submission_status');
    const startedAt = performance.now();
    const response = await poll(batch, 3);
    expect([response.status, response.headers.get('etag')]).toEqual([304, batch.tag]);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2_990);
    expect(await readCalls('read_submission_status')).toBe(reads);
  });

  it('gets what has changed between the two', async () => {
    const [batch, unchanged] = [await holdOne(), beginPolls(await submitOne(other), 1)];
    await untilHeld(1);
    await changeBatch(batch);
    expect((await poll(batch, 20)).status).toBe(200);
    expect(unchanged.some((connection) => connection.hasMore())).toBe(false);
    hangUp(unchanged);
    await untilHeld(0);
  });

  it('gets it also when the statement that all share fails meanwhile', async () => {
    const batch = await holdOne();
    await changeBatch(batch);
    await service.owner.query('ALTER FUNCTION find_waited RENAME TO find_waited_away');
    try {
      expect((await poll(batch, 1)).status).toBe(200);
    } finally {
      await service.owner.query('ALTER FUNCTION find_waited_away RENAME TO find_waited');
    }
  });
});

describe('the slots for held polls', () => {
  it('are half for one tenant: its further polls are answered immediately, those of another are held', async () => {
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

  it('are free as soon as the clients have hung up', async () => {
    const batch = await submitOne(one);
    for (let turn = 0; turn < 3; turn += 1) {
      // Begins first, for the same wait.
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

describe('the statement that all share', () => {
  const database = service.api.get(DataSource);
  const clientId = 'test-client-sandbox';

  /** Positions of batches that it finds changed, of one batch, asked with its state as the API sees it. */
  async function findChanged({ tenant, batchId }: Waiting, { state }: { state?: string } = {}): Promise<number[]> {
    const rows = await database.query<StatusRow[]>(READ_STATUS, [tenant.tenantId, 'sandbox', batchId, clientId]);
    const states = [state ?? describeState(rows)];
    const [{ changed_batches: changed }] = await database.query<[WaitedRow]>(FIND_WAITED, [
      [tenant.tenantId],
      [batchId],
      states,
      [],
      [],
      ['sandbox'],
      [clientId],
    ]);
    return changed;
  }

  const changeQueue = (values: string): string =>
    `UPDATE tenant_queue SET ${values} FROM (SELECT $2::uuid) x WHERE tenant_id = $1 AND operation = 'submit'`;
  const cases: [title: string, change: string][] = [
    ['that are queued', 'SELECT $1::uuid, $2::uuid'],
    ['that are held', `UPDATE document_transaction SET held_until = service_now() ${ofBatch()}`],
    ['that are postponed', `UPDATE document_transaction SET due_at = service_now() + interval '1 hour' ${ofBatch()}`],
    [
      'whose tenant queue is blocked',
      changeQueue(
        `blocked_until = service_now() + interval '1 hour', blocked_since = now(), blocked_reason = 'supplier_refused'`,
      ),
    ],
    [
      'that no dispatcher can send',
      changeQueue(`unsendable_since = now(), unsendable_reason = 'environment_not_configured'`),
    ],
    [
      'of an environment that is blocked',
      `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until, blocked_since, blocked_reason)
       SELECT '${clientId}', 'sandbox', 'submit', now(), service_now() + interval '1 hour', now(), 'call_budget'
         FROM (SELECT $1::uuid, $2::uuid) x`,
    ],
  ];
  function ofBatch(): string {
    return 'WHERE tenant_id = $1 AND submission_batch_id = $2';
  }

  it('finds what a document goes through unchanged after each step', async () => {
    const { submissionBatchId: batchId, documents } = await accept(service, one, [
      invoice({ referenceId: reference('SIM-LATE') }),
      invoice(),
    ]);
    const batch = { tenant: one, batchId, tag: '' };
    const seen = new Set<string>();
    const steps: (() => Promise<unknown>)[] = [
      () => service.tick('submit'),
      () => service.settle(),
      () => cancel(service, one, { documentId: documents[1].documentId }),
      () => service.settle(),
    ];
    for (const step of steps) {
      await step();
      const rows = await database.query<StatusRow[]>(READ_STATUS, [one.tenantId, 'sandbox', batchId, clientId]);
      seen.add(describeState(rows));
      expect(await findChanged(batch)).toEqual([]);
    }
    expect(seen.size).toBe(steps.length);
  });

  it.each(cases)('finds documents %s unchanged, and any other state of them changed', async (_, change) => {
    const tenant = await createTenant(service);
    const batch = await submitOne(tenant);
    const before = describeState(
      await database.query<StatusRow[]>(READ_STATUS, [tenant.tenantId, 'sandbox', batch.batchId, clientId]),
    );
    await service.owner.query(change, [tenant.tenantId, batch.batchId]);
    expect(await findChanged(batch)).toEqual([]);
    expect(await findChanged(batch, { state: before })).toEqual(change === cases[0][1] ? [] : [1]);
    await service.owner.query('DELETE FROM call_budget');
    await changeBatch(batch);
    expect(await findChanged(batch)).toEqual([]);
    expect(await findChanged(batch, { state: before })).toEqual([1]);
  });
});

describe('A stopping process', () => {
  it('ends the polls that it holds with what their client knows', async () => {
    const stopping = await TestService.start();
    const tenant = await createTenant(stopping);
    const { submissionBatchId } = await accept(stopping, tenant, [invoice()]);
    const { headers } = await get(stopping, tenant, toPath(submissionBatchId));
    // Begins first, for the same wait, at a process that goes on.
    const others = beginPolls(await submitOne(one), 1);
    await untilHeld(1);
    const held = { 'If-None-Match': headers.get('etag') ?? '', Prefer: 'wait=20' };
    // Two, because each process sets the gauge to its own number.
    const waiting = [1, 2].map(() => get(stopping, tenant, toPath(submissionBatchId), held));
    await untilHeld(waiting.length);
    const stopped = stopping.stop();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([304, 304]);
    expect(others.some((connection) => connection.hasMore())).toBe(false);
    hangUp(others);
    await stopped;
  });
});
