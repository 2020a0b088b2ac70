import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { TenantTransactions } from '../../src/database/in-tenant.js';
import { accept, type ApiResponse, createTenant, get, request, submit, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { PASSWORD, signUp } from '../support/dashboard.js';
import { until } from '../support/until.js';

// docs/security.md#neighbours

const CONNECTIONS = 6;
const SHARE = CONNECTIONS / 2;
const GREEDY_SUBMITS = 20;

const service = await startFileService({ environment: { DATABASE_POOL_SIZE: String(CONNECTIONS) } });
let greedy: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  [greedy, other] = [await createTenant(service), await createTenant(service)];
});

/** Counts the connections of the API that wait for a lock. */
async function countBlocked(): Promise<number> {
  const [{ count }] = await service.owner.query<{ count: number }[]>(
    `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'einvoice-api' AND cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return count;
}

/** Runs work while submits of an organisation are blocked. */
async function whileStuck(work: () => Promise<void>): Promise<ApiResponse[]> {
  const holder = service.owner.createQueryRunner();
  await holder.startTransaction();
  await holder.query('SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE', [greedy.tenantId]);
  let refused = 0;
  const submits = Array.from({ length: GREEDY_SUBMITS }, async () => {
    const response = await submit(service, greedy, [invoice()]);
    if (response.status === 429) refused += 1;
    return response;
  });
  try {
    await until('its share is in use', async () => (await countBlocked()) === SHARE);
    await work();
    expect(await countBlocked()).toBeLessThanOrEqual(SHARE);
    await until('what is beyond its share is refused', () => refused > 0);
  } finally {
    await holder.rollbackTransaction();
    await holder.release();
  }
  return Promise.all(submits);
}

it('one organisation uses at most half of the connections', async () => {
  const { submissionBatchId } = await accept(service, other, [invoice()]);
  const { email } = await signUp(service);
  const statuses: number[] = [];
  const responses = await whileStuck(async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      const calls = [
        ...Array.from({ length: 4 }, () => submit(service, other, [invoice()])),
        ...Array.from({ length: 4 }, () => get(service, other, `/v1/saas/submissions/${submissionBatchId}/status`)),
        request(service, '/health/ready'),
      ];
      statuses.push(...(await Promise.all(calls)).map(({ status }) => status));
    }
    const signIn = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const body = JSON.stringify({ email, password: PASSWORD });
    statuses.push((await request(service, '/dashboard/sign-in', { ...signIn, body })).status);
  });
  expect(new Set(statuses)).toEqual(new Set([200]));
  const refused = responses.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body, headers } of refused) {
    expect([status, body.code]).toEqual([429, 'too_many_concurrent_requests']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
});

it('a third organisation is served while two others use every connection', async () => {
  const both = await Promise.all([createTenant(service), createTenant(service)]);
  const holders = [];
  for (const { tenantId } of both) {
    const holder = service.owner.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
    holders.push(holder);
  }
  const shared = vi.spyOn(service.api.get(TenantTransactions), 'inShare');
  onTestFinished(() => shared.mockRestore());
  let served = 0;
  const submits = both.flatMap((tenant) =>
    Array.from({ length: GREEDY_SUBMITS }, async () => {
      if ((await submit(service, tenant, [invoice()])).status === 200) served += 1;
    }),
  );
  let third: Promise<{ status: number; servedBefore: number }> | undefined;
  try {
    await until('all but the last connection are in use', async () => (await countBlocked()) === CONNECTIONS - 1);
    third = submit(service, other, [invoice()]).then(({ status }) => ({ status, servedBefore: served }));
    await until('the third one waits', () => shared.mock.calls.some(([{ tenantId }]) => tenantId === other.tenantId));
  } finally {
    for (const holder of holders) {
      await holder.rollbackTransaction();
      await holder.release();
    }
  }
  const { status, servedBefore } = await third;
  expect(status).toBe(200);
  expect(servedBefore).toBeLessThan(GREEDY_SUBMITS);
  await Promise.all(submits);
});

it('a rejected request succeeds once the share is free', async () => {
  const again = await Promise.all(Array.from({ length: GREEDY_SUBMITS }, () => submit(service, greedy, [invoice()])));
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
});
