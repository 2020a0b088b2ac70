import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import { expectConsistentCredits } from '../support/audit.js';
import {
  accept,
  type ApiResponse,
  cancel,
  createKey,
  createTenant,
  readBalance,
  countTenantRows,
  issue,
  post,
  refused,
  sortStatuses,
  submit,
} from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });
const tenant = await createTenant(service, { credits: 10_000 });
afterEach(() => expectConsistentCredits(service.owner));

function sendText(key: string, body: string, owner = tenant): Promise<ApiResponse> {
  return post(service, owner, { path: '/v1/einvoice/submit', body, key });
}

function envelope(...documents: unknown[]): object {
  return { submission_type: 'non-consolidated', documents };
}

function expectReplayed(replay: ApiResponse, first: ApiResponse): void {
  expect(replay.status, replay.text).toBe(first.status);
  expect(replay.text).toBe(first.text);
  expect(replay.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(replay.headers.get('x-credits-charged')).toBe('0');
}

describe('repeated request with the same key and body', () => {
  const operations: [operation: string, start: () => Promise<() => Promise<ApiResponse>>][] = [
    [
      'submit',
      () => {
        const key = randomUUID();
        const documents = [invoice(), invoice()];
        return Promise.resolve(() => submit(service, tenant, documents, { key }));
      },
    ],
    [
      'cancel',
      async () => {
        const key = randomUUID();
        const [{ documentId }] = (await issue(service, tenant, invoice())).documents;
        return () => cancel(service, tenant, { documentId }, { key });
      },
    ],
  ];

  it.each(operations)('returns the stored response of %s without further effects', async (_, start) => {
    const call = await start();
    const first = await call();
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const holdings = await countTenantRows(service, tenant);
    for (let repeat = 0; repeat < 3; repeat += 1) {
      const replay = await call();
      expectReplayed(replay, first);
      expect(replay.headers.get('x-credits-remaining')).toBe(String(holdings.balance));
    }
    expect(await countTenantRows(service, tenant)).toEqual(holdings);
    await service.settle();
    expectReplayed(await call(), first);
  });

  it('returns the current remaining credits', async () => {
    const owner = await createTenant(service, { credits: 10 });
    const key = randomUUID();
    const documents = [invoice()];
    await submit(service, owner, documents, { key });
    await accept(service, owner, [invoice(), invoice()]);
    expect((await submit(service, owner, documents, { key })).headers.get('x-credits-remaining')).toBe('7');
  });

  it('ignores field order, white space, escapes and number formats in the body', async () => {
    const key = randomUUID();
    const body = envelope(invoice({ referenceId: `Ä-${randomUUID()}` }));
    const first = await sendText(key, JSON.stringify(body));
    expect(first.status).toBe(200);
    const written: [title: string, text: string][] = [
      ['reversed members', JSON.stringify(reversed(body))],
      ['white space', JSON.stringify(body, null, '\t')],
      ['a byte order mark', `﻿${JSON.stringify(body)}`],
      ['escapes', JSON.stringify(body).replaceAll('Ä', '\\u00c4').replaceAll('/', '\\/')],
      ['1.0 for 1', JSON.stringify(body).replace('"quantity":2', '"quantity":2.0').replace('100', '1e2')],
    ];
    for (const [title, text] of written) {
      expect(text, title).not.toBe(JSON.stringify(body));
      expectReplayed(await sendText(key, text), first);
    }
  });

  it('replays for every API key of the tenant, even after the first one is revoked', async () => {
    const owner = await createTenant(service);
    const key = randomUUID();
    const documents = [invoice()];
    const first = await submit(service, owner, documents, { key });
    const other = { ...owner, apiKey: await createKey(service, owner.tenantId) };
    expectReplayed(await submit(service, other, documents, { key }), first);
  });
});

describe('repeated request with the same key and another body', () => {
  const changes: [title: string, change: (document: Record<string, unknown>) => unknown[]][] = [
    ['another amount', (document) => [{ ...document, totalRoundingAmount: 0.01 }]],
    ['an unknown member', (document) => [{ ...document, note: 1 }]],
    ['a member of null', (document) => [{ ...document, totalDiscountAmount: null }]],
    ['one more document', (document) => [document, invoice()]],
    ['another spelling of a member', ({ document_date: documentDate, ...rest }) => [{ ...rest, documentDate }]],
    ['a text for a number', (document) => [{ ...document, totalRoundingAmount: '0' }]],
    ['white space in a text', (document) => [{ ...document, referenceId: ` ${String(document.referenceId)}` }]],
  ];

  it.each(changes)('returns 409 idempotency_key_reused: %s', async (_, change) => {
    const key = randomUUID();
    const document = invoice({ totalRoundingAmount: 0 });
    await accept(service, tenant, [document], { key });
    const response = await refused(service, tenant, () => submit(service, tenant, change(document), { key }));
    expect(response.status).toBe(409);
    expect(response.body).toMatchObject({
      code: 'idempotency_key_reused',
      message:
        'This idempotency-key was used with a different body: send a new or corrected request with a new key, and repeat ' +
        'the earlier one with its own body',
    });
  });

  it('returns 409 for a different order of the documents', async () => {
    const key = randomUUID();
    const documents = [invoice(), invoice()];
    await accept(service, tenant, documents, { key });
    const response = await refused(service, tenant, () => submit(service, tenant, documents.toReversed(), { key }));
    expect(response.body.code).toBe('idempotency_key_reused');
  });

  it('returns 409 for a cancel request and keeps the stored response', async () => {
    const key = randomUUID();
    const [one, two] = (await issue(service, tenant, invoice(), invoice())).documents;
    const first = await cancel(service, tenant, { documentId: one.documentId }, { key });
    const response = await refused(service, tenant, () =>
      cancel(service, tenant, { documentId: two.documentId }, { key }),
    );
    expect(response.body.code).toBe('idempotency_key_reused');
    expectReplayed(await cancel(service, tenant, { documentId: one.documentId }, { key }), first);
    await service.settle();
  });
});

describe('scope of an idempotency key', () => {
  it('distinguishes operations', async () => {
    const key = randomUUID();
    const [{ documentId }] = (await issue(service, tenant, invoice())).documents;
    await accept(service, tenant, [invoice()], { key });
    expect((await cancel(service, tenant, { documentId }, { key })).status).toBe(202);
    await service.settle();
  });

  it('distinguishes tenants', async () => {
    const key = randomUUID();
    await accept(service, tenant, [invoice()], { key });
    const other = await createTenant(service);
    const response = await submit(service, other, [invoice()], { key });
    expect(response.status).toBe(200);
    expect(response.headers.get('idempotent-replayed')).toBeNull();
  });

  it('distinguishes environments, as document numbers do', async () => {
    // The simulator serves both environments and would reject the second document as a duplicate.
    await service.control('settings', { duplicateRules: false });
    const key = randomUUID();
    const documents = [invoice()];
    const first = await submit(service, tenant, documents, { key });
    const production = { ...tenant, apiKey: await createKey(service, tenant.tenantId, 'production') };
    const response = await submit(service, production, documents, { key });
    expect(response.status).toBe(200);
    expect(response.headers.get('idempotent-replayed')).toBeNull();
    expect(response.body.submissionBatchId).not.toBe(first.body.submissionBatchId);
    expect(response.body.documents[0].documentId).not.toBe(first.body.documents[0].documentId);
  });

  it('is case-sensitive', async () => {
    const key = `k-${randomUUID()}`;
    await accept(service, tenant, [invoice()], { key });
    expect((await submit(service, tenant, [invoice()], { key: key.toUpperCase() })).status).toBe(200);
  });
});

describe('idempotency key of a failed request', () => {
  it('can be used again after a 400', async () => {
    const key = randomUUID();
    expect((await submit(service, tenant, [invoice({ lineItems: [] })], { key })).status).toBe(400);
    expect((await submit(service, tenant, [invoice()], { key })).status).toBe(200);
  });

  it('can be used again with the same body after a 402', async () => {
    const poor = await createTenant(service, { credits: 0 });
    const key = randomUUID();
    const documents = [invoice()];
    expect((await submit(service, poor, documents, { key })).status).toBe(402);
    await new CreditLedger(service.owner).grant({ tenantId: poor.tenantId, credits: 1 });
    expect((await submit(service, poor, documents, { key })).status).toBe(200);
  });

  it('can be used again with the same body after a 409', async () => {
    const key = randomUUID();
    const document = invoice();
    const [{ documentId }] = (await issue(service, tenant, document)).documents;
    expect((await submit(service, tenant, [document], { key })).status).toBe(409);
    await cancel(service, tenant, { documentId });
    await service.settle();
    expect((await submit(service, tenant, [document], { key })).status).toBe(200);
  });

  it('is available immediately after a crash within the database transaction', async () => {
    const owner = await createTenant(service, { credits: 1 });
    const key = randomUUID();
    const documents = [invoice()];
    const holder = service.owner.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE', [owner.tenantId]);
    const dying = submit(service, owner, documents, { key });
    const pid = await service.blockedBy(holder);
    const app = new pg.Client({ connectionString: service.database.appUrl });
    await app.connect();
    // Waits until the backend and its locks are gone.
    await app.query('SELECT pg_terminate_backend($1, 60000)', [pid]);
    await app.end();
    const response = await dying;
    expect(response.status, response.text).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    await holder.rollbackTransaction();
    await holder.release();
    expect(await readBalance(service, owner)).toBe(1);
    expect((await submit(service, owner, documents, { key })).status).toBe(200);
    expect(await readBalance(service, owner)).toBe(0);
  });
});

describe('concurrent requests with one key', () => {
  const ROUNDS = 50;

  it(`take effect and are charged once in ${ROUNDS} rounds`, async () => {
    const owner = await createTenant(service, { credits: ROUNDS });
    for (let round = 1; round <= ROUNDS; round += 1) {
      const key = randomUUID();
      const documents = [invoice()];
      const responses = await Promise.all([1, 2].map(() => submit(service, owner, documents, { key })));
      const accepted = responses.filter(({ status }) => status === 200);
      expect(accepted.length).toBeGreaterThan(0);
      for (const { text } of accepted) expect(text).toBe(accepted[0].text);
      for (const { status, body } of responses) {
        if (status !== 200) expect([status, body.code]).toEqual([409, 'idempotency_key_in_progress']);
      }
      expect(await readBalance(service, owner)).toBe(ROUNDS - round);
    }
    expect((await countTenantRows(service, owner)).submission_batch).toBe(ROUNDS);
  });

  it('are accepted for only one of two different bodies', async () => {
    const owner = await createTenant(service, { credits: 100 });
    for (let round = 0; round < 10; round += 1) {
      const key = randomUUID();
      const responses = await Promise.all([1, 2].map(() => submit(service, owner, [invoice()], { key })));
      expect(sortStatuses(responses)).toEqual([200, 409]);
    }
    expect(await readBalance(service, owner)).toBe(90);
  });
});

it('idempotency key expires after 30 days', async () => {
  const key = randomUUID();
  await accept(service, tenant, [invoice()], { key });
  await service.advance(29 * 86_400);
  await service.tick('housekeeping');
  expect((await submit(service, tenant, [invoice()], { key })).body.code).toBe('idempotency_key_reused');
  await service.advance(2 * 86_400);
  await service.tick('housekeeping');
  expect((await submit(service, tenant, [invoice()], { key })).status).toBe(200);
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
