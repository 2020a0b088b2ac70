import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { expect, it } from 'vitest';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import { computeMalaysianDayEnd } from '../../src/credits/expiry.js';
import { auditCredits, expectConsistentCredits } from '../support/audit.js';
import { type ApiResponse, createTenant, readBalance, submit, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// Concurrent requests for the last credits, and requests at the time when a credit lot expires (docs/rules.md#credits).

const service = await startFileService({ environment: { DATABASE_POOL_SIZE: '20' } });
const ledger = new CreditLedger(service.owner);

function expectShortage(response: ApiResponse, costs: number): void {
  const { remainingCredits } = response.body;
  expect(response.status, response.text).toBe(402);
  expect(remainingCredits).toBeLessThan(costs);
  expect(response.body).toMatchObject({
    code: 'insufficient_credits',
    requiredCredits: costs,
    shortBy: costs - remainingCredits,
    documentCount: costs,
  });
  expect(response.headers.get('x-credits-remaining')).toBe(String(remainingCredits));
}

const CREDITS = 500;

it('64 concurrent clients spend exactly 500 credits', async () => {
  const tenant = await createTenant(service, { credits: CREDITS });
  const charged = await Promise.all(
    Array.from({ length: 64 }, async () => {
      let credits = 0;
      // Sends batches of three, then of one, so that all clients compete for the last credit.
      for (const costs of [3, 1]) {
        for (let calls = 0; calls <= CREDITS; calls += 1) {
          const response = await submit(
            service,
            tenant,
            Array.from({ length: costs }, () => invoice()),
          );
          if (response.status !== 200) {
            expectShortage(response, costs);
            break;
          }
          credits += costs;
        }
      }
      return credits;
    }),
  );
  expect(charged.reduce((sum, credits) => sum + credits, 0)).toBe(CREDITS);
  expect(await readBalance(service, tenant)).toBe(0);
  await expectConsistentCredits(service.owner, tenant.tenantId);
});

/** Stops the clock of the service at a time. */
async function stopClockAt(instant: Date): Promise<void> {
  await service.owner.query(
    `CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE plpgsql STABLE
       SET search_path = public, pg_temp AS $$ BEGIN RETURN (SELECT to_timestamp(offset_seconds) FROM service_clock); END $$`,
  );
  await setStoppedClock(instant);
}

async function setStoppedClock(instant: Date): Promise<void> {
  await service.owner.query('UPDATE service_clock SET offset_seconds = extract(epoch FROM $1::timestamptz)', [instant]);
}

function after(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds);
}

/** Creates a tenant with three credits that expire after `lastDay` and two that expire later. */
async function tenantWithLots(lastDay: string): Promise<TestTenant> {
  const tenant = await createTenant(service, { credits: 0 });
  await ledger.grant({ tenantId: tenant.tenantId, credits: 3, lastDay });
  await ledger.grant({ tenantId: tenant.tenantId, credits: 2, lastDay: '2099-01-01' });
  return tenant;
}

async function listEntries({ tenantId }: TestTenant): Promise<[string, number, string][]> {
  const entries = await service.owner.query<{ kind: string; amount: number; created_at: Date }[]>(
    'SELECT kind, amount, created_at FROM credit_entry WHERE tenant_id = $1 ORDER BY sequence OFFSET 2',
    [tenantId],
  );
  return entries.map(({ kind, amount, created_at: at }) => [kind, amount, at.toISOString()]);
}

it.each(['2027-06-30', '2027-12-31', '2028-02-28', '2028-02-29'])(
  'credits that expire on %s are valid until the end of that day in Malaysia',
  async (lastDay) => {
    const expiry = computeMalaysianDayEnd(lastDay);
    const ofDay = (count: number): unknown[] =>
      Array.from({ length: count }, () => invoice({ document_date: toMalaysianDate(after(expiry, -3_600_000)) }));
    for (const milliseconds of [-1, 0, 1]) {
      await stopClockAt(after(expiry, -60_000));
      const tenant = await tenantWithLots(lastDay);
      const at = after(expiry, milliseconds);
      await stopClockAt(at);
      const four = await submit(service, tenant, ofDay(4));
      if (milliseconds < 0) {
        expect([four.status, four.headers.get('x-credits-remaining')], four.text).toEqual([200, '1']);
        expect(await listEntries(tenant)).toEqual([['submit', -4, at.toISOString()]]);
      } else {
        expectShortage(four, 4);
        expect(four.body.remainingCredits).toBe(2);
        expect((await submit(service, tenant, ofDay(1))).headers.get('x-credits-remaining')).toBe('1');
        expect(await listEntries(tenant)).toEqual([
          ['expire', -3, at.toISOString()],
          ['submit', -1, at.toISOString()],
        ]);
      }
      await expectConsistentCredits(service.owner, tenant.tenantId);
    }
  },
);

it('a submit that waits past midnight cannot spend expired credits', async () => {
  const expiry = computeMalaysianDayEnd('2028-02-29');
  await stopClockAt(after(expiry, -1));
  const tenant = await tenantWithLots('2028-02-29');
  const documents = (count: number): unknown[] =>
    Array.from({ length: count }, () => invoice({ document_date: '2028-02-29' }));
  const holder = service.owner.createQueryRunner();
  await holder.startTransaction();
  await holder.query('SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE', [tenant.tenantId]);
  const waiting = [submit(service, tenant, documents(4)), submit(service, tenant, documents(1))];
  await service.blockedBy(holder);
  await setStoppedClock(expiry);
  await holder.commitTransaction();
  await holder.release();
  const [four, one] = await Promise.all(waiting);
  expectShortage(four, 4);
  expect(one.status, one.text).toBe(200);
  expect(await listEntries(tenant)).toEqual([
    ['expire', -3, expiry.toISOString()],
    ['submit', -1, expiry.toISOString()],
  ]);
  expect(await auditCredits(service.owner, tenant.tenantId)).toEqual([]);
});
