import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InsufficientCreditsError } from '../../src/credits/insufficient-credits-error.js';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import { CreditsService } from '../../src/credits/credits.service.js';
import { createDataSource } from '../../src/database/data-source.js';
import { TenantTransactions } from '../../src/database/in-tenant.js';
import { TenantService } from '../../src/tenants/tenant.service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const CALLERS = 64;

let database: TestDatabase;
let owner: DataSource;
let app: DataSource;
let transactions: TenantTransactions;
let ledger: CreditLedger;
let tenantId: string;
const credits = new CreditsService();

beforeAll(async () => {
  database = await createTestDatabase();
  owner = await createDataSource({ url: database.ownerUrl, poolSize: 4, applicationName: 'test' }).initialize();
  app = await createDataSource({ url: database.appUrl, poolSize: CALLERS, applicationName: 'test' }).initialize();
  transactions = new TenantTransactions(app);
  ledger = new CreditLedger(owner);
});

afterAll(async () => {
  await app?.destroy();
  await owner?.destroy();
  await database?.drop();
});

beforeEach(async () => {
  await setClock(0);
  tenantId = (await new TenantService(owner).create({ name: 'Kedai Contoh' })).tenantId;
});

interface TestCharge {
  readonly tenantId: string;
  readonly causeId: string;
  readonly environment: string;
}

/** Charges like an accepted request, with the API's role. */
function charge(amount: number, more: Partial<TestCharge> = {}, caller = tenantId): Promise<{ remaining: number }> {
  const usual = { tenantId, causeId: randomUUID(), environment: 'sandbox' };
  const { tenantId: charged, causeId, environment } = { ...usual, ...more };
  return transactions.inTenant({ tenantId: caller }, async ({ tx }) => {
    const [{ left }] = await tx.query<{ left: number }[]>('SELECT charge_credits($1, $2, $3, $4, $5) AS left', [
      charged,
      amount,
      environment,
      'submit',
      causeId,
    ]);
    if (left < 0) throw credits.buildShortageError({ credits: amount, documentCount: amount }, left + amount);
    return { remaining: left };
  });
}

async function catchRefusal(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InsufficientCreditsError);
  return (error as InsufficientCreditsError).details();
}

function setClock(offsetSeconds: number): Promise<unknown> {
  return owner.query('UPDATE service_clock SET offset_seconds = $1', [offsetSeconds]);
}

/** Moves the service's clock to `seconds` after an instant. */
async function setClockTo(instant: Date, seconds: number): Promise<void> {
  await owner.query(
    'UPDATE service_clock SET offset_seconds = extract(epoch FROM $1::timestamptz - clock_timestamp()) + $2',
    [instant, seconds],
  );
}

interface Lot {
  remaining: number;
  expires_at: Date;
}

function lots(): Promise<Lot[]> {
  return owner.query<Lot[]>(
    'SELECT remaining, expires_at FROM credit_lot WHERE tenant_id = $1 ORDER BY expires_at, id',
    [tenantId],
  );
}

interface Entry {
  sequence: number;
  kind: string;
  amount: number;
  balance_after: number;
}

function entries(): Promise<Entry[]> {
  return owner.query<Entry[]>(
    'SELECT sequence, kind, amount, balance_after FROM credit_entry WHERE tenant_id = $1 ORDER BY sequence',
    [tenantId],
  );
}

/** Checks balance = Σ entries = Σ remaining, consecutive sequences, and the balance after every entry. */
async function expectConsistentLedger(): Promise<void> {
  const [account] = await owner.query<{ balance: number; entry_sequence: number }[]>(
    'SELECT balance, entry_sequence FROM credit_account WHERE tenant_id = $1',
    [tenantId],
  );
  let balance = 0;
  const listed = await entries();
  for (const [index, entry] of listed.entries()) {
    balance += entry.amount;
    expect(entry).toMatchObject({ sequence: index + 1, balance_after: balance });
  }
  const remaining = (await lots()).reduce((sum, lot) => sum + lot.remaining, 0);
  expect({ ...account, remaining }).toEqual({ balance, entry_sequence: listed.length, remaining: balance });
}

describe('grant()', () => {
  it('adds concurrent grants to a new account', async () => {
    await Promise.all(Array.from({ length: 16 }, () => ledger.grant({ tenantId, credits: 10 })));
    expect((await ledger.readBalance(tenantId)).balance).toBe(160);
    expect((await ledger.readStatement(tenantId, 100)).map((entry) => entry.balanceAfter)).toEqual(
      Array.from({ length: 16 }, (_, index) => 160 - 10 * index),
    );
  });

  it('excludes expired credits from the balance', async () => {
    const { expiresAt } = await ledger.grant({ tenantId, credits: 10, lastDay: '2099-01-01' });
    await setClockTo(expiresAt, 0);
    expect(await credits.readRemaining(owner.manager, { tenantId, environment: 'sandbox' })).toBe(0);
    expect(await ledger.readBalance(tenantId)).toEqual({ balance: 0, sandboxOnly: 0, lots: [] });
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
  ])('rejects %j', async (wrong, message) => {
    await expect(ledger.grant({ tenantId, ...wrong })).rejects.toThrow(message);
    expect(await ledger.readStatement(tenantId, 10)).toEqual([]);
  });

  it('rejects an unknown tenant', async () => {
    await expect(ledger.grant({ tenantId: randomUUID(), credits: 1 })).rejects.toThrow('There is no tenant');
  });

  it('rejects a balance that exceeds the integer range', async () => {
    for (let grant = 0; grant < 21; grant += 1) await ledger.grant({ tenantId, credits: 100_000_000 });
    await expect(ledger.grant({ tenantId, credits: 100_000_000 })).rejects.toThrow('above 2147483647');
  });
});

describe('charge()', () => {
  it('spends the lots that expire first', async () => {
    await ledger.grant({ tenantId, credits: 5, lastDay: '2099-03-01' });
    await ledger.grant({ tenantId, credits: 5, lastDay: '2099-01-01' });
    await ledger.grant({ tenantId, credits: 5, lastDay: '2099-02-01' });
    expect(await charge(7)).toEqual({ remaining: 8 });
    expect((await lots()).map((lot) => lot.remaining)).toEqual([0, 3, 5]);
    await expectConsistentLedger();
  });

  it('spends sandbox credits only in the sandbox', async () => {
    await ledger.grant({ tenantId, credits: 5, lastDay: '2099-01-01' });
    await ledger.grant({ tenantId, credits: 5, lastDay: '2099-02-01', environment: 'sandbox' });
    await ledger.grant({ tenantId, credits: 5, lastDay: '2099-03-01', environment: 'sandbox' });
    expect(await charge(3)).toEqual({ remaining: 12 });
    expect((await lots()).map((lot) => lot.remaining)).toEqual([5, 2, 5]);
    expect(await catchRefusal(charge(6, { environment: 'production' }))).toMatchObject({
      remainingCredits: 5,
      shortBy: 1,
    });
    expect(await charge(4, { environment: 'production' })).toEqual({ remaining: 1 });
    expect(await charge(8)).toEqual({ remaining: 0 });
    expect((await lots()).map((lot) => lot.remaining)).toEqual([0, 0, 0]);
    await expectConsistentLedger();
  });

  it('adds a statement line for expired sandbox credits', async () => {
    await ledger.grant({ tenantId, credits: 5, lastDay: '2099-01-01', environment: 'sandbox' });
    await ledger.grant({ tenantId, credits: 5, lastDay: '2099-02-01' });
    await setClockTo((await lots())[0].expires_at, 0);
    expect(await charge(1, { environment: 'production' })).toEqual({ remaining: 4 });
    const statement = await ledger.readStatement(tenantId, 10);
    expect(statement.map(({ kind, amount, environment }) => [kind, amount, environment])).toEqual([
      ['submit', -1, 'production'],
      ['expire', -5, 'sandbox'],
      ['grant', 5, null],
      ['grant', 5, 'sandbox'],
    ]);
  });

  it('leaves expired credits unchanged if credits are insufficient', async () => {
    await ledger.grant({ tenantId, credits: 10, lastDay: '2099-01-01' });
    await ledger.grant({ tenantId, credits: 2, lastDay: '2099-02-01' });
    await setClockTo((await lots())[0].expires_at, 1);
    expect(await catchRefusal(charge(3))).toEqual({
      requiredCredits: 3,
      remainingCredits: 2,
      shortBy: 1,
      documentCount: 3,
    });
    expect(await entries()).toHaveLength(2);
    await expectConsistentLedger();
  });

  it('adds an entry per expired lot', async () => {
    for (const lastDay of ['2099-01-01', '2099-01-02', '2099-01-03', '2099-09-01']) {
      await ledger.grant({ tenantId, credits: 10, lastDay });
    }
    await setClockTo((await lots())[2].expires_at, 1);
    expect(await charge(1)).toEqual({ remaining: 9 });
    expect((await entries()).filter((entry) => entry.kind === 'expire')).toHaveLength(3);
    await expectConsistentLedger();
  });

  it('fails for a tenant without grants', async () => {
    expect(await catchRefusal(charge(1))).toMatchObject({ remainingCredits: 0, shortBy: 1 });
  });

  it('does not charge the same cause twice', async () => {
    await ledger.grant({ tenantId, credits: 10 });
    const causeId = randomUUID();
    await charge(1, { causeId });
    await expect(charge(1, { causeId })).rejects.toThrow('uq_credit_entry_cause');
    expect((await ledger.readBalance(tenantId)).balance).toBe(9);
  });

  it('does not affect another tenant', async () => {
    await ledger.grant({ tenantId, credits: 10 });
    const other = (await new TenantService(owner).create({ name: 'Other' })).tenantId;
    await expect(charge(1, { tenantId }, other)).rejects.toBeInstanceOf(InsufficientCreditsError);
    expect((await ledger.readBalance(tenantId)).balance).toBe(10);
  });
});

describe('a sign-up grant', () => {
  const grantAtSignUp = (credits: number): Promise<number> =>
    transactions.inTenant({ tenantId }, async ({ tx }) => {
      const call = 'SELECT grant_sandbox_credits($1, $2, $3) AS granted';
      const [{ granted }] = await tx.query<{ granted: number }[]>(call, [
        randomUUID(),
        credits,
        '2099-01-01T00:00:00Z',
      ]);
      return granted;
    });

  it('adds sandbox credits once per organisation', async () => {
    expect(await Promise.all([grantAtSignUp(10), grantAtSignUp(10), grantAtSignUp(10)])).toEqual(
      expect.arrayContaining([10, 0, 0]),
    );
    expect(await grantAtSignUp(10)).toBe(0);
    expect(await ledger.readBalance(tenantId)).toMatchObject({ balance: 10, sandboxOnly: 10 });
    await expectConsistentLedger();
  });

  it('adds no credits after a grant by an operator', async () => {
    await expect(grantAtSignUp(10_001)).rejects.toThrow('1 to 10000 credits, not 10001');
    await ledger.grant({ tenantId, credits: 3 });
    expect(await grantAtSignUp(10)).toBe(0);
    await expect(
      transactions.inTenant({ tenantId }, ({ tx }) =>
        tx.query(`INSERT INTO credit_lot VALUES ($1, $2, 1, 1, now(), now())`, [tenantId, randomUUID()]),
      ),
    ).rejects.toThrow('permission denied');
  });
});

describe('credit entries', () => {
  it.each(['UPDATE credit_entry SET amount = 1', 'DELETE FROM credit_entry', 'TRUNCATE credit_entry'])(
    'are protected from the owner: %s',
    async (statement) => {
      await ledger.grant({ tenantId, credits: 1 });
      await expect(owner.query(statement)).rejects.toThrow('credit_entry is append-only');
    },
  );
});
