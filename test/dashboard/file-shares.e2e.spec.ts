import { beforeAll, expect, it } from 'vitest';
import type { Browser, DashboardResponse } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';
import { organisation, type Problem } from '../support/people.js';
import { until } from '../support/until.js';

// Concurrent downloads are limited per organisation (docs/security.md#neighbours).

const SHARE = 2;

const service = await startFileService();
let greedy: { browser: Browser; path: string };
let other: { browser: Browser; path: string };
beforeAll(async () => {
  [greedy, other] = [await organisation(service), await organisation(service)];
});

async function countBlocked(): Promise<number> {
  const [{ count }] = await service.owner.query<{ count: number }[]>(
    `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'einvoice-dashboard'
        AND cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return count;
}

const download = (): Promise<DashboardResponse<Problem>> =>
  greedy.browser.get<Problem>(`${greedy.path}/sandbox/transactions.csv`);

/** Runs a function while the organisation uses all its download slots. */
async function whileStuck(work: () => Promise<void>): Promise<void> {
  const holder = service.owner.createQueryRunner();
  await holder.startTransaction();
  await holder.query('LOCK TABLE document_transaction IN ACCESS EXCLUSIVE MODE');
  const files = Array.from({ length: SHARE }, download);
  try {
    await until('its share is in use', async () => (await countBlocked()) === SHARE);
    await work();
  } finally {
    await holder.rollbackTransaction();
    await holder.release();
  }
  expect((await Promise.all(files)).map(({ status }) => status)).toEqual([200, 200]);
}

it('excess downloads of an organisation wait without delaying other organisations', async () => {
  let isAnswered = false;
  let third: Promise<DashboardResponse<Problem>> | undefined;
  await whileStuck(async () => {
    third = download().finally(() => (isAnswered = true));
    expect((await other.browser.get(`${other.path}/audit.csv`)).status).toBe(200);
    expect(isAnswered).toBe(false);
  });
  expect((await third)?.status).toBe(200);
});

it('excess downloads return 429 with Retry-After if no slot becomes free in time', async () => {
  await whileStuck(async () => {
    const { status, body, headers } = await download();
    expect([status, body.code]).toEqual([429, 'too_many_concurrent_requests']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
