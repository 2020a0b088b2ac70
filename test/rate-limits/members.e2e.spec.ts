import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { submit } from '../support/client.js';
import type { Browser, DashboardResponse } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { completeProfile, organisation, type Problem } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { poll, stopClockAtWindowStart } from './replicas.js';

// docs/rules.md#rate-limits

const [SUBMITS, TIN_CHECKS] = [10, 5];
const service = await startFileService({
  environment: {
    RATE_LIMIT_SUBMITS_PER_MINUTE: String(SUBMITS / 5),
    RATE_LIMIT_TIN_CHECKS_PER_MINUTE: String(TIN_CHECKS / 5),
  },
});

const REQUESTS = 12;
const limited = await startFileService({ environment: { RATE_LIMIT_REQUESTS_PER_MINUTE: String(REQUESTS) } });

let browser: Browser;
let tenantId: string;
let path: string;
beforeAll(async () => {
  ({ browser, tenantId, path } = await organisation(service));
  await completeProfile(service, tenantId);
});
beforeEach(async () => {
  await Promise.all([service, limited].map((each) => stopClockAtWindowStart(each)));
});

type Answer = Awaited<ReturnType<typeof submitByPage>>;

function submitByPage() {
  const body = { submission_type: 'non-consolidated', documents: [invoice()] };
  const headers = { 'idempotency-key': randomUUID() };
  return browser.post<Problem>(`${path}/sandbox/submissions`, body, { headers });
}

const checkByPage = (): Promise<Answer> => browser.post<Problem>(`${path}/sandbox/appointment-check`, {});

describe('a signed-in user', () => {
  it('has the request limit of one key', async () => {
    const [greedy, other] = [await organisation(limited), await organisation(limited)];
    const responses: DashboardResponse<Problem>[] = [];
    for (let count = 0; count < 2 * REQUESTS; count += 1) {
      responses.push(await greedy.browser.get<Problem>(count % 2 === 0 ? '/session' : greedy.path));
    }
    expect(responses.map(({ status }) => status)).toEqual([
      ...Array<number>(REQUESTS).fill(200),
      ...Array<number>(REQUESTS).fill(429),
    ]);
    const { body, headers } = responses[REQUESTS];
    expect(body.code).toBe('rate_limited');
    expect(body.message).toContain(`You have used up your limit of ${REQUESTS} requests per minute`);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await other.browser.get(other.path)).status).toBe(200);
    const apiKey = await insertKey(limited.owner, greedy.tenantId);
    expect((await poll(limited, { 'X-API-Key': apiKey })).status).toBe(404);
  });
});

describe('a member', () => {
  it.each([
    ['submit', SUBMITS, `its limit of ${SUBMITS} submits per minute`, submitByPage],
    ['check the appointment', TIN_CHECKS, `its limit of ${TIN_CHECKS} TIN checks per minute`, checkByPage],
  ])('receives a 429 if they %s too often', async (_, limit, words, call) => {
    const responses: Answer[] = [];
    for (let count = 0; count <= limit; count += 1) responses.push(await call());
    expect(responses.map(({ status }) => status)).toEqual([...Array<number>(limit).fill(200), 429]);
    const { body, headers } = responses[limit];
    expect(body.code).toBe('rate_limited');
    expect(body.message).toContain(`Your organisation has used up ${words}`);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await browser.get(path)).status).toBe(200);
  });

  it('shares the limit with the keys of the organisation', async () => {
    for (let count = 0; count < SUBMITS; count += 1) expect((await submitByPage()).status).toBe(200);
    const apiKey = await insertKey(service.owner, tenantId);
    const { status, body } = await submit(service, { tenantId, apiKey }, [invoice()]);
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect(body.message).toContain('Your organisation has used up');
  });

  it('has the custom limit of the organisation', async () => {
    await service.owner.query('INSERT INTO tenant_rate_limit (tenant_id, submits_per_minute) VALUES ($1, 1000)', [
      tenantId,
    ]);
    for (let count = 0; count <= SUBMITS; count += 1) expect((await submitByPage()).status).toBe(200);
  });
});
