import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { register } from 'prom-client';
import { afterAll, expect, it } from 'vitest';
import { CreditLedger } from '../../src/credits/credit-ledger.js';
import { runCli } from '../../src/processes/cli.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { auditCredits, expectConsistentCredits } from '../support/audit.js';
import { cancel, createTenant, issue, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// The audit reports changes that bypass the service (docs/rules.md#credits). A superuser can bypass triggers.

const service = await startFileService();
const superuser = new pg.Client({ connectionString: service.database.superuserUrl });
await superuser.connect();
await superuser.query('SET session_replication_role = replica');
afterAll(() => superuser.end());

/** Creates a tenant with a grant (entry 1), two batches of two documents (2, 3) and a cancellation (4). */
async function tenantWithHistory(): Promise<TestTenant> {
  const tenant = await createTenant(service, { credits: 10 });
  const first = await issue(service, tenant, invoice(), invoice());
  await issue(service, tenant, invoice(), invoice());
  await cancel(service, tenant, { documentId: first.documents[0].documentId });
  await service.settle();
  return tenant;
}

const MINUTES_APART = 301;

const tampering: [title: string, statement: string, deviations: [deviation: string, subject: string | RegExp][]][] = [
  [
    'a changed amount of an entry',
    'UPDATE credit_entry SET amount = -1 WHERE tenant_id = $1 AND sequence = 2',
    [
      ['balance against entries', 'account'],
      ['balance against granted, consumed and expired', 'account'],
      ['balance_after', 'entry 2'],
      ['cause of an entry', 'entry 2'],
      ['response of a call', /^submit /],
    ],
  ],
  [
    'a changed balance of an entry',
    'UPDATE credit_entry SET balance_after = 9 WHERE tenant_id = $1 AND sequence = 2',
    [
      ['balance_after', 'entry 2'],
      ['balance_after', 'entry 3'],
    ],
  ],
  [
    'a changed environment of an entry',
    `UPDATE credit_entry SET environment = 'production' WHERE tenant_id = $1 AND sequence = 4`,
    [
      ['cause of an entry', 'entry 4'],
      ['response of a call', /^cancel /],
    ],
  ],
  [
    'a changed cause of an entry',
    'UPDATE credit_entry SET cause_id = gen_random_uuid() WHERE tenant_id = $1 AND sequence = 2',
    [
      ['cause of an entry', 'entry 2'],
      ['charge without its response', 'entry 2'],
      ['cause without its entry', /^submit /],
      ['response of a call', /^submit /],
    ],
  ],
  [
    'a deleted entry',
    'DELETE FROM credit_entry WHERE tenant_id = $1 AND sequence = 3',
    [
      ['balance against entries', 'account'],
      ['balance against granted, consumed and expired', 'account'],
      ['sequence', 'entry 4'],
      ['balance_after', 'entry 4'],
      ['cause without its entry', /^submit /],
      ['response of a call', /^submit /],
    ],
  ],
  [
    'a deleted last entry',
    'DELETE FROM credit_entry WHERE tenant_id = $1 AND sequence = 4',
    [
      ['balance against entries', 'account'],
      ['balance against granted, consumed and expired', 'account'],
      ['entry_sequence', 'account'],
      ['cause without its entry', /^cancel /],
      ['response of a call', /^cancel /],
    ],
  ],
  [
    'a changed balance of the account',
    'UPDATE credit_account SET balance = balance + 1 WHERE tenant_id = $1',
    [
      ['balance against entries', 'account'],
      ['balance against granted, consumed and expired', 'account'],
      ['balance against lots', 'account'],
    ],
  ],
  [
    'changed remaining credits of a lot',
    'UPDATE credit_lot SET remaining = remaining + 1 WHERE tenant_id = $1',
    [['balance against lots', 'account']],
  ],
  [
    'changed granted credits of a lot',
    'UPDATE credit_lot SET granted = granted + 1 WHERE tenant_id = $1',
    [
      ['balance against granted, consumed and expired', 'account'],
      ['cause of an entry', 'entry 1'],
    ],
  ],
  [
    'a deleted document of a batch',
    `DELETE FROM document_transaction WHERE tenant_id = $1 AND id = (
       SELECT id FROM document_transaction WHERE tenant_id = $1 LIMIT 1)`,
    [['documents of a batch', /^batch /]],
  ],
  [
    'a batch without a charge',
    `INSERT INTO submission_batch VALUES ($1, gen_random_uuid(), 'sandbox', 'non-consolidated', 1, service_now())`,
    [
      ['cause without its entry', /^submit /],
      ['documents of a batch', /^batch /],
    ],
  ],
  [
    'a response that was deleted too early',
    `DELETE FROM idempotency_record WHERE tenant_id = $1 AND operation = 'cancel'`,
    [['charge without its response', 'entry 4']],
  ],
  [
    'a changed response',
    `UPDATE idempotency_record SET response = '{}' WHERE tenant_id = $1 AND operation = 'cancel'`,
    [
      ['response of a call', 'cancel without a cause'],
      ['charge without its response', 'entry 4'],
    ],
  ],
];

// A tenant with the same history that is not tampered with.
const other = await tenantWithHistory();

it.each(tampering)('the credit audit reports %s', async (_, statement, deviations) => {
  const tenant = await tenantWithHistory();
  await expectConsistentCredits(superuser, tenant.tenantId);
  await superuser.query(statement, [tenant.tenantId]);
  const found = (await auditCredits(superuser)).filter(({ tenantId }) => tenantId === tenant.tenantId);
  expect(found).toHaveLength(deviations.length);
  for (const [deviation, subject] of deviations) {
    const named = typeof subject === 'string' ? subject : expect.stringMatching(subject);
    expect(found).toContainEqual(expect.objectContaining({ deviation, subject: named }));
  }
  for (const { expected, found: present } of found) expect(expected).not.toBe(present);
  await expectConsistentCredits(service.owner, other.tenantId);
});

/** Reads the deviation metric of this process. */
async function deviationsCounted(): Promise<number> {
  const metric = await register.getSingleMetric('einvoice_credit_deviations_total')?.get();
  return metric?.values[0]?.value ?? 0;
}

it('the runbook restores a changed balance', async () => {
  const runbook = await readFile(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  const [correction = ''] = /UPDATE credit_account SET balance = balance \+ 5 WHERE .*;/.exec(runbook) ?? [];
  const tenant = await tenantWithHistory();
  await superuser.query('UPDATE credit_account SET balance = balance - 5 WHERE tenant_id = $1', [tenant.tenantId]);
  await service.owner.query(correction.replace('TENANT', tenant.tenantId));
  await new CreditLedger(service.owner).grant({ tenantId: tenant.tenantId, credits: 5 });
  await issue(service, tenant, invoice());
  await expectConsistentCredits(superuser, tenant.tenantId);
});

it('the credit audit reports sandbox credits spent in production', async () => {
  const { tenantId } = await tenantWithHistory();
  const ledger = new CreditLedger(service.owner);
  await ledger.grant({ tenantId, credits: 5, environment: 'sandbox' });
  await expectConsistentCredits(superuser, tenantId);
  await superuser.query(
    `UPDATE credit_lot SET remaining = CASE environment WHEN 'sandbox' THEN 0 ELSE remaining + 5 END WHERE tenant_id = $1`,
    [tenantId],
  );
  const spent = (await auditCredits(superuser)).filter((row) => row.tenantId === tenantId);
  expect(spent).toEqual([]);
  await superuser.query(
    `UPDATE credit_entry SET environment = 'production' WHERE tenant_id = $1 AND kind IN ('submit', 'cancel')`,
    [tenantId],
  );
  const found = (await auditCredits(superuser)).filter((row) => row.tenantId === tenantId);
  expect(found).toContainEqual(expect.objectContaining({ deviation: 'credits of the sandbox', subject: 'account' }));
});

it('housekeeping audits new entries once per five minutes across all replicas', async () => {
  const audits = async (replicas: number): Promise<number> => {
    const before = await deviationsCounted();
    await Promise.all(Array.from({ length: replicas }, () => service.tick('housekeeping')));
    return (await deviationsCounted()) - before;
  };
  await service.advance(MINUTES_APART);
  await audits(2);
  const tenant = await tenantWithHistory();
  await service.advance(MINUTES_APART);
  const knownRecently = await audits(2);
  await superuser.query('UPDATE credit_account SET entry_sequence = entry_sequence + 1 WHERE tenant_id = $1', [
    tenant.tenantId,
  ]);
  expect(await audits(2)).toBe(0);
  await service.advance(MINUTES_APART);
  expect(await audits(2)).toBe(knownRecently + 1);
});

it('the credits audit command exits with 1 after a deviation', async () => {
  const configuration = readConfiguration('operator', { DATABASE_OWNER_URL: service.database.ownerUrl });
  const cli = async (...words: string[]): Promise<{ exitCode: number; out: string; error: string }> => {
    const ended = { exitCode: -1, out: '', error: '' };
    ended.exitCode = await runCli(configuration, ['credits', 'audit', ...words], {
      out: (text) => (ended.out += text),
      error: (text) => (ended.error += text),
    });
    return ended;
  };
  const { tenantId } = await tenantWithHistory();
  expect(await cli('--tenant', tenantId)).toEqual({ exitCode: 0, out: 'No deviations\n', error: '' });
  await superuser.query('UPDATE credit_lot SET remaining = remaining - 1 WHERE tenant_id = $1', [tenantId]);
  const text = await cli('--tenant', tenantId);
  expect(text).toMatchObject({ exitCode: 1, error: 'The audit found 1 deviations\n' });
  expect(text.out).toMatch(new RegExp(`${tenantId} +balance against lots +account +4 +5`));
  const json = await cli('--json');
  expect(json).toMatchObject({ exitCode: 1, error: expect.stringMatching(/^\{"error":"The audit found /) });
  expect((JSON.parse(json.out) as { deviations: unknown[] }).deviations).toContainEqual({
    tenantId,
    deviation: 'balance against lots',
    subject: 'account',
    expected: '4',
    found: '5',
  });
  expect((await cli('--tenant', '01a1fc01-f679-73f2-a76f-9edb7fad0b4c')).error).toMatch(/There is no tenant/);
});
