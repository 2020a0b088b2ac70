import { expect, it } from 'vitest';
import { COUNT_FAILED, READ_CAUSES } from '../../src/dashboard-api/needs-action/needs-action.service.js';
import { FIND_FREE_NUMBER, READ_LAST_NUMBER } from '../../src/dashboard-api/sending/next-numbers.service.js';
import { READ_LATEST_INVOICES } from '../../src/dashboard-api/sending/remembered.service.js';
import { READ_CREDIT_NOTES, READ_PARENT } from '../../src/dashboard-api/transactions/transaction-detail.sql.js';
import { DEAD_LETTERS } from '../../src/document-events/event-operations.js';
import { QUEUE_STATEMENTS } from '../../src/dispatcher/operations/queue-report.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

/** Returns the plan without sequential scans, which PostgreSQL prefers for empty tables. */
async function explainPlan(statement: string): Promise<string> {
  return service.owner.transaction(async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off');
    const rows = await tx.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN (GENERIC_PLAN) ${statement}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

/** Returns the names of the indexes and tables in a plan. */
function readBy(plan: string, tables: string): string[] {
  const reads = plan.matchAll(
    new RegExp(`(?:Scan using|Bitmap Index Scan on|Seq Scan on) ((?:[ip][xk]_)?(?:${tables})\\w*)`, 'g'),
  );
  return [...new Set([...reads].map(([, name]) => name))].toSorted();
}

it('query plans use partial indexes or index ranges for unfinished documents', async () => {
  const plans = await Promise.all(QUEUE_STATEMENTS.map(explainPlan));
  expect(readBy(plans.join('\n'), 'document|authority_submission')).toEqual([
    'ix_authority_submission_client',
    'ix_authority_submission_doubt',
    'ix_authority_submission_lease',
    'ix_document_cancellation_open',
    'ix_document_transaction_held',
    'ix_document_transaction_list',
    'ix_document_transaction_queue',
    'ix_document_transaction_submission',
    // Reads the authority calls of documents without an outcome.
    'pk_authority_submission',
  ]);
  const [, condition] = /ix_document_transaction_list on .*\n\s*Index Cond: (.*)/.exec(plans[0]) ?? [];
  expect(condition).toMatch(/tenant_id = .*environment = .*document_type = .*CASE .* = 'Submitted'/);
});

it('query plans use the partial index for dead letters', async () => {
  expect(readBy(await explainPlan(DEAD_LETTERS), 'event_delivery')).toEqual(['ix_event_delivery_dead']);
});

it('query plans use partial indexes for failed documents', async () => {
  for (const statement of [COUNT_FAILED, READ_CAUSES]) {
    const plan = await explainPlan(statement);
    expect(plan).toMatch(/Index Cond: .*tenant_id = .*environment = /);
    expect(plan).toMatch(/using ix_failed_document_/);
    expect(plan).not.toContain('Seq Scan on');
  }
});

it('query plans use one limited index range for recent invoices', async () => {
  const plan = await explainPlan(READ_LATEST_INVOICES);
  expect(plan).toMatch(
    /Limit.*\n\s*->  Index Scan Backward using ix_document_transaction_list .*\n\s*Index Cond: .*tenant_id = .*environment = .*document_type = .*CASE .* = 'Valid'/,
  );
});

it('query plans use index lookups for number suggestions', async () => {
  const last = await explainPlan(READ_LAST_NUMBER);
  for (const name of ['submission_batch_user', 'document_transaction_list']) expect(last).toContain(`ix_${name} `);
  const free = await explainPlan(FIND_FREE_NUMBER);
  expect(free).toContain('uq_document_reference ');
  expect(`${last}${free}`).not.toContain('Seq Scan on');
});

it('query plans use index lookups for parent and credit notes', async () => {
  const [parent, creditNotes] = [await explainPlan(READ_PARENT), await explainPlan(READ_CREDIT_NOTES)];
  expect(parent).toMatch(/using uq_document_reference .*\n\s*Index Cond: .*tenant_id = .*reference_id = /);
  for (const name of ['held', 'parent']) expect(creditNotes).toContain(`ix_document_transaction_${name} `);
  expect(`${parent}${creditNotes}`).not.toContain('Seq Scan on');
});
