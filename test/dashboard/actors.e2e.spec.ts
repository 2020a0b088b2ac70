import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createApi } from '../../src/processes/api-application.js';
import { readConfiguration } from '../../src/config/configuration.js';
import type { BatchPageDto } from '../../src/dashboard-api/batches/dto/batch.dto.js';
import type { TransactionPageDto } from '../../src/dashboard-api/transactions/dto/transaction-row.dto.js';
import type { TransactionDto } from '../../src/dashboard-api/transactions/dto/transaction.dto.js';
import { cancel, createKey, createTenant, submit, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { invoice, reference } from '../support/documents.js';
import type { Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });
let tenant: TestTenant;
let keyId: string;
let member: Browser;
let basePath: string;
beforeEach(async () => {
  tenant = await createTenant(service);
  keyId = await findKeyId(tenant.apiKey);
  member = await signUpInto(service, tenant.tenantId, 'member');
  basePath = `/organisations/${tenant.tenantId}/sandbox`;
});

async function findKeyId(apiKey: string): Promise<string> {
  const [{ id }] = await service.owner.query<{ id: string }[]>(
    `SELECT id FROM api_key WHERE digest = sha256(convert_to($1, 'UTF8'))`,
    [apiKey],
  );
  return id;
}

async function accepted(by: TestTenant, ...documents: object[]): Promise<string> {
  const response = await submit(service, by, documents);
  expect(response.status, response.text).toBe(200);
  return response.body.submissionBatchId as string;
}

async function sentByHand(referenceId: string): Promise<void> {
  const body = { submission_type: 'non-consolidated', documents: [invoice({ referenceId })] };
  const response = await member.post(`${basePath}/submissions`, body, { headers: { 'idempotency-key': randomUUID() } });
  expect(response.status, response.text).toBe(200);
}

async function listed(query: string, browser = member): Promise<TransactionPageDto> {
  const response = await browser.get<TransactionPageDto>(`${basePath}/transactions${query}`);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

async function references(query: string): Promise<string[]> {
  return (await listed(query)).items.map(({ referenceId }) => referenceId);
}

async function one(referenceId: string): Promise<TransactionDto> {
  const [{ transactionId }] = (await listed(`?reference=${referenceId}`)).items;
  return (await member.get<TransactionDto>(`${basePath}/transactions/${transactionId}`)).body;
}

function theKey(): object {
  const detail = `eisk_test_…${tenant.apiKey.slice(-4)}`;
  return { kind: 'key', id: keyId, name: 'test', detail };
}

function theUser(): object {
  const user = member.session?.user;
  return { kind: 'user', id: user?.userId, name: user?.name, detail: user?.email };
}

describe('document submitter', () => {
  it('is shown in lists, history and CSV files', async () => {
    await accepted(tenant, invoice({ referenceId: 'K-1' }));
    await sentByHand('U-1');
    const { items } = await listed('');
    expect(items.map(({ referenceId, submittedBy }) => [referenceId, submittedBy])).toEqual([
      ['U-1', theUser()],
      ['K-1', theKey()],
    ]);
    const { body: batches } = await member.get<BatchPageDto>(`${basePath}/batches`);
    expect(batches.items.map(({ submittedBy }) => submittedBy)).toEqual([theUser(), theKey()]);
    for (const [referenceId, by] of [
      ['K-1', theKey()],
      ['U-1', theUser()],
    ] as const) {
      const { submittedBy, timeline } = await one(referenceId);
      expect([submittedBy, timeline[0].by]).toEqual([by, by]);
    }
    for (const file of ['transactions.csv', 'batches.csv']) {
      const { text } = await member.get(`${basePath}/${file}`);
      expect(text).toContain('Submitted by');
      expect(text).toContain(`test (eisk_test_…${tenant.apiKey.slice(-4)})`);
      expect(text).toContain(`Aisyah (${member.session?.user.email})`);
    }
  });

  it('remains the first API key when another key repeats the request', async () => {
    const other = { ...tenant, apiKey: await createKey(service, tenant.tenantId) };
    const [key, documents] = [randomUUID(), [invoice({ referenceId: 'R-1' })]];
    expect((await submit(service, tenant, documents, { key })).status).toBe(200);
    expect((await submit(service, other, documents, { key })).headers.get('Idempotent-Replayed')).toBe('true');
    expect((await one('R-1')).submittedBy).toEqual(theKey());
  });
});

describe('cancellation history', () => {
  it.each(['key', 'user'])('shows the %s that requested the cancellation', async (kind) => {
    const referenceId = reference();
    await accepted(tenant, invoice({ referenceId }));
    await service.settle();
    member = await signUpInto(service, tenant.tenantId, 'member');
    const { documentId } = await one(referenceId);
    const response =
      kind === 'key'
        ? await cancel(service, tenant, { documentId })
        : await member.post(
            `${basePath}/documents/${documentId}/cancel`,
            {},
            { headers: { 'idempotency-key': randomUUID() } },
          );
    expect(response.status, response.text).toBe(202);
    const by = kind === 'key' ? theKey() : theUser();
    const { timeline } = await one(referenceId);
    expect(timeline.find(({ text }) => text === 'Cancellation requested')?.by).toEqual(by);
    const [stored] = await service.owner.query<object[]>(
      'SELECT api_key_id AS key, user_id AS user FROM document_cancellation WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    const { id } = by as { id: string };
    expect(stored).toEqual(kind === 'key' ? { key: id, user: null } : { key: null, user: id });
  });
});

describe('document history', () => {
  it("shows operator decisions without the operator's name", async () => {
    await accepted(tenant, invoice({ referenceId: 'O-1' }));
    await service.settle();
    member = await signUpInto(service, tenant.tenantId, 'member');
    await service.owner.query(
      `INSERT INTO status_event (tenant_id, transaction_id, version, at, from_state, to_state, cause)
       SELECT tenant_id, id, 99, service_now(), 'processing', 'submitFailed', 'operator_fail'
         FROM document_transaction WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    const { timeline } = await one('O-1');
    expect(timeline.at(-1)?.by).toEqual({ kind: 'operator', id: null, name: 'Operator', detail: null });
  });
});

describe('request log', () => {
  it('contains the organisation and the id of the API key or user', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'actors-'));
    const logFile = path.join(folder, 'log');
    const api = await createApi(readConfiguration('api', { ...service.settings, LOG_LEVEL: 'info' }), { logFile });
    try {
      await api.listen(0, '127.0.0.1');
      const url = await api.getUrl();
      const headers = { 'X-API-Key': tenant.apiKey, Cookie: String(member.cookie) };
      const read = '/api/v1/saas/submissions/019a8b5e-7c1f-7000-8000-000000000001/status';
      expect((await fetch(`${url}${read}`, { headers })).status).toBe(404);
      expect((await fetch(`${url}/api/dashboard${basePath}/transactions`, { headers })).status).toBe(200);
      await until('both requests are in the log', async () => (await requestsIn(logFile)).length === 2);
      const { tenantId } = tenant;
      expect(await requestsIn(logFile)).toMatchObject([
        { tenantId, environment: 'sandbox', keyId, status: 404 },
        { tenantId, environment: 'sandbox', userId: member.session?.user.userId, status: 200 },
      ]);
      const text = await readFile(logFile, 'utf8');
      expect(text).not.toContain(tenant.apiKey);
      expect(text).not.toContain(member.session?.user.email);
    } finally {
      await api.close();
      await rm(folder, { recursive: true });
    }
  });
});

async function requestsIn(logFile: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.includes('"route"'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('submitter filter', () => {
  it('combines with every other filter of documents and batches', async () => {
    const other = { ...tenant, apiKey: await createKey(service, tenant.tenantId) };
    const valid = reference();
    const batch = await accepted(
      tenant,
      invoice({ referenceId: valid }),
      invoice({ referenceId: 'SIM-INVALID-CF358-9' }),
    );
    await service.settle();
    member = await signUpInto(service, tenant.tenantId, 'member');
    await accepted(other, invoice({ referenceId: 'B-1' }));
    await accepted(tenant, invoice({ referenceId: 'A-1' }));
    await sentByHand('C-1');
    const by = `by=key:${keyId}`;
    expect(await references(`?${by}`)).toEqual(expect.arrayContaining(['A-1', valid, 'SIM-INVALID-CF358-9']));
    expect((await references(`?${by}`))[0]).toBe('A-1');
    expect(await references(`?${by}`)).toHaveLength(3);
    expect(await references(`?${by}&status=Invalid`)).toEqual(['SIM-INVALID-CF358-9']);
    expect(await references(`?${by}&type=credit_note`)).toEqual([]);
    expect(await references(`?${by}&reference=A-1`)).toEqual(['A-1']);
    expect(await references(`?${by}&reference=B-1`)).toEqual([]);
    expect(await references(`?${by}&batch=${batch}&status=Valid`)).toEqual([valid]);
    expect(await references(`?by=key:${await findKeyId(other.apiKey)}`)).toEqual(['B-1']);
    expect(await references(`?by=key:${await findKeyId(other.apiKey)}&batch=${batch}`)).toEqual([]);
    expect(await references(`?by=user:${member.session?.user.userId}`)).toEqual(['C-1']);
    expect(await references(`?${by}&to=2020-01-01`)).toEqual([]);
    const { body } = await member.get<BatchPageDto>(`${basePath}/batches?${by}`);
    expect(body.items.map(({ documentCount }) => documentCount)).toEqual([1, 2]);
    const { text } = await member.get(`${basePath}/transactions.csv?by=user:${member.session?.user.userId}`);
    expect([text.includes('C-1'), text.includes('A-1')]).toEqual([true, false]);
  });

  it('lists each document exactly once across pages, even with equal timestamps', async () => {
    const count = 8;
    await inOneMillisecond(count);
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; page <= 2 * count && cursor !== null; page += 1) {
      const { items, next }: TransactionPageDto = await listed(`?by=key:${keyId}&limit=3&cursor=${cursor}`);
      seen.push(...items.map(({ referenceId }) => referenceId));
      cursor = next;
    }
    expect(seen).toHaveLength(2 * count);
    expect(new Set(seen).size).toBe(2 * count);
  });

  it('reads a bounded number of submissions per page', async () => {
    await accepted(tenant, invoice({ referenceId: 'SIM-INVALID-CF358-8' }));
    await service.settle();
    member = await signUpInto(service, tenant.tenantId, 'member');
    await afterThat(2_500);
    const pages: string[][] = [];
    let cursor: string | null = '';
    for (let page = 0; page < 5 && cursor !== null; page += 1) {
      const { items, next }: TransactionPageDto = await listed(`?by=key:${keyId}&status=Invalid&cursor=${cursor}`);
      pages.push(items.map(({ referenceId }) => referenceId));
      cursor = next;
    }
    expect(pages).toEqual([[], ['SIM-INVALID-CF358-8']]);
    const { text } = await member.get(`${basePath}/transactions.csv?by=key:${keyId}&status=Invalid`);
    expect(text).toContain('SIM-INVALID-CF358-8');
  });

  it.each(['key', 'key:', 'user:x', 'operator:', randomUUID(), `keys:${randomUUID()}`])(
    'rejects %s and explains the expected value',
    async (by) => {
      for (const list of ['transactions', 'transactions.csv', 'batches', 'batches.csv']) {
        const response = await member.get<Problem>(`${basePath}/${list}?by=${by}`);
        expect([response.status, response.body.details?.[0]]).toEqual([
          400,
          expect.objectContaining({ pointer: '/by', rule: 'by_form', hint: expect.stringContaining('key:') as string }),
        ]);
      }
    },
  );

  it('matches no keys or users of another organisation', async () => {
    const stranger = await createTenant(service);
    await accepted(stranger, invoice({ referenceId: 'S-1' }));
    await accepted(tenant, invoice({ referenceId: 'T-1' }));
    const strangerKey = await findKeyId(stranger.apiKey);
    expect(await references(`?by=key:${strangerKey}`)).toEqual([]);
    expect((await member.get<BatchPageDto>(`${basePath}/batches?by=key:${strangerKey}`)).body.items).toEqual([]);
    // Row-level security hides the name of another organisation's key.
    await service.owner.query('UPDATE submission_batch SET api_key_id = $2 WHERE tenant_id = $1', [
      tenant.tenantId,
      strangerKey,
    ]);
    expect((await one('T-1')).submittedBy).toBeNull();
  });
});

/**
 * Sends batches of two documents in the same millisecond, so that ids of documents and batches have different orders.
 */
async function inOneMillisecond(count: number): Promise<void> {
  const random = `('019a8b5e-7c1f-7' || substr(md5(random()::text), 1, 3) || '-8' || substr(md5(random()::text), 1, 3) || '-'
                   || substr(md5(random()::text), 1, 12))::uuid`;
  await service.owner.query(
    `WITH made AS MATERIALIZED (SELECT n, ${random} AS batch_id FROM generate_series(1, $2::integer) AS n),
     attempt AS MATERIALIZED (
       SELECT n, batch_id, position, ${random} AS id FROM made CROSS JOIN generate_series(0, 1) AS position),
     batch AS (
       INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, api_key_id, created_at)
       SELECT $1, batch_id, 'sandbox', 'non-consolidated', 2, $3, service_now() FROM made),
     doc AS (
       INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
       SELECT $1, id, 'sandbox', 'invoice', 'M-' || n || '-' || position, id, 1, service_now() FROM attempt)
     INSERT INTO document_transaction
       (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
        payload, totals, buyer_tin, on_behalf_of, submission_status, authority_status, wire_bytes_max, due_at, created_at,
        updated_at)
     SELECT $1, id, 'sandbox', id, batch_id, position, 1, 'invoice', 'M-' || n || '-' || position, '{}', '{}',
            'EI00000000010', 'C1', 'Submitted', 'Valid', 1, service_now(), service_now(), service_now()
       FROM attempt`,
    [tenant.tenantId, count, keyId],
  );
}

/** Sends valid documents in separate batches. */
async function afterThat(count: number): Promise<void> {
  await service.owner.query(
    `WITH made AS MATERIALIZED (
       SELECT n, (lpad(to_hex((extract(epoch FROM service_now()) * 1000)::bigint + n), 12, '0') || '7000' || '8000'
                  || lpad(to_hex(n), 12, '0'))::uuid AS id
         FROM generate_series(1, $2::integer) AS n),
     batch AS (
       INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, api_key_id, created_at)
       SELECT $1, id, 'sandbox', 'non-consolidated', 1, $3, service_now() FROM made),
     doc AS (
       INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
       SELECT $1, id, 'sandbox', 'invoice', 'N-' || n, id, 1, service_now() FROM made)
     INSERT INTO document_transaction
       (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
        payload, totals, buyer_tin, on_behalf_of, submission_status, authority_status, wire_bytes_max, due_at, created_at,
        updated_at)
     SELECT $1, id, 'sandbox', id, id, 0, 1, 'invoice', 'N-' || n, '{}', '{}', 'EI00000000010', 'C1', 'Submitted', 'Valid',
            1, service_now(), service_now(), service_now()
       FROM made`,
    [tenant.tenantId, count, keyId],
  );
}
