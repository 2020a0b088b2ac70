import { describe, expect, it } from 'vitest';
import type {
  CreditEntriesDto,
  CreditsDto,
  OrderDto,
  OrdersDto,
} from '../../src/dashboard-api/credits/dto/credits.dto.js';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import { cancel, createTenant, issue } from '../support/client.js';
import { signUp, signUpInto } from '../support/dashboard.js';
import { readAuditLines, type Problem } from '../support/people.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService({
  environment: { CREDIT_PACKS: '100=50, 500=199.9', SIGN_UP_SANDBOX_CREDITS: '200' },
});
const ledger = new CreditLedger(service.owner);

function toCreditsPath(tenantId: string): string {
  return `/organisations/${tenantId}/credits`;
}

describe('credits of an organisation', () => {
  it('are limited to the sandbox after sign-up', async () => {
    const { browser, tenantId } = await signUp(service);
    const { status, body } = await browser.get<CreditsDto>(toCreditsPath(tenantId));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      balance: 200,
      sandboxOnly: 200,
      usedLastSevenDays: 0,
      warnings: [{ code: 'none_left' }],
    });
    expect(body.lots).toMatchObject([{ granted: 200, remaining: 200, environment: 'sandbox' }]);
    expect(body.warnings[0].hint).toContain('Order credits');
  });

  it('are shown with lots, recent usage and expiry warnings', async () => {
    const tenant = await createTenant(service, { credits: 200 });
    const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
    await issue(service, tenant, invoice(), invoice());
    await service.advance(7 * 86_400 + 60);
    await issue(service, tenant, invoice());
    const soon = new Date(Date.now() + (await offsetMs()) + 5 * 86_400_000).toISOString().slice(0, 10);
    await ledger.grant({ tenantId: tenant.tenantId, credits: 3, lastDay: soon });
    await viewer.enter('/sign-in', { email: viewer.session?.user.email, password: 'correct horse battery staple' });
    const { body } = await viewer.get<CreditsDto>(toCreditsPath(tenant.tenantId));
    expect(body).toMatchObject({ balance: 200, usedLastSevenDays: 1 });
    expect(body.lots.map(({ remaining, granted }) => [remaining, granted])).toEqual([
      [3, 3],
      [197, 200],
    ]);
    expect(body.lots[0].lastDay).toBe(soon);
    expect(body.warnings.map(({ code }) => code)).toEqual(['expires_soon']);
  });

  it('have a statement that lists the purpose of each entry', async () => {
    const tenant = await createTenant(service, { credits: 10 });
    const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
    const { submissionBatchId, documents } = await issue(service, tenant, invoice(), invoice());
    await cancel(service, tenant, { documentId: documents[0].documentId });
    const path = `${toCreditsPath(tenant.tenantId)}/entries`;
    const first = await viewer.get<CreditEntriesDto>(`${path}?limit=2`);
    expect(first.body.items).toMatchObject([
      { kind: 'cancel', amount: -1, balanceAfter: 7, purpose: `Cancellation of ${documents[0].referenceId}` },
      { kind: 'submit', amount: -2, balanceAfter: 8, purpose: '2 documents submitted', submissionBatchId },
    ]);
    expect(first.body.items[0].transactionId).toEqual(expect.any(String));
    const second = await viewer.get<CreditEntriesDto>(`${path}?limit=2&cursor=${first.body.next}`);
    expect(second.body.items).toMatchObject([{ kind: 'grant', amount: 10, balanceAfter: 10, environment: null }]);
    expect(second.body.items[0].purpose).toMatch(/^Credits added, to be spent through \d{4}-\d{2}-\d{2}$/);
    expect(second.body.next).toBeNull();
    expect((await viewer.get<Problem>(`${path}?cursor=x`)).body.errors).toEqual([
      'cursor is not a cursor of this list',
    ]);
  });

  it('have a CSV export of the whole statement', async () => {
    const tenant = await createTenant(service, { credits: 10 });
    const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
    await issue(service, tenant, invoice());
    const { headers, text } = await viewer.get<null>(`${toCreditsPath(tenant.tenantId)}/entries.csv`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('Entry,When (UTC+8),Kind,What for,Environment,Credits,Balance,Batch');
    expect(lines[1]).toMatch(/^2,[\d-]+ [\d:]+,Submission,1 document submitted,sandbox,-1,9,/);
  });
});

async function offsetMs(): Promise<number> {
  const [{ ms }] = await service.owner.query<{ ms: number }[]>(
    'SELECT (offset_seconds * 1000)::float8 AS ms FROM service_clock',
  );
  return ms;
}

describe('credit order', () => {
  it('escapes formulas in notes in the CSV file', async () => {
    const { tenantId } = await createTenant(service);
    const member = await signUpInto(service, tenantId, 'member');
    const ordered = await member.post<OrderDto>(`${toCreditsPath(tenantId)}/orders`, { credits: 7, note: '=1+1' });
    const { headers, text } = await member.get<null>(`${toCreditsPath(tenantId)}/orders.csv`);
    expect(headers.get('content-disposition')).toBe('attachment; filename="credit-orders.csv"');
    const [heading, line, ...others] = text.trimEnd().split('\r\n');
    expect(heading).toContain('Ordered (UTC+8),By,Credits,Price (RM),Payment reference,Status,Note');
    expect(line).toContain(`,7,,${ordered.body.reference},Requested,'=1+1,`);
    expect(line).toContain(ordered.body.orderId);
    expect(others).toEqual([]);
  });

  it('is created by a member and recorded in the audit log', async () => {
    const { tenantId } = await createTenant(service);
    const [member, viewer] = [
      await signUpInto(service, tenantId, 'member'),
      await signUpInto(service, tenantId, 'viewer'),
    ];
    const path = `${toCreditsPath(tenantId)}/orders`;
    const made = await member.post<OrderDto>(path, { credits: 500, note: ' Transfer 7731 ' });
    expect(made.status).toBe(201);
    const email = member.session?.user.email;
    expect(made.body).toMatchObject({
      credits: 500,
      price: 199.9,
      reference: expect.stringMatching(/^EI-[\dA-F]{8}$/),
      status: 'Requested',
      note: 'Transfer 7731',
      requestedBy: email,
    });
    expect((await member.get<CreditsDto>(toCreditsPath(tenantId))).body.packs).toEqual([
      { credits: 100, price: 50 },
      { credits: 500, price: 199.9 },
    ]);
    const { body } = await viewer.get<OrdersDto>(path);
    expect(body).toEqual({ items: [made.body], next: null });
    expect(await readAuditLines(service, tenantId)).toEqual([`order.requested by ${email}`]);
    expect((await member.get<CreditsDto>(toCreditsPath(tenantId))).body.balance).toBe(1_000);
  });

  it.each([
    [{ credits: 0 }, 'credits must be at least 1'],
    [{ credits: 1.5 }, 'credits must be a number with at most 0 decimals'],
    [{ credits: 1_000_001 }, 'credits must be at most 1,000,000'],
    [{ credits: '5' }, 'credits must be a JSON number, not a string'],
    [{}, 'credits is required'],
    [{ credits: 1, note: 'x'.repeat(501) }, 'note must be at most 500 characters'],
  ])('is rejected with %j', async (body, message) => {
    const { browser, tenantId } = await signUp(service);
    const response = await browser.post<Problem>(`${toCreditsPath(tenantId)}/orders`, body);
    expect([response.status, response.body.errors]).toEqual([400, [message]]);
    expect((await browser.get<OrdersDto>(`${toCreditsPath(tenantId)}/orders`)).body.items).toEqual([]);
  });

  it('can be cancelled only once and only while open', async () => {
    const { browser, tenantId, email } = await signUp(service);
    const path = `${toCreditsPath(tenantId)}/orders`;
    const { body: order } = await browser.post<OrderDto>(path, { credits: 5 });
    const address = `${path}/${order.orderId}`;
    expect((await browser.call('DELETE', address)).status).toBe(204);
    expect((await browser.get<OrdersDto>(path)).body.items).toMatchObject([{ status: 'Cancelled' }]);
    const again = await browser.call<Problem>('DELETE', address);
    expect([again.status, again.body.code]).toEqual([409, 'state_conflict']);
    expect(again.body.message).toContain('Cancelled');
    expect(await readAuditLines(service, tenantId)).toEqual([
      `organisation.created by ${email}`,
      `credits.granted by ${email}`,
      `order.requested by ${email}`,
      `order.cancelled by ${email}`,
    ]);
  });

  it('is rejected if 20 orders are open', async () => {
    const { browser, tenantId } = await signUp(service);
    const path = `${toCreditsPath(tenantId)}/orders`;
    for (let count = 0; count < 20; count += 1) {
      expect((await browser.post(path, { credits: 1 })).status).toBe(201);
    }
    const refused = await browser.post<Problem>(path, { credits: 1 });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      '20 orders already wait for payment: cancel those that you do not want',
    ]);
  });
});
