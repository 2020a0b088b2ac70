import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, refused, submit, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';
import { countTaken, poll, pollMany, type Replica, startReplica, watchLeases } from './replicas.js';

const [REQUESTS, SUBMITS, TIN_CHECKS] = [200, 20, 5];
const service = await startFileService({
  environment: {
    RATE_LIMIT_REQUESTS_PER_MINUTE: String(REQUESTS),
    RATE_LIMIT_SUBMITS_PER_MINUTE: String(SUBMITS),
    RATE_LIMIT_TIN_CHECKS_PER_MINUTE: String(TIN_CHECKS),
  },
});
let replica: Replica;
beforeAll(async () => {
  await service.stopClock();
  replica = await startReplica(service);
});
afterAll(() => replica.api.close());

const withKey = ({ apiKey }: Pick<TestTenant, 'apiKey'>): Record<string, string> => ({ 'X-API-Key': apiKey });

/** As if an operator had set it. */
async function setLimit({ tenantId }: TestTenant, requests: number | null): Promise<void> {
  await service.owner.query(
    `INSERT INTO tenant_rate_limit (tenant_id, requests_per_minute) VALUES ($1, $2)
     ON CONFLICT (tenant_id) DO UPDATE SET requests_per_minute = excluded.requests_per_minute`,
    [tenantId, requests],
  );
}

/** Of the database alone: the simulator's does not go back. */
async function moveClock(seconds: number): Promise<void> {
  await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
}

async function readLatestSecond({ tenantId }: TestTenant): Promise<number> {
  const [{ latest }] = await service.owner.query<{ latest: number }[]>(
    `SELECT max(second)::float8 AS latest FROM rate_limit_window w, unnest(w.seconds) AS s (second)
      WHERE w.bucket = 'key ' || (SELECT id FROM api_key WHERE tenant_id = $1) || ' requests'`,
    [tenantId],
  );
  return latest;
}

describe('the limit of an API key', () => {
  it('is kept by two replicas together: at most 5 % over, without a statement for each request', async () => {
    const tenant = await createTenant(service);
    const watched = [watchLeases(service), watchLeases(replica)];
    const begunAt = performance.now();
    const responses = await pollMany([service, replica], 3 * REQUESTS, () => withKey(tenant));
    const statements = watched.reduce((sum, each) => sum + each.count(), 0);
    const tookSeconds = (performance.now() - begunAt) / 1_000;
    for (const each of watched) each.stop();
    expect(countTaken(responses)).toBeLessThanOrEqual(REQUESTS * 1.05);
    expect(countTaken(responses)).toBeGreaterThanOrEqual(REQUESTS * 0.95);
    // A replica that has nothing left asks once a second.
    expect(statements).toBeLessThan(60 + watched.length * tookSeconds);
  });

  it('does not hold back what one replica has leased and another needs', async () => {
    const tenant = await createTenant(service);
    const first = await pollMany([service], REQUESTS / 2, () => withKey(tenant));
    expect(countTaken(first)).toBe(REQUESTS / 2);
    let taken = 0;
    await until('the other replica has the rest', async () => {
      taken += countTaken(await pollMany([replica], 10, () => withKey(tenant)));
      return taken >= REQUESTS / 2 - 5;
    });
  });

  it('costs a client that calls now and then no statement', async () => {
    const tenant = await createTenant(service);
    const watched = watchLeases(service);
    for (let count = 0; count < REQUESTS / 50; count += 1)
      expect((await poll(service, withKey(tenant))).status).toBe(404);
    const statements = watched.count();
    watched.stop();
    expect(statements).toBe(0);
  });

  it('is refilled when the minute is over', async () => {
    const tenant = await createTenant(service);
    await pollMany([service], 2 * REQUESTS, () => withKey(tenant));
    expect((await poll(service, withKey(tenant))).status).toBe(429);
    await service.advance(64);
    await until('there is room again', async () => (await poll(service, withKey(tenant))).status === 404);
  });

  it('is not used up for longer by a clock that is set back, and starts afresh after one that jumps ahead', async () => {
    const tenant = await createTenant(service);
    await pollMany([service], 2 * REQUESTS, () => withKey(tenant));
    const usedAt = await readLatestSecond(tenant);
    await moveClock(-3_600);
    await until('it was counted by the new time, and is still used up', async () => {
      expect((await poll(service, withKey(tenant))).status).toBe(429);
      return (await readLatestSecond(tenant)) < usedAt - 3_000;
    });
    // The longest lease and a minute.
    await moveClock(92);
    await until('there is room again', async () => (await poll(service, withKey(tenant))).status === 404);
    await moveClock(3_600 - 92);
  });

  it.each([['submits', SUBMITS, (tenant: TestTenant) => submit(service, tenant, [invoice()])]])(
    'of %s refuses before the body is read, and stores and charges nothing',
    async (_, limit, call) => {
      const tenant = await createTenant(service);
      const responses = [];
      for (let count = 0; count < limit; count += 1) responses.push((await call(tenant)).status);
      expect(responses).toEqual(Array.from({ length: limit }, () => 200));
      const response = await refused(service, tenant, () => call(tenant));
      expect(response.status).toBe(429);
      expect(response.body.code).toBe('rate_limited');
      expect(response.body.message).toMatch(
        /^This API key has used up its limit of 20 submits a minute; try again in \d+ seconds$/,
      );
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      // Requests of other kinds go on.
      expect((await poll(service, withKey(tenant))).status).toBe(404);
    },
  );
});

describe('the limit of an organisation', () => {
  it('holds for its keys together, and touches no other organisation', async () => {
    const tenant = await createTenant(service);
    const keys = [
      tenant.apiKey,
      ...(await Promise.all([1, 2, 3, 4, 5, 6].map(() => createKey(service, tenant.tenantId)))),
    ];
    const responses = await pollMany([service, replica], 7 * REQUESTS, (index) =>
      withKey({ apiKey: keys[Math.floor(index / 2) % keys.length] }),
    );
    expect(countTaken(responses)).toBeLessThanOrEqual(5 * REQUESTS * 1.05);
    expect(countTaken(responses)).toBeGreaterThanOrEqual(5 * REQUESTS * 0.95);
    const refusal = responses.find(({ body }) => body.message?.startsWith('Your organisation has used up'));
    expect(refusal?.body.code).toBe('rate_limited');
    const other = await createTenant(service);
    expect((await poll(service, withKey(other))).status).toBe(404);
  });

  it('that an operator sets holds within seconds, without a restart, in both directions', async () => {
    const tenant = await createTenant(service);
    expect(countTaken(await pollMany([service], 40, () => withKey(tenant)))).toBe(40);
    await setLimit(tenant, 20);
    await until('the lower one holds', async () => (await poll(service, withKey(tenant))).status === 429);
    await setLimit(tenant, 10_000);
    await until('the higher one holds', async () => (await poll(service, withKey(tenant))).status === 404);
    expect(countTaken(await pollMany([service], 2 * REQUESTS, () => withKey(tenant)))).toBe(2 * REQUESTS);
  });
});
