import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import { CreditsService } from '../../src/credits/credits.service.js';
import { createDataSource } from '../../src/database/data-source.js';
import { TenantService } from '../../src/tenants/tenant.service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let owner: DataSource;
let ledger: CreditLedger;
let tenantId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = await createDataSource({ url: database.ownerUrl, poolSize: 8, applicationName: 'test' }).initialize();
  ledger = new CreditLedger(owner);
});

afterAll(async () => {
  await owner?.destroy();
  await database?.drop();
});

beforeEach(async () => {
  await owner.query('UPDATE service_clock SET offset_seconds = 0');
  tenantId = (await new TenantService(owner).create({ name: 'Kedai Contoh' })).tenantId;
});

describe('grant', () => {
  it('adds to the balance under concurrent grants, the first of which makes the account', async () => {
    await Promise.all(Array.from({ length: 16 }, () => ledger.grant({ tenantId, credits: 10 })));
    expect((await ledger.readBalance(tenantId)).balance).toBe(160);
    expect((await ledger.readStatement(tenantId, 100)).map((entry) => entry.balanceAfter)).toEqual(
      Array.from({ length: 16 }, (_, index) => 160 - 10 * index),
    );
  });

  it('answers a balance without what has expired', async () => {
    const { expiresAt } = await ledger.grant({ tenantId, credits: 10, lastDay: '2099-01-01' });
    await owner.query(
      'UPDATE service_clock SET offset_seconds = extract(epoch FROM $1::timestamptz - clock_timestamp())',
      [expiresAt],
    );
    expect(await new CreditsService().readRemaining(owner.manager, tenantId)).toBe(0);
    expect(await ledger.readBalance(tenantId)).toEqual({ balance: 0, lots: [] });
    expect(await ledger.grant({ tenantId, credits: 3 })).toMatchObject({ balance: 3 });
    const statement = await ledger.readStatement(tenantId, 10);
    expect(statement.map(({ kind, amount, balanceAfter }) => [kind, amount, balanceAfter])).toEqual([
      ['grant', 3, 3],
      ['expire', -10, 0],
      ['grant', 10, 10],
    ]);
  });

  it.each([
    [{ credits: 0 }, '--credits must be a whole number from 1'],
    [{ credits: 1.5 }, '--credits must be a whole number from 1'],
    [{ credits: 100_000_001 }, '--credits must be a whole number from 1'],
    [{ credits: 1, lastDay: '2099-02-29' }, '--expires-at must be a valid calendar date'],
    [{ credits: 1, lastDay: '2020-01-01' }, '--expires-at 2020-01-01 is in the past'],
  ])('refuses %j and changes nothing', async (wrong, message) => {
    await expect(ledger.grant({ tenantId, ...wrong })).rejects.toThrow(message);
    expect(await ledger.readStatement(tenantId, 10)).toEqual([]);
  });

  it('refuses an unknown tenant', async () => {
    await expect(ledger.grant({ tenantId: randomUUID(), credits: 1 })).rejects.toThrow('There is no tenant');
  });

  it('refuses a balance that would not fit its column', async () => {
    for (let grant = 0; grant < 21; grant += 1) await ledger.grant({ tenantId, credits: 100_000_000 });
    await expect(ledger.grant({ tenantId, credits: 100_000_000 })).rejects.toThrow('above 2147483647');
  });
});
