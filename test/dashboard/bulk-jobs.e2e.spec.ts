import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BulkItemDto, BulkJobDetailDto, BulkJobDto } from '../../src/dashboard-api/bulk-jobs/dto/bulk-job.dto.js';
import type { OrderDto } from '../../src/dashboard-api/credits/dto/credits.dto.js';
import type { Page } from '../../src/dashboard-api/cursor.js';
import { DashboardTransactions } from '../../src/database/database.module.js';
import { TenantTransactions } from '../../src/database/in-tenant.js';
import { armFailpoints, type Failpoint } from '../../src/common/failpoints/failpoints.js';
import { accept, createTenant, issue, readBalance, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { createOperator, type Problem } from '../support/people.js';
import { startReplica } from '../rate-limits/replicas.js';
import { tickLoop } from '../support/loops.js';
import { until } from '../support/until.js';

const CONNECTIONS = 6;
/** Database connections available to one organisation. */
const SHARE = CONNECTIONS / 2;
const PAGES_SHARE = 2;

const service = await startFileService({
  environments: ['sandbox', 'production'],
  environment: { DATABASE_POOL_SIZE: String(CONNECTIONS) },
});

const CAUSE = 'cause=buyer_tin_invalid:/recipient/tin';
const TIN = 'C5555555550';
const CORRECT = { kind: 'correct', field: '/recipient/tin', value: TIN };
const CANCEL = { kind: 'cancel', reason: 'Wrong buyer' };

let tenant: TestTenant;
let member: Browser;
let basePath: string;
beforeEach(async () => {
  tenant = await createTenant(service, { credits: 100 });
  member = await signUpInto(service, tenant.tenantId, 'member');
  basePath = `/organisations/${tenant.tenantId}/sandbox`;
});
afterEach(() => armFailpoints(new Map()));

/** Creates invoices that are invalid because of the buyer's TIN. */
function issueInvalid(count: number, issuer = tenant) {
  const references = Array.from({ length: count }, (_, index) => `SIM-INVALID-CF358-${index + 1}`);
  return issue(service, issuer, ...references.map((referenceId) => invoice({ referenceId })));
}

async function create(body: object = CORRECT, { query = CAUSE, browser = member } = {}): Promise<BulkJobDetailDto> {
  const response = await browser.post<BulkJobDetailDto>(`${basePath}/bulk-jobs?${query}`, body);
  expect(response.status, response.text).toBe(201);
  return response.body;
}

async function read<T = BulkJobDetailDto>(path: string, browser = member): Promise<T> {
  const response = await browser.get<T>(`${basePath}/bulk-jobs/${path}`);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const items = async (jobId: string) => (await read<Page<BulkItemDto>>(`${jobId}/items?limit=200`)).items;

function start(jobId: string, browser = member) {
  return browser.post<BulkJobDetailDto & Problem>(`${basePath}/bulk-jobs/${jobId}/start`, {});
}

/** Runs the bulk job loop until it is idle. */
async function work(): Promise<void> {
  for (let ticks = 0; ticks < 100; ticks += 1) if ((await service.tick('bulk')) === 0) return;
  throw new Error('The bulk loop did not come to rest');
}

async function checked(body: object = CORRECT, options = {}): Promise<BulkJobDetailDto> {
  const { jobId } = await create(body, options);
  await work();
  return read(jobId);
}

async function started(body: object = CORRECT, options = {}): Promise<string> {
  const { jobId } = await checked(body, options);
  expect((await start(jobId)).status).toBe(200);
  return jobId;
}

/** Returns the number of attempts and the buyer's TIN for each document. */
async function attempts(): Promise<{ attempt: number; tin: string }[]> {
  return service.owner.query(
    `SELECT max(attempt) AS attempt, (array_agg(buyer_tin ORDER BY attempt DESC))[1] AS tin
       FROM document_transaction WHERE tenant_id = $1 GROUP BY document_id ORDER BY 1, 2`,
    [tenant.tenantId],
  );
}

describe('bulk correction', () => {
  it('sends each document exactly once after the job starts', async () => {
    await issueInvalid(15);
    const balance = await readBalance(service, tenant);
    const made = await create();
    expect(made).toMatchObject({
      status: 'checking',
      documents: 15,
      fieldName: 'Buyer’s TIN',
      value: TIN,
      isCut: false,
    });
    await work();
    const job = await read(made.jobId);
    expect(job).toMatchObject({
      status: 'checked',
      requiredCredits: 15,
      remainingCredits: balance,
      counts: { ready: 15 },
    });
    expect(await readBalance(service, tenant)).toBe(balance);
    expect(await attempts()).toEqual(
      Array.from({ length: 15 }, () => ({ attempt: 1, tin: expect.not.stringContaining(TIN) })),
    );
    expect((await start(job.jobId)).body).toMatchObject({ status: 'running' });
    await work();
    expect(await read(job.jobId)).toMatchObject({
      status: 'ended',
      counts: { ready: 0, done: 15 },
      chargedCredits: 15,
      endedAt: expect.stringMatching(/Z$/),
      by: { id: member.session?.user.userId },
    });
    expect(await readBalance(service, tenant)).toBe(balance - 15);
    expect(await attempts()).toEqual(Array.from({ length: 15 }, () => ({ attempt: 2, tin: TIN })));
    const { bytes, status } = await member.download(`${basePath}/bulk-jobs/${job.jobId}/items.csv`);
    expect(status).toBe(200);
    expect(
      bytes
        .toString()
        .split('\r\n')
        .filter((line) => line.includes(',Sent,')),
    ).toHaveLength(15);
    const entries = await service.owner.query<object[]>(
      `SELECT action, actor, subject, details FROM audit_entry WHERE tenant_id = $1 AND action LIKE 'bulk_job.%' ORDER BY id`,
      [tenant.tenantId],
    );
    expect(entries).toMatchObject([
      {
        action: 'bulk_job.started',
        subject: 'correct Buyer’s TIN in 15 documents',
        details: { value: TIN, ready: 15 },
      },
      { action: 'bulk_job.ended', actor: member.session?.user.email, details: { sent: 15, credits: 15 } },
    ]);
  });

  it('skips invalid documents and reports their problems', async () => {
    await issueInvalid(2);
    const job = await checked({ kind: 'correct', field: '/recipient/state', value: 'Selangur' });
    expect(job).toMatchObject({ counts: { ready: 0, refused: 2 }, requiredCredits: 0 });
    const [{ problems }] = await items(job.jobId);
    expect(problems).toMatchObject([{ field: 'Buyer’s state', hint: expect.stringMatching(/selangor/i) }]);
    expect((await start(job.jobId)).status).toBe(409);
    expect(await attempts()).toHaveLength(2);
  });

  it('changes only lines with an error', async () => {
    const { lineItems } = invoice() as { lineItems: object[] };
    const lines = ['001', '002', '003'].map((classification) => ({ ...lineItems[0], classification }));
    await issue(service, tenant, invoice({ referenceId: 'SIM-INVALID-CF358-1', lineItems: lines }));
    const error = { code: 'x', message: 'Wrong', hint: null, pointer: '/documents/0/lineItems/1/classification' };
    await service.owner.query(`UPDATE document_transaction SET errors = $2 WHERE tenant_id = $1`, [
      tenant.tenantId,
      JSON.stringify([error]),
    ]);
    const query = 'cause=x:/lineItems/*/classification';
    await started({ kind: 'correct', field: '/lineItems/*/classification', value: '022' }, { query });
    await work();
    const [{ sent }] = await service.owner.query<{ sent: string[] }[]>(
      `SELECT jsonb_path_query_array(payload, '$.lineItems[*].classification') AS sent
         FROM document_transaction WHERE tenant_id = $1 AND attempt = 2`,
      [tenant.tenantId],
    );
    expect(sent).toEqual(['001', '022', '003']);
  });

  it('processes only the selected documents', async () => {
    await issueInvalid(3);
    const [{ transactionId }] = await items((await checked()).jobId);
    const job = await checked({ ...CORRECT, documents: [{ transactionId }] }, { query: '' });
    expect((await items(job.jobId)).map((item) => item.transactionId)).toEqual([transactionId]);
  });
});

describe('bulk cancellation', () => {
  it('cancels each matching valid document for one credit', async () => {
    await issue(
      service,
      tenant,
      ...['A-1', 'A-2', 'SIM-INVALID-CF358-1'].map((referenceId) => invoice({ referenceId })),
    );
    const balance = await readBalance(service, tenant);
    const job = await checked(CANCEL, { query: 'type=invoice' });
    expect(job).toMatchObject({ documents: 2, requiredCredits: 2, counts: { ready: 2 } });
    await start(job.jobId);
    await work();
    await service.settle();
    expect((await items(job.jobId)).map(({ state, status }) => [state, status])).toEqual([
      ['done', 'Cancelled'],
      ['done', 'Cancelled'],
    ]);
    expect(await readBalance(service, tenant)).toBe(balance - 2);
  });

  it('skips a document that has been cancelled in the meantime', async () => {
    await issue(service, tenant, ...['A-1', 'A-2'].map((referenceId) => invoice({ referenceId })));
    const job = await checked(CANCEL, { query: 'reference=A-1' });
    const other = await started(CANCEL, { query: 'reference=A-1' });
    await work();
    await start(job.jobId);
    await work();
    expect(await read(other)).toMatchObject({ counts: { done: 1 } });
    expect(await read(job.jobId)).toMatchObject({
      status: 'ended',
      counts: { changed: 1, done: 0 },
      chargedCredits: 0,
    });
  });
});

describe('interrupted bulk job', () => {
  it.each<Failpoint>([
    'accept.before_submit',
    'accept.after_submit',
    'bulk.before_settle',
    'bulk.after_settle',
    'bulk.before_release',
    'bulk.after_release',
  ])('resumes after a failure at %s and charges for each document once', async (failpoint) => {
    await issueInvalid(3);
    const balance = await readBalance(service, tenant);
    const jobId = await started();
    armFailpoints(new Map([[failpoint, 'throw']]));
    await service.tick('bulk').catch(() => undefined);
    await service.advance(61);
    await work();
    expect(await read(jobId)).toMatchObject({ status: 'ended', counts: { done: 3 }, chargedCredits: 3 });
    expect(await attempts()).toEqual(Array.from({ length: 3 }, () => ({ attempt: 2, tin: TIN })));
    expect(await readBalance(service, tenant)).toBe(balance - 3);
  });

  it('sends each document once when another replica takes over the expired lease', async () => {
    await issueInvalid(25);
    const balance = await readBalance(service, tenant);
    const jobId = await started();
    const { api } = await startReplica(service);
    try {
      for (let round = 0; round < 50 && (await read(jobId)).status === 'running'; round += 1) {
        const another = service.advance(61).then(() => tickLoop(api, 'bulk'));
        await Promise.all([service.tick('bulk'), another]);
      }
    } finally {
      await api.close();
    }
    expect(await read(jobId)).toMatchObject({ status: 'ended', counts: { done: 25 } });
    expect(await attempts()).toEqual(Array.from({ length: 25 }, () => ({ attempt: 2, tin: TIN })));
    expect(await readBalance(service, tenant)).toBe(balance - 25);
  });

  it('skips a document that was resubmitted after the check', async () => {
    await issueInvalid(2);
    const job = await checked();
    await issue(service, tenant, invoice({ referenceId: 'SIM-INVALID-CF358-1' }));
    await accept(service, tenant, [invoice({ referenceId: 'SIM-INVALID-CF358-2' })]);
    const balance = await readBalance(service, tenant);
    await start(job.jobId);
    await work();
    expect(await read(job.jobId)).toMatchObject({ status: 'ended', counts: { changed: 2, done: 0 } });
    const [{ problems }] = await items(job.jobId);
    expect(problems).toMatchObject([{ message: expect.stringContaining('again meanwhile') }]);
    expect(await readBalance(service, tenant)).toBe(balance);
    expect((await attempts()).map(({ attempt }) => attempt)).toEqual([2, 2]);
  });

  it('pauses without credits and resumes at the same document', async () => {
    await issueInvalid(5);
    const job = await checked();
    const spend = `UPDATE credit_lot SET remaining = $2 WHERE tenant_id = $1`;
    const account = `UPDATE credit_account SET balance = $2 WHERE tenant_id = $1`;
    for (const statement of [spend, account]) await service.owner.query(statement, [tenant.tenantId, 2]);
    await start(job.jobId);
    await work();
    expect(await read(job.jobId)).toMatchObject({
      status: 'paused',
      pauseReason: expect.stringContaining('credits'),
      counts: { done: 2, ready: 3 },
    });
    for (const statement of [spend, account]) await service.owner.query(statement, [tenant.tenantId, 3]);
    expect((await start(job.jobId)).body).toMatchObject({ status: 'running', pauseReason: null });
    await work();
    expect(await read(job.jobId)).toMatchObject({ status: 'ended', counts: { done: 5 } });
    expect(await readBalance(service, tenant)).toBe(0);
  });

  it('submits on behalf of the member who resumes a paused job', async () => {
    await issueInvalid(12);
    const jobId = await started();
    await service.tick('bulk');
    const paused = await member.post<BulkJobDetailDto>(`${basePath}/bulk-jobs/${jobId}/pause`, {});
    expect(paused.body).toMatchObject({ status: 'paused', counts: { done: 10, ready: 2 } });
    await work();
    expect((await read(jobId)).counts.done).toBe(10);
    const colleague = await signUpInto(service, tenant.tenantId, 'member');
    await start(jobId, colleague);
    await work();
    expect(await read(jobId)).toMatchObject({ status: 'ended', by: { id: colleague.session?.user.userId } });
  });

  it('pauses when its creator loses permission to submit', async () => {
    await issueInvalid(2);
    const jobId = await started();
    await service.owner.query(`UPDATE membership SET role = 'viewer' WHERE tenant_id = $1`, [tenant.tenantId]);
    await work();
    expect(await read(jobId)).toMatchObject({ status: 'paused', counts: { done: 0, ready: 2 } });
    expect((await attempts()).map(({ attempt }) => attempt)).toEqual([1, 1]);
  });
});

describe('bulk jobs', () => {
  it('alternate between organisations', async () => {
    await issueInvalid(2);
    const neighbour = await createTenant(service, { credits: 100 });
    await issueInvalid(21, neighbour);
    for (let count = 0; count < 6; count += 1) await create();
    const browser = await signUpInto(service, neighbour.tenantId, 'member');
    const jobs = `/organisations/${neighbour.tenantId}/sandbox/bulk-jobs`;
    const { body: job } = await browser.post<BulkJobDetailDto>(`${jobs}?${CAUSE}`, CORRECT);
    const waiting = [];
    for (let turn = 0; turn < 6; turn += 1) {
      await service.tick('bulk');
      waiting.push((await browser.get<BulkJobDetailDto>(`${jobs}/${job.jobId}`)).body.counts.waiting);
    }
    expect(waiting).toEqual([21, 11, 11, 1, 1, 0]);
    await work();
  });

  it('wait for the submit rate limit without failing documents', async () => {
    await issueInvalid(6);
    await service.owner.query(`INSERT INTO tenant_rate_limit (tenant_id, submits_per_minute) VALUES ($1, 4)`, [
      tenant.tenantId,
    ]);
    const balance = await readBalance(service, tenant);
    const { jobId } = await create();
    await work();
    const held = await read(jobId);
    expect(held).toMatchObject({ status: 'checking', counts: { refused: 0 } });
    expect(held.counts.waiting).toBeGreaterThan(0);
    const seconds = await secondsUntil(held.waitsUntil);
    expect(seconds).toBeGreaterThan(1);
    await service.advance(seconds - 1);
    expect(await service.tick('bulk')).toBe(0);
    await workThroughLimits(jobId, 'checked');
    await start(jobId);
    await workThroughLimits(jobId, 'ended');
    expect(await read(jobId)).toMatchObject({ counts: { done: 6, failed: 0 }, chargedCredits: 6, waitsUntil: null });
    expect(await attempts()).toEqual(Array.from({ length: 6 }, () => ({ attempt: 2, tin: TIN })));
    expect(await readBalance(service, tenant)).toBe(balance - 6);
  });

  it('wait for a database connection and report the reason', async () => {
    await issueInvalid(2);
    const balance = await readBalance(service, tenant);
    const jobId = await started();
    // Another failed retry would exceed the limit.
    await service.owner.query(`UPDATE bulk_job_item SET tries = 19 WHERE job_id = $1`, [jobId]);
    // Also occupies the page connections. The job must still be able to store its reason.
    const pages = service.api.get(DashboardTransactions, { strict: false });
    await whileShareIsUsed(() => whileInUse(pages, PAGES_SHARE, async () => void (await service.tick('bulk'))));
    const held = await read(jobId);
    expect(held).toMatchObject({ status: 'running', counts: { ready: 2, failed: 0 } });
    expect(held.waitReason).toBe('Other requests of your organisation use its share of the capacity');
    expect(await secondsUntil(held.waitsUntil)).toBeGreaterThan(0);
    await service.advance(11);
    await work();
    const ended = { status: 'ended', counts: { done: 2, failed: 0 }, waitsUntil: null, waitReason: null };
    expect(await read(jobId)).toMatchObject(ended);
    expect((await items(jobId)).map(({ problems }) => problems)).toEqual([[], []]);
    expect(await attempts()).toEqual(Array.from({ length: 2 }, () => ({ attempt: 2, tin: TIN })));
    expect(await readBalance(service, tenant)).toBe(balance - 2);
  });

  it('wait for credits and resume after an order is confirmed', async () => {
    await issueInvalid(3);
    const job = await checked();
    const { browser: operator } = await createOperator(service);
    await spendBut(2);
    await start(job.jobId);
    await work();
    expect(await read(job.jobId)).toMatchObject({
      status: 'paused',
      pauseReason: 'Your organisation has too few credits: order credits, then continue',
      counts: { done: 2, ready: 1, failed: 0 },
      remainingCredits: 0,
    });
    const organisation = `/organisations/${tenant.tenantId}`;
    const order = await member.post<OrderDto>(`${organisation}/credits/orders`, { credits: 5 });
    await operator.post(`/operator/orders/${tenant.tenantId}/${order.body.orderId}/confirm`, {});
    await start(job.jobId);
    await work();
    expect(await read(job.jobId)).toMatchObject({ status: 'ended', counts: { done: 3 }, chargedCredits: 3 });
    expect(await readBalance(service, tenant)).toBe(4);
  });

  it('check every document even without credits', async () => {
    await issueInvalid(2);
    await spendBut(0);
    expect(await checked()).toMatchObject({
      status: 'checked',
      counts: { ready: 2, refused: 0 },
      requiredCredits: 2,
      remainingCredits: 0,
    });
  });
});

/** Occupies all of the tenant's connections for submits. */
async function whileShareIsUsed(work: () => Promise<void>): Promise<void> {
  await whileInUse(service.api.get(TenantTransactions, { strict: false }), SHARE, work);
}

async function whileInUse(transactions: TenantTransactions, share: number, work: () => Promise<void>): Promise<void> {
  let free: () => void = () => undefined;
  const isFree = new Promise<void>((resolve) => (free = resolve));
  let used = 0;
  const uses = Array.from({ length: share }, () =>
    transactions.inShare(tenant, () => {
      used += 1;
      return isFree;
    }),
  );
  await until('its share is in use', () => used === share);
  await work().finally(free);
  await Promise.all(uses);
}

/** Submits other documents until only this number of credits remains. */
async function spendBut(credits: number): Promise<void> {
  for (let left = await readBalance(service, tenant); left > credits; left = await readBalance(service, tenant)) {
    const size = Math.min(left - credits, 50);
    const documents = Array.from({ length: size }, (_, index) => invoice({ referenceId: `SPENT-${left}-${index}` }));
    await accept(service, tenant, documents);
  }
}

async function secondsUntil(instant: Date | string | null): Promise<number> {
  const [{ seconds }] = await service.owner.query<{ seconds: number }[]>(
    `SELECT extract(epoch FROM $1::timestamptz - service_now())::float8 AS seconds`,
    [instant],
  );
  return seconds;
}

/** Advances the clock by a minute whenever the rate limit is exceeded. */
async function workThroughLimits(jobId: string, wanted: BulkJobDto['status']): Promise<void> {
  await until(`the job is ${wanted}`, async () => {
    await service.advance(61);
    await work();
    return (await read(jobId)).status === wanted;
  });
}

describe('bulk job access', () => {
  it('is read-only for a viewer', async () => {
    await issueInvalid(1);
    const { jobId } = await checked();
    const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
    expect((await read(jobId, viewer)).documents).toBe(1);
    expect((await viewer.post(`${basePath}/bulk-jobs?${CAUSE}`, CORRECT)).status).toBe(403);
    expect((await start(jobId, viewer)).status).toBe(403);
    expect((await viewer.post(`${basePath}/bulk-jobs/${jobId}/pause`, {})).status).toBe(403);
    await work();
    expect((await read(jobId)).status).toBe('checked');
  });

  it('is limited to the organisation and environment of the job', async () => {
    await issueInvalid(1);
    const { jobId } = await checked();
    const [{ transactionId }] = await items(jobId);
    const neighbour = await createTenant(service);
    const stranger = await signUpInto(service, neighbour.tenantId, 'owner');
    const elsewhere = [
      [stranger, `/organisations/${neighbour.tenantId}/sandbox`],
      [member, `/organisations/${tenant.tenantId}/production`],
    ] as const;
    for (const [browser, path] of elsewhere) {
      expect((await browser.get<Page<BulkJobDto>>(`${path}/bulk-jobs`)).body.items).toEqual([]);
      for (const suffix of ['', '/items', '/items.csv']) {
        expect((await browser.get(`${path}/bulk-jobs/${jobId}${suffix}`)).status).toBe(404);
      }
      for (const action of ['start', 'pause']) {
        expect((await browser.post(`${path}/bulk-jobs/${jobId}/${action}`, {})).status).toBe(404);
      }
      const body = { ...CORRECT, documents: [{ transactionId }] };
      expect((await browser.post(`${path}/bulk-jobs`, body)).status).toBe(404);
    }
    expect((await read(jobId)).status).toBe('checked');
  });

  it.each([
    ['no field', { ...CORRECT, field: undefined }, '/field'],
    ['an amount', { ...CORRECT, field: '/lineItems/*/taxAmount' }, '/field'],
    ['no value', { ...CORRECT, value: ' ' }, '/value'],
    ['no reason', { kind: 'cancel' }, '/reason'],
    ['another kind', { kind: 'delete' }, '/kind'],
    ['what is no id', { ...CORRECT, documents: [{ transactionId: 'x' }] }, '/documents/0/transactionId'],
  ])('rejects a job with %s', async (_, body, pointer) => {
    const response = await member.post<Problem>(`${basePath}/bulk-jobs?${CAUSE}`, body);
    expect([response.status, response.body.details?.map((detail) => detail.pointer)]).toEqual([400, [pointer]]);
  });

  it('rejects a misspelled filter', async () => {
    await issueInvalid(1);
    for (const [query, pointer, hint] of [
      ['statsu=Invalid', '/statsu', 'did you mean status?'],
      ['Status=Invalid', '/Status', 'did you mean status?'],
      [
        `${CAUSE}&limit=1`,
        '/limit',
        expect.stringMatching(/^send one of the parameters of this operation: type, status, /),
      ],
      ['cause[]=x', '/cause[]', 'did you mean cause?'],
    ] as const) {
      const { status, body, text } = await member.post<Problem>(`${basePath}/bulk-jobs?${query}`, CORRECT);
      expect(status, text).toBe(400);
      expect(body.details).toMatchObject([{ pointer, message: 'is not a known query parameter', hint }]);
    }
    expect((await member.get<Page<BulkJobDto>>(`${basePath}/bulk-jobs`)).body.items).toEqual([]);
  });

  it('rejects an empty list of documents', async () => {
    await issueInvalid(1);
    const { status, body } = await member.post<Problem>(`${basePath}/bulk-jobs?transactionIds=`, CORRECT);
    expect([status, body.details?.map(({ pointer }) => pointer)]).toEqual([400, ['/transactionIds']]);
    expect((await member.get<Page<BulkJobDto>>(`${basePath}/bulk-jobs`)).body.items).toEqual([]);
  });

  it('rejects a job without matching documents', async () => {
    const response = await member.post<Problem>(`${basePath}/bulk-jobs?${CAUSE}`, CORRECT);
    expect([response.status, response.body.message]).toEqual([409, expect.stringContaining('failed')]);
  });
});
