import { DataSource } from 'typeorm';
import { afterEach, expect, it } from 'vitest';
import { accept, createTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { TestService } from '../support/service.js';

// A pooler in transaction mode may run the next statement on a connection that has not prepared it.

let service: TestService;
afterEach(() => service.stop());

async function countPreparedStatements(): Promise<number> {
  const [{ count }] = await service.api
    .get(DataSource)
    .query<{ count: number }[]>('SELECT count(*)::int AS count FROM pg_prepared_statements');
  return count;
}

it.each([
  { setting: 'on', title: 'prepares statements', isKept: true },
  { setting: 'off', title: 'does not prepare statements', isKept: false },
])('DATABASE_PREPARED_STATEMENTS=$setting $title', async ({ setting, isKept }) => {
  service = await TestService.start({
    environment: { DATABASE_POOL_SIZE: '1', DATABASE_PREPARED_STATEMENTS: setting },
  });
  const tenant = await createTenant(service);
  await accept(service, tenant, [invoice()]);
  await service.settle();
  expect(await service.owner.query('SELECT authority_status FROM document_transaction')).toEqual([
    { authority_status: 'Valid' },
  ]);
  expect((await countPreparedStatements()) > 0).toBe(isKept);
});
