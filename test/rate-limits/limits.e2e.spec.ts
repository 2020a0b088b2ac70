import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKey, createTenant, refused, submit, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';
import {
  countTaken,
  poll,
  pollMany,
  type Replica,
  report,
  startReplica,
  stopClockAtWindowStart,
  watchReports,
} from './replicas.js';

const [REQUESTS, SUBMITS, TIN_CHECKS] = [200, 20, 5];
/** 2 % of the requests. */
const UNREPORTED_MAX = 4;
const service = await startFileService({
  environment: {
    RATE_LIMIT_REQUESTS_PER_MINUTE: String(REQUESTS),
    RATE_LIMIT_SUBMITS_PER_MINUTE: String(SUBMITS),
    RATE_LIMIT_TIN_CHECKS_PER_MINUTE: String(TIN_CHECKS),
  },
});
let replica: Replica;
beforeAll(async () => {
  replica = await startReplica(service);
});
beforeEach(() => stopClockAtWindowStart(service, replica));
afterAll(() => replica.api.close());

const withKey = ({ apiKey }: Pick<TestTenant, 'apiKey'>): Record<string, string> => ({ 'X-API-Key': apiKey });

async function setLimit({ tenantId }: TestTenant, requests: number | null): Promise<void> {
  await service.owner.query(
    `INSERT INTO tenant_rate_limit (tenant_id, requests_per_minute) VALUES ($1, $2)
     ON CONFLICT (tenant_id) DO UPDATE SET requests_per_minute = excluded.requests_per_minute`,
    [tenantId, requests],
  );
}

async function moveClock(seconds: number): Promise<void> {
  await service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
}

async function findBuckets({ tenantId }: TestTenant): Promise<string[]> {
  const rows = await service.owner.query<{ bucket: string }[]>(
    `SELECT w.bucket FROM rate_limit_window w, api_key k
      WHERE k.tenant_id = $1 AND (w.bucket LIKE '%' || k.id || '%' OR w.bucket LIKE '%' || k.tenant_id || '%')`,
    [tenantId],
  );
  return rows.map(({ bucket }) => bucket);
}

describe('the limit of an API key', () => {
  it('is shared by all replicas', async () => {
    const tenant = await createTenant(service);
    for (const each of [service, replica]) {
      expect(countTaken(await pollMany([each], REQUESTS / 2, () => withKey(tenant)))).toBe(REQUESTS / 2);
      await report(each);
    }
    expect((await poll(replica, withKey(tenant))).status).toBe(429);
    await pollMany([service], UNREPORTED_MAX + 1, () => withKey(tenant));
    await report(service);
    expect((await poll(service, withKey(tenant))).status).toBe(429);
  });

  it('applies within a replica before its first report', async () => {
    const tenant = await createTenant(service);
    const responses = await pollMany([service, replica], 6 * REQUESTS, () => withKey(tenant));
    expect(countTaken(responses)).toBeGreaterThanOrEqual(REQUESTS);
    expect(countTaken(responses)).toBeLessThanOrEqual(2 * REQUESTS);
  });

  it('costs a few statements per second at any request rate', async () => {
    const tenant = await createTenant(service);
    const watched = watchReports(service);
    const begunAt = performance.now();
    await pollMany([service], 3 * REQUESTS, () => withKey(tenant));
    const reportsMax = (performance.now() - begunAt) / 250 + 1;
    const reports = watched.count();
    watched.stop();
    expect(reports).toBeLessThanOrEqual(reportsMax);
  });

  it('requires no write for an occasional client', async () => {
    const tenant = await createTenant(service);
    await pollMany([service], UNREPORTED_MAX, () => withKey(tenant));
    await report(service);
    expect(await findBuckets(tenant)).toEqual([]);
    await poll(service, withKey(tenant));
    await report(service);
    expect(await findBuckets(tenant)).toHaveLength(1);
  });

  it('resets at the end of the minute', async () => {
    const tenant = await createTenant(service);
    await pollMany([service], REQUESTS, () => withKey(tenant));
    const { status, headers } = await poll(service, withKey(tenant));
    expect(status).toBe(429);
    const seconds = Number(headers.get('retry-after'));
    await moveClock(seconds - 10);
    await report(service);
    expect((await poll(service, withKey(tenant))).status).toBe(429);
    await moveClock(10);
    await report(service);
    expect((await poll(service, withKey(tenant))).status).toBe(404);
  });

  it('resets when the database clock is set back', async () => {
    const tenant = await createTenant(service);
    await pollMany([service], REQUESTS, () => withKey(tenant));
    await report(service);
    await moveClock(-3_600);
    await report(service);
    expect(countTaken(await pollMany([service], REQUESTS, () => withKey(tenant)))).toBe(REQUESTS);
    await report(service);
    expect((await poll(service, withKey(tenant))).status).toBe(429);
    await moveClock(3_600);
  });

  it('follows the database clock', async () => {
    const tenant = await createTenant(service);
    await moveClock(3_600);
    await report(service);
    await pollMany([service], REQUESTS, () => withKey(tenant));
    await report(service);
    const late = await startReplica(service);
    try {
      for (let count = 0; count < 2; count += 1) {
        await pollMany([late], UNREPORTED_MAX + 1, () => withKey(tenant));
        await report(late);
      }
      expect((await poll(late, withKey(tenant))).status).toBe(429);
    } finally {
      await late.api.close();
      await moveClock(-3_600);
    }
  });

  it.each([['submits', SUBMITS, (tenant: TestTenant) => submit(service, tenant, [invoice()])]])(
    'for %s applies before the body is read',
    async (_, limit, call) => {
      const tenant = await createTenant(service);
      const responses = [];
      for (let count = 0; count < limit; count += 1) responses.push((await call(tenant)).status);
      expect(responses).toEqual(Array.from({ length: limit }, () => 200));
      const response = await refused(service, tenant, () => call(tenant));
      expect(response.status).toBe(429);
      expect(response.body.code).toBe('rate_limited');
      expect(response.body.message).toMatch(
        /^This API key has used up its limit of 20 submits per minute; try again in \d+ seconds$/,
      );
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      // Requests of other kinds succeed.
      expect((await poll(service, withKey(tenant))).status).toBe(404);
    },
  );
});

describe('the limit of an organisation', () => {
  it('is shared by all keys of the organisation', async () => {
    const tenant = await createTenant(service);
    const keys = [
      tenant.apiKey,
      ...(await Promise.all([1, 2, 3, 4, 5, 6].map(() => createKey(service, tenant.tenantId)))),
    ];
    const responses = await pollMany([service], 7 * REQUESTS, (index) =>
      withKey({ apiKey: keys[index % keys.length] }),
    );
    expect(countTaken(responses)).toBe(5 * REQUESTS);
    const refusal = responses.find(({ body }) => body.message?.startsWith('Your organisation has used up'));
    expect(refusal?.body.code).toBe('rate_limited');
    const other = await createTenant(service);
    expect((await poll(service, withKey(other))).status).toBe(404);
  });

  it('takes effect within seconds of a change', async () => {
    const tenant = await createTenant(service);
    expect(countTaken(await pollMany([service], 40, () => withKey(tenant)))).toBe(40);
    await setLimit(tenant, 20);
    await until('the lower one holds', async () => (await poll(service, withKey(tenant))).status === 429);
    await setLimit(tenant, 10_000);
    await until('the higher one holds', async () => (await poll(service, withKey(tenant))).status === 404);
    expect(countTaken(await pollMany([service], 2 * REQUESTS, () => withKey(tenant)))).toBe(2 * REQUESTS);
  });
});
