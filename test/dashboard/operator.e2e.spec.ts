import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OrganisationDto } from '../../src/dashboard-api/organisation/dto/organisation.dto.js';
import type { OrderDto } from '../../src/dashboard-api/credits/dto/credits.dto.js';
import type { QueueDto, ReleasedDto, RetriedDto } from '../../src/dashboard-api/operator/dto/operator-queue.dto.js';
import type {
  AuthorityHealthDto,
  OperatorAuditDto,
  OrganisationListingsDto,
  OperatorOrderDto,
  OperatorOrdersDto,
} from '../../src/dashboard-api/operator/dto/operator.dto.js';
import { accept, createTenant, readBalance, issue, readStatus, type TestTenant } from '../support/client.js';
import { type Browser, PASSWORD, signUp, signUpInto } from '../support/dashboard.js';
import { readAuditLines, createOperator, type Problem } from '../support/people.js';
import { invoice, reference } from '../support/documents.js';
import { endLookups } from '../support/lookups.js';
import { startFileService } from '../support/file-service.js';
import { TestService } from '../support/service.js';

const service = await startFileService({ simulator: { tokenSeconds: 864_000 } });
let operator: Browser;
let email: string;
beforeAll(async () => {
  ({ browser: operator, email } = await createOperator(service));
});
// Advancing the clock must not expire the operator's short session.
beforeEach(() => signInAgain());

async function signInAgain(): Promise<void> {
  await operator.enter('/sign-in', { email, password: PASSWORD });
}

const UUID = '019a8b5e-7c1f-7000-8000-000000000001';
const SEEN = { tin: 'C1234567890', idType: 'BRN', idValue: '201901234567', status: 'waiting' };
const PAGES: readonly [method: string, path: string, body?: object][] = [
  ['GET', '/operator/organisations'],
  ['GET', '/operator/organisations.csv'],
  ['POST', `/operator/organisations/${UUID}/rate-limits`, { submits: 300 }],
  ['GET', '/operator/orders'],
  ['GET', '/operator/orders.csv'],
  ['POST', `/operator/orders/${UUID}/${UUID}/confirm`, {}],
  ['POST', `/operator/orders/${UUID}/${UUID}/refuse`, { reason: 'x' }],
  ['GET', '/operator/verifications'],
  ['POST', `/operator/verifications/${UUID}/sandbox/verify`, { ...SEEN, sharing: 'exclusive' }],
  ['POST', `/operator/verifications/${UUID}/sandbox/refuse`, { ...SEEN, reason: 'x' }],
  ['GET', '/operator/queue'],
  ['POST', '/operator/tenant-queues/retry', { tenantId: UUID }],
  ['POST', '/operator/events/retry', { consumer: 'x' }],
  ['POST', `/operator/in-doubt/${UUID}/release`, { decision: 'fail' }],
  ['GET', '/operator/authority'],
  ['GET', '/operator/audit'],
  ['GET', '/operator/audit.csv'],
];

describe('operator lists', () => {
  it('apply the same filters to their CSV exports', async () => {
    const tenant = await createTenant(service);
    const member = await signUpInto(service, tenant.tenantId, 'member');
    const { body } = await member.post<OrderDto>(`/organisations/${tenant.tenantId}/credits/orders`, { credits: 9 });
    const open = await operator.get<null>('/operator/orders.csv');
    expect(open.text).toContain(`${body.orderId},`);
    expect((await operator.get<null>('/operator/orders.csv?status=decided')).text).not.toContain(body.orderId);
    const found = await operator.get<null>(`/operator/organisations.csv?search=${tenant.tenantId}`);
    expect(found.text.trimEnd().split('\r\n')).toHaveLength(2);
    expect(found.text).toContain(tenant.tenantId);
  });
});

describe('operator pages', () => {
  it('report a missing DATABASE_OPERATOR_URL', async () => {
    const without = await TestService.start({ environment: { DATABASE_OPERATOR_URL: '' } });
    try {
      const { browser } = await createOperator(without);
      for (const [method, path, body] of PAGES) {
        const response = await browser.call<Problem>(method, path, body);
        expect([response.status, response.body.code], path).toEqual([503, 'operator_pages_off']);
        expect(response.body.message).toContain('DATABASE_OPERATOR_URL');
      }
    } finally {
      await without.stop();
    }
  });

  it('report a setting that the database rejects', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    onTestFinished(() => logged.mockRestore());
    const url = 'postgres://einvoice_operator:wrong@127.0.0.1';
    const wrong = await TestService.start({
      environment: { DATABASE_OPERATOR_URL: `${url}:${new URL(service.database.operatorUrl).port}/nowhere` },
    });
    try {
      const { browser } = await createOperator(wrong);
      const response = await browser.get<Problem>('/operator/queue');
      expect([response.status, response.body.code]).toEqual([503, 'operator_pages_off']);
      expect(response.body.message).toContain('see the log');
      expect(logged).toHaveBeenCalledExactlyOnceWith(
        expect.stringMatching(/^The database refuses DATABASE_OPERATOR_URL: .*(?:password|nowhere)/),
      );
    } finally {
      await wrong.stop();
    }
  });
});

describe('organisation list', () => {
  it('shows profile gaps and activity, and is searchable by name, TIN or id', async () => {
    const tenant = await createTenant(service, { credits: 20, profile: { name: 'Syarikat 100%_Betul' } });
    await issue(service, tenant, invoice(), invoice());
    const fresh = await signUp(service);
    const list = (query: string) => operator.get<OrganisationListingsDto>(`/operator/organisations?${query}`);
    const { body } = await list(`search=${encodeURIComponent('100%_betul')}`);
    expect(body.items).toEqual([
      {
        tenantId: tenant.tenantId,
        name: 'Syarikat 100%_Betul',
        tin: expect.any(String),
        missing: [],
        balance: 18,
        documentsLast30Days: 2,
        lastActivityAt: expect.any(String),
        rateLimits: { requests: null, submits: null, tinChecks: null },
      },
    ]);
    for (const search of [body.items[0].tin ?? '', tenant.tenantId]) {
      expect((await list(`search=${search}`)).body.items.map(({ tenantId }) => tenantId)).toEqual([tenant.tenantId]);
    }
    const [found] = (await list(`search=${fresh.tenantId}`)).body.items;
    expect(found).toMatchObject({ balance: 0, documentsLast30Days: 0, lastActivityAt: null });
    expect(found.missing).toContain('TIN');
  });

  it('contains each organisation exactly once across pages', async () => {
    const all = await service.owner.query<{ id: string }[]>('SELECT tenant_id AS id FROM tenant ORDER BY 1 DESC');
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null && seen.length <= all.length) {
      const path = `/operator/organisations?limit=2&cursor=${next}`;
      const response: { body: OrganisationListingsDto } = await operator.get<OrganisationListingsDto>(path);
      seen.push(...response.body.items.map(({ tenantId }) => tenantId));
      next = response.body.next;
    }
    expect(seen).toEqual(all.map(({ id }) => id));
  });
});

describe('rate limits of an organisation', () => {
  it('can be changed by an operator, with an audit entry', async () => {
    const { browser, tenantId } = await signUp(service);
    const readShown = async (): Promise<OrganisationDto['rateLimits']> =>
      (await browser.get<OrganisationDto>(`/organisations/${tenantId}`)).body.rateLimits;
    const none = { requests: 0, submits: 0, tinChecks: 0 };
    expect(await readShown()).toEqual({ key: none, organisation: none });
    const path = `/operator/organisations/${tenantId}/rate-limits`;
    const set = await operator.post<object>(path, { requests: 1_200, submits: 600 });
    expect([set.status, set.body]).toEqual([200, { requests: 1_200, submits: 600, tinChecks: null }]);
    const figures = { requests: 1_200, submits: 600, tinChecks: 0 };
    expect(await readShown()).toEqual({ key: figures, organisation: figures });
    const { body } = await operator.get<OrganisationListingsDto>(`/operator/organisations?search=${tenantId}`);
    expect(body.items[0].rateLimits).toEqual(set.body);
    // Omitted limits are reset to the default.
    expect((await operator.post<object>(path, { requests: 1_200 })).body).toEqual({
      requests: 1_200,
      submits: null,
      tinChecks: null,
    });
    const entries = await service.owner.query<{ actor: string; details: object }[]>(
      `SELECT actor, details FROM audit_entry WHERE tenant_id = $1 AND action = 'organisation.limits_changed' ORDER BY id`,
      [tenantId],
    );
    expect(entries).toEqual([
      { actor: email, details: { changes: { requests: { from: null, to: 1_200 }, submits: { from: null, to: 600 } } } },
      { actor: email, details: { changes: { submits: { from: 600, to: null } } } },
    ]);
  });

  it.each([
    [{ submits: -1 }, 'submits must be from 0 to 1,000,000'],
    [{ submits: 1.5 }, 'submits must be a whole number'],
    [{ requests: '600' }, 'requests must be a JSON number, not a string'],
  ])('cannot be set to %j', async (body, message) => {
    const { tenantId } = await signUp(service);
    const response = await operator.post<Problem>(`/operator/organisations/${tenantId}/rate-limits`, body);
    expect([response.status, response.body.message]).toEqual([400, message]);
  });

  it('return 404 for an unknown organisation', async () => {
    for (const id of [UUID, 'none']) {
      expect((await operator.post<Problem>(`/operator/organisations/${id}/rate-limits`, {})).status).toBe(404);
    }
  });
});

async function placeOrder(tenantId: string, credits = 500): Promise<OrderDto> {
  const member = await signUpInto(service, tenantId, 'member');
  return (await member.post<OrderDto>(`/organisations/${tenantId}/credits/orders`, { credits, note: 'Paid' })).body;
}

function decide<T>(tenantId: string, orderId: string, how: 'confirm' | 'refuse', body: object = {}) {
  return operator.post<T>(`/operator/orders/${tenantId}/${orderId}/${how}`, body);
}

describe('credit order', () => {
  it('adds credits when an operator confirms it', async () => {
    const tenant = await createTenant(service, { credits: 1 });
    const order = await placeOrder(tenant.tenantId);
    const open = await operator.get<OperatorOrdersDto>('/operator/orders?limit=1');
    expect(open.body.items).toMatchObject([{ orderId: order.orderId, tenantId: tenant.tenantId, credits: 500 }]);
    const { status, body } = await decide<OperatorOrderDto>(tenant.tenantId, order.orderId, 'confirm', {
      lastDay: '2099-12-31',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'Paid', expiresAt: '2099-12-31T16:00:00.000Z' });
    expect(await readBalance(service, tenant)).toBe(501);
    expect((await readAuditLines(service, tenant.tenantId)).at(-1)).toBe(`order.confirmed by ${email}`);
    const decided = await operator.get<OperatorOrdersDto>('/operator/orders?status=decided&limit=1');
    expect(decided.body.items).toMatchObject([{ orderId: order.orderId, status: 'Paid' }]);
    const deviations = await service.owner.query('SELECT * FROM audit_credits($1)', [tenant.tenantId]);
    expect(deviations).toEqual([]);
  });

  it('adds the first credits of an organisation', async () => {
    const { tenantId } = await signUp(service);
    const order = await placeOrder(tenantId, 7);
    expect((await decide(tenantId, order.orderId, 'confirm')).status).toBe(200);
    expect(await readBalance(service, { tenantId, apiKey: '' })).toBe(7);
  });

  it('cannot be confirmed by an operator with ties to the organisation', async () => {
    const tenant = await createTenant(service);
    const [colleague, leaver, removed, requester] = [
      await createOperator(service),
      await createOperator(service),
      await createOperator(service),
      await createOperator(service),
    ];
    const ids = new Map<string, string>();
    for (const { email: address } of [colleague, leaver, removed, requester]) {
      const [{ id }] = await service.owner.query<{ id: string }[]>(
        `INSERT INTO membership SELECT $1, id, 'owner', service_now() FROM user_account WHERE email = $2
         RETURNING user_id AS id`,
        [tenant.tenantId, address],
      );
      ids.set(address, id);
    }
    const orders = `/organisations/${tenant.tenantId}/credits/orders`;
    const { body: order } = await requester.browser.post<OrderDto>(orders, { credits: 7 });
    for (const { browser } of [leaver, requester]) {
      expect((await browser.post(`/organisations/${tenant.tenantId}/leave`, {})).status).toBe(204);
    }
    const member = `/organisations/${tenant.tenantId}/members/${ids.get(removed.email)}`;
    expect((await colleague.browser.call('DELETE', member)).status).toBe(204);
    const path = `/operator/orders/${tenant.tenantId}/${order.orderId}/confirm`;
    for (const { browser } of [colleague, leaver, removed, requester]) {
      const refused = await browser.post<Problem>(path, {});
      expect([refused.status, refused.body.code]).toEqual([403, 'own_order']);
    }
    expect((await operator.post<OperatorOrderDto>(path, {})).body.status).toBe('Paid');
  });

  it('adds credits once for eight concurrent confirmations', async () => {
    const tenant = await createTenant(service, { credits: 1 });
    const order = await placeOrder(tenant.tenantId);
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => decide<Problem>(tenant.tenantId, order.orderId, 'confirm')),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(409)]);
    expect(await readBalance(service, tenant)).toBe(501);
    const log = await readAuditLines(service, tenant.tenantId);
    expect(log.filter((line) => line.startsWith('order.confirmed'))).toHaveLength(1);
  });

  it('is either confirmed or cancelled by concurrent requests', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { browser, tenantId } = await signUp(service);
      const path = `/organisations/${tenantId}/credits/orders`;
      const { body: order } = await browser.post<OrderDto>(path, { credits: 5 });
      const [confirmed, cancelled] = await Promise.all([
        decide(tenantId, order.orderId, 'confirm'),
        browser.call('DELETE', `${path}/${order.orderId}`),
      ]);
      expect([
        [200, 409],
        [409, 204],
      ]).toContainEqual([confirmed.status, cancelled.status]);
      const rows = await service.owner.query('SELECT FROM credit_lot WHERE tenant_id = $1', [tenantId]);
      expect(rows).toHaveLength(confirmed.status === 200 ? 1 : 0);
    }
  });

  it('shows the organisation the reason for a refusal', async () => {
    const { browser, tenantId } = await signUp(service);
    const order = await placeOrder(tenantId);
    expect((await decide<Problem>(tenantId, order.orderId, 'refuse')).body.errors).toEqual(['reason is required']);
    expect((await decide(tenantId, order.orderId, 'refuse', { reason: 'No payment' })).status).toBe(200);
    const { body } = await browser.get<{ items: OrderDto[] }>(`/organisations/${tenantId}/credits/orders`);
    expect(body.items).toMatchObject([{ status: 'Refused', reason: 'No payment' }]);
    const again = await decide<Problem>(tenantId, order.orderId, 'confirm');
    expect([again.status, again.body.code]).toEqual([409, 'state_conflict']);
    expect(again.body.message).toContain('Refused');
  });

  it.each([
    ['2099-02-29', 'lastDay must be a valid calendar date, such as 2027-12-31'],
    ['2020-01-01', 'lastDay 2020-01-01 is in the past in Malaysia'],
  ])('remains open after a rejected confirmation with %s as the last day', async (lastDay, message) => {
    const { tenantId } = await signUp(service);
    const order = await placeOrder(tenantId);
    const response = await decide<Problem>(tenantId, order.orderId, 'confirm', { lastDay });
    expect([response.status, response.body.errors]).toEqual([400, [message]]);
    expect((await decide(tenantId, order.orderId, 'confirm')).status).toBe(200);
  });

  it('can be found only by both of its ids', async () => {
    const [{ tenantId }, other] = [await signUp(service), await signUp(service)];
    const order = await placeOrder(tenantId);
    for (const [of, id] of [
      [other.tenantId, order.orderId],
      [tenantId, randomUUID()],
      [tenantId, 'x'],
      ['x', order.orderId],
    ]) {
      for (const how of ['confirm', 'refuse'] as const) {
        expect((await decide(of, id, how, { reason: 'x' })).status, `${of} ${id}`).toBe(404);
      }
    }
  });
});

interface Stuck {
  readonly tenant: TestTenant;
  readonly referenceIds: string[];
  readonly submissionId: string;
  read(): ReturnType<typeof readStatus>;
}

/** Creates documents in doubt without further lookups. */
async function stuck({ isTaken, count = 1 }: { isTaken: boolean; count?: number }): Promise<Stuck> {
  const tenant = await createTenant(service);
  // Failures in earlier tests would limit the first calls to one document.
  await service.owner.query('UPDATE call_budget SET failures = 0, blocked_until = service_now()');
  await service.control('settings', { searchLagMs: 100 * 3_600_000 });
  const referenceIds = Array.from({ length: count }, () => reference());
  const { submissionBatchId } = await accept(
    service,
    tenant,
    referenceIds.map((referenceId) => invoice({ referenceId })),
  );
  const fault = isTaken ? 'drop-after' : 'http-500-before';
  await service.control('faults', [{ when: { api: 'submit' }, fault, times: 1 }]);
  await service.tick('submit');
  await endLookups(service);
  await signInAgain();
  const { body } = await operator.get<QueueDto>('/operator/queue');
  const doubt = body.doubts.find(({ tenantId }) => tenantId === tenant.tenantId);
  expect(doubt).toMatchObject({ referenceIds, nextLookAt: null, environment: 'sandbox' });
  return {
    tenant,
    referenceIds,
    submissionId: doubt?.submissionId ?? '',
    read: () => readStatus(service, tenant, submissionBatchId),
  };
}

function release<T>(submissionId: string, body: object) {
  return operator.post<T>(`/operator/in-doubt/${submissionId}/release`, body);
}

describe('submission in doubt', () => {
  it('is sent again if an operator chooses to resend it', async () => {
    const { tenant, submissionId, referenceIds, read } = await stuck({ isTaken: false });
    const { status, body } = await release<ReleasedDto>(submissionId, { decision: 'resend' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ decision: 'resend', documents: [{ referenceId: referenceIds[0] }] });
    expect(await readAuditLines(service, tenant.tenantId)).toEqual([`in_doubt.resend by ${email}`]);
    await service.settle();
    expect((await read()).status).toBe('Valid');
    const again = await release<Problem>(submissionId, { decision: 'fail' });
    expect([again.status, again.body.code]).toEqual([409, 'state_conflict']);
    expect(await readAuditLines(service, tenant.tenantId)).toHaveLength(1);
  });

  it('fails if an operator gives up', async () => {
    const { tenant, submissionId, read } = await stuck({ isTaken: false });
    expect((await release(submissionId, { decision: 'fail' })).status).toBe(200);
    expect((await read()).documents).toMatchObject([
      { submissionStatus: 'SubmitFailed', errors: [{ code: 'in_doubt_given_up' }] },
    ]);
    expect(await readAuditLines(service, tenant.tenantId)).toEqual([`in_doubt.fail by ${email}`]);
  });

  it('remains in doubt for documents that the operator does not adopt', async () => {
    const { submissionId, referenceIds, read } = await stuck({ isTaken: true, count: 2 });
    const log = await service.wireLog();
    const uuid = log.find(({ number }) => number === referenceIds[1])?.uuid;
    const wrong = [{ referenceId: referenceIds[0], authorityUuid: uuid }];
    const refused = await release<Problem>(submissionId, { decision: 'adopt', documents: wrong });
    expect([refused.status, refused.body.code]).toEqual([409, 'state_conflict']);
    expect(refused.body.message).toContain('is not invoice');
    const right = [{ referenceId: referenceIds[1], authorityUuid: uuid }];
    const { status, body } = await release<ReleasedDto>(submissionId, { decision: 'adopt', documents: right });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.documents).toEqual([
      { documentType: 'invoice', referenceId: referenceIds[1], authorityUuid: uuid, status: null, unclear: null },
    ]);
    const { body: queue } = await operator.get<QueueDto>('/operator/queue');
    expect(queue.doubts.find((doubt) => doubt.submissionId === body.stillInDoubt)).toMatchObject({
      referenceIds: [referenceIds[0]],
    });
    expect((await release(body.stillInDoubt ?? '', { decision: 'fail' })).status).toBe(200);
    await service.settle();
    const outcomes = (await read()).documents.map(({ submissionStatus, authorityStatus }) => [
      submissionStatus,
      authorityStatus,
    ]);
    expect(outcomes).toEqual([
      ['SubmitFailed', null],
      ['Submitted', 'Valid'],
    ]);
  });

  it('gets the outcome that an operator enters', async () => {
    const { tenant, submissionId, referenceIds, read } = await stuck({ isTaken: true });
    await service.owner.query(
      `UPDATE authority_submission SET client_id = 'former', due_at = service_now() - interval '6 minutes'
        WHERE id = $1`,
      [submissionId],
    );
    // An authority call makes the dispatcher observe the new time.
    await service.restart();
    await accept(service, await createTenant(service), [invoice()]);
    await service.tick('submit');
    const { body: queue } = await operator.get<QueueDto>('/operator/queue');
    expect(queue.doubts.find((doubt) => doubt.submissionId === submissionId)).toMatchObject({
      reason: expect.stringContaining('client id former') as string,
      nextLookAt: null,
      decisions: ['resend', 'adopt', 'outcome', 'fail'],
    });
    const [referenceId] = referenceIds;
    const uuid = (await service.wireLog()).find(({ number }) => number === referenceId)?.uuid;
    const outcomes = [{ referenceId, status: 'valid', authorityUuid: uuid }];
    const { status, body } = await release<ReleasedDto>(submissionId, { decision: 'outcome', outcomes });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.documents).toEqual([
      { documentType: 'invoice', referenceId, authorityUuid: uuid, status: 'valid', unclear: null },
    ]);
    expect((await read()).documents).toMatchObject([{ authorityStatus: 'Valid', authorityUuid: uuid }]);
    expect(await readAuditLines(service, tenant.tenantId)).toEqual([`in_doubt.outcome by ${email}`]);
  });

  it.each([
    [{ decision: 'retry' }, 'decision must be one of: resend, adopt, outcome, fail'],
    [{ decision: 'adopt' }, 'documents is required'],
    [{ decision: 'adopt', documents: [{ referenceId: 'A' }] }, 'documents[0].authorityUuid is required'],
  ])('rejects the operator decision %j', async (body, message) => {
    const response = await release<Problem>(UUID, body);
    expect([response.status, response.body.errors]).toEqual([400, [message]]);
  });

  it('returns 404 for an unknown id', async () => {
    for (const id of [UUID, 'x']) expect((await release(id, { decision: 'fail' })).status, id).toBe(404);
  });
});

describe('queue and authority pages', () => {
  it('show a waiting tenant queue until an operator retries it', async () => {
    const tenant = await createTenant(service, { profile: { name: 'Kedai Tertahan' } });
    await accept(service, tenant, [invoice()]);
    await service.owner.query(
      `UPDATE tenant_queue SET waiting_until = service_now() + interval '1 hour', waiting_since = service_now(),
              waiting_code = 'not_appointed', failures = 3 WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    const findTenantQueue = async () => {
      const { body } = await operator.get<QueueDto>('/operator/queue');
      return body.tenantQueues.find(({ tenantId }) => tenantId === tenant.tenantId);
    };
    expect(await findTenantQueue()).toMatchObject({
      tenantName: 'Kedai Tertahan',
      waiting: 1,
      waitingCode: 'not_appointed',
    });
    const { body } = await operator.post<RetriedDto>('/operator/tenant-queues/retry', { tenantId: tenant.tenantId });
    expect(body).toEqual({ retried: [{ environment: 'sandbox', reason: 'not_appointed' }] });
    expect(await findTenantQueue()).toMatchObject({ waiting: 1, waitingUntil: null, waitingCode: 'not_running' });
    expect(await readAuditLines(service, tenant.tenantId)).toEqual([`tenant_queues.retried by ${email}`]);
    const again = await operator.post<RetriedDto>('/operator/tenant-queues/retry', { tenantId: tenant.tenantId });
    expect(again.body).toEqual({ retried: [] });
    expect(await readAuditLines(service, tenant.tenantId)).toHaveLength(1);
    for (const tenantId of [UUID, 'x']) {
      expect((await operator.post('/operator/tenant-queues/retry', { tenantId })).status).toBe(404);
    }
  });

  it('count late documents until they have an outcome', async () => {
    const tenant = await createTenant(service);
    await accept(service, tenant, [invoice({ referenceId: 'SIM-SLOW-1200-1' })]);
    const findTenantQueue = async () => {
      await signInAgain();
      const { body } = await operator.get<QueueDto>('/operator/queue');
      return body.tenantQueues.find(({ tenantId }) => tenantId === tenant.tenantId);
    };
    while ((await service.tick('submit')) > 0);
    expect(await findTenantQueue()).toMatchObject({ waiting: 0, processing: 0, atAuthority: 1, late: 0 });
    await service.advance(16 * 60);
    expect(await findTenantQueue()).toMatchObject({ operation: 'submit', atAuthority: 1, late: 1 });
    await service.advance(5 * 60);
    await service.settle();
    await signInAgain();
    expect(await findTenantQueue()).toBeUndefined();
  });

  it('show budgets, logins, recent calls and waiting documents', async () => {
    const tenant = await createTenant(service);
    await issue(service, tenant, invoice());
    await service.tick('housekeeping');
    const { body } = await operator.get<AuthorityHealthDto>('/operator/authority');
    const [{ environment, apis, tokensHeld }, ...others] = body.environments;
    expect([environment, others]).toEqual(['sandbox', []]);
    expect(tokensHeld).toBeGreaterThan(0);
    expect(apis.map(({ api }) => api)).toContain('submit');
    expect(apis.find(({ api }) => api === 'submit')).toMatchObject({ callsPerMinute: null, failures: 0 });
    expect(body.recentCalls.some(({ tenantId }) => tenantId === tenant.tenantId)).toBe(true);
    const seen = Date.parse(String(body.dispatcher.seenAt));
    expect(Math.abs(Date.parse(String(body.now)) - seen)).toBeLessThan(60_000);
  });

  it('show when and why calls are paused', async () => {
    await service.owner.query(
      `INSERT INTO call_budget VALUES ('test-client-sandbox', 'sandbox', 'search', service_now(),
         service_now() + interval '1 hour', service_now(), 'call_budget', 2)
       ON CONFLICT (client_id, environment, api) DO UPDATE SET blocked_until = excluded.blocked_until,
         blocked_since = excluded.blocked_since, blocked_reason = excluded.blocked_reason, failures = 2`,
    );
    const { body } = await operator.get<AuthorityHealthDto>('/operator/authority');
    const search = body.environments[0].apis.find(({ api }) => api === 'search');
    expect(search).toMatchObject({ blockedReason: 'call_budget', blockedUntil: expect.any(String), failures: 2 });
  });
});

describe('operator audit log', () => {
  it('contains entries with and without an organisation, also as CSV', async () => {
    const tenant = await createTenant(service, { profile: { name: '=Kedai()' } });
    const order = await placeOrder(tenant.tenantId);
    await decide(tenant.tenantId, order.orderId, 'confirm');
    const list = async (query: string) => (await operator.get<OperatorAuditDto>(`/operator/audit?${query}`)).body.items;
    const listActions = async (query: string) => (await list(query)).map(({ action }) => action);
    expect(await listActions(`tenantId=${tenant.tenantId}`)).toEqual(['order.confirmed', 'order.requested']);
    expect(await listActions(`tenantId=${tenant.tenantId}&actor=${email.toUpperCase()}`)).toEqual(['order.confirmed']);
    expect(await listActions(`tenantId=${tenant.tenantId}&action=order.r`)).toEqual(['order.requested']);
    const [entry] = await list(`tenantId=${tenant.tenantId}`);
    expect(entry).toMatchObject({ organisation: '=Kedai()', actor: email, ip: '127.0.0.1' });
    expect(entry.details).toMatchObject({ orderId: order.orderId, credits: 500 });
    await operator.enter('/sign-in', { email, password: 'correct horse battery staple' });
    const [signIn] = await list('action=user.signed_in&limit=1');
    expect(signIn).toMatchObject({ organisation: null, actor: email });
    const file = await operator.get<null>(`/operator/audit.csv?tenantId=${tenant.tenantId}`);
    expect(file.text.split('\r\n')).toHaveLength(4);
    expect(file.text).toContain(`,${email},order.confirmed,500 credits,`);
    expect(file.text).toContain(`,'=Kedai(),${tenant.tenantId}\r\n`);
    const wrong = await operator.get<Problem>('/operator/audit?tenantId=x');
    expect([wrong.status, wrong.body.errors]).toEqual([400, ['tenantId must be an id']]);
  });
});
