import { EntityManager } from 'typeorm';
import { afterEach, expect, it, vi } from 'vitest';
import type { TransactionPageDto } from '../../src/dashboard-api/transactions/dto/transaction-row.dto.js';
import { WALKS } from '../../src/dashboard-api/transactions/search.sql.js';
import { accept, createTenant, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { invoice, line } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Exceeds the maximum set size and the maximum number of checked rows (`search.sql.ts`).

const AT_ONCE = 100;
const MS_MAX = 120_000;

const service = await startFileService();
afterEach(() => void vi.restoreAllMocks());

async function open(): Promise<{ tenant: TestTenant; viewer: Browser; basePath: string }> {
  const tenant = await createTenant(service, { credits: 10_000 });
  const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  return { tenant, viewer, basePath: `/organisations/${tenant.tenantId}/sandbox` };
}

async function acceptMany(tenant: TestTenant, count: number, number: (index: number) => string): Promise<void> {
  const item = { ...line, quantity: 1, discount: 0, taxAmount: 0, unitPrice: 500, lineTotal: 500 };
  for (let from = 0; from < count; from += AT_ONCE) {
    const indices = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    const documents = indices.map((index) => invoice({ referenceId: number(index), lineItems: [item] }));
    await accept(service, tenant, documents);
  }
}

async function readFile(viewer: Browser, address: string): Promise<string[]> {
  const { status, text } = await viewer.get(address);
  expect(status).toBe(200);
  return text.trim().split('\r\n').slice(1);
}

it(
  'document search lists a document once if both number and amount match',
  async () => {
    const { tenant, viewer, basePath } = await open();
    await acceptMany(tenant, 980, (index) => (index < 200 ? String(50_000 + index) : `INV-${index}`));
    expect(new Set(await readFile(viewer, `${basePath}/transactions.csv?q=500`)).size).toBe(980);
    const { body } = await viewer.get<{ counts: { documents: number }[] }>(`${basePath}/transaction-counts?q=500`);
    expect(body.counts.reduce((sum, { documents }) => sum + documents, 0)).toBe(980);
  },
  MS_MAX,
);

it(
  'document search lists each document once while new documents are accepted',
  async () => {
    const { tenant, viewer, basePath } = await open();
    await acceptMany(tenant, 1_050, (index) => `OLD-${index}`);
    await acceptMany(tenant, 1_950, (index) => `NEW-${index}`);
    const query = EntityManager.prototype.query;
    let arrived = 0;
    vi.spyOn(EntityManager.prototype, 'query').mockImplementation(async function (this: EntityManager, text, values) {
      if (text === WALKS['-accepted'].end.text) {
        await acceptMany(tenant, 30, () => `LATE-${(arrived += 1)}`);
      }
      return query.call(this, text, values);
    });
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const address: string = `${basePath}/transactions?${new URLSearchParams({ q: 'old-', limit: '200', cursor: next }).toString()}`;
      const response = await viewer.get<TransactionPageDto>(address);
      expect(response.status, response.text).toBe(200);
      const { items, next: following }: TransactionPageDto = response.body;
      seen.push(...items.map(({ referenceId }) => referenceId));
      next = following;
    }
    expect(arrived).toBeGreaterThan(0);
    expect(seen).toHaveLength(1_050);
    expect(new Set(seen).size).toBe(1_050);
  },
  MS_MAX,
);
