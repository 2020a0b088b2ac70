import { expect, it } from 'vitest';
import { COUNT_FAILED, READ_CAUSES } from '../../src/dashboard-api/needs-action/needs-action.service.js';
import { FIND_FREE_NUMBER, READ_LAST_NUMBER } from '../../src/dashboard-api/sending/next-numbers.service.js';
import { READ_LATEST_INVOICES } from '../../src/dashboard-api/sending/remembered.service.js';
import { READ_CREDIT_NOTES, READ_PARENT } from '../../src/dashboard-api/transactions/transaction-detail.sql.js';
import { DEAD_LETTERS } from '../../src/document-events/event-operations.js';
import { QUEUE_STATEMENTS } from '../../src/dispatcher/operations/queue-report.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

/** Returns the plan without sequential scans, which the planner would prefer for empty tables. */
async function explainPlan(statement: string): Promise<string> {
  return service.owner.transaction(async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off');
    const rows = await tx.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN (GENERIC_PLAN) ${statement}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

/** Returns the indexes or tables that a plan reads. */
function readBy(plan: string, tables: string): string[] {
  const reads = plan.matchAll(
    new RegExp(`(?:Scan using|Bitmap Index Scan on|Seq Scan on) ((?:[ip][xk]_)?(?:${tables})\\w*)`, 'g'),
  );
  return [...new Set([...reads].map(([, name]) => name))].toSorted();
}

it('reads unfinished documents from partial indexes or index ranges', async () => {
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
    // Reads the calls of documents without an outcome.
    'pk_authority_submission',
  ]);
  const [, condition] = /ix_document_transaction_list on .*\n\s*Index Cond: (.*)/.exec(plans[0]) ?? [];
  expect(condition).toMatch(/tenant_id = .*environment = .*document_type = .*CASE .* = 'Submitted'/);
});

it('reads dead letters from their partial index', async () => {
  expect(readBy(await explainPlan(DEAD_LETTERS), 'event_delivery')).toEqual(['ix_event_delivery_dead']);
});

it('reads failed documents from partial indexes', async () => {
  for (const statement of [COUNT_FAILED, READ_CAUSES]) {
    const plan = await explainPlan(statement);
    expect(plan).toMatch(/Index Cond: .*tenant_id = .*environment = /);
    expect(plan).toMatch(/using ix_failed_document_/);
    expect(plan).not.toContain('Seq Scan on');
  }
});

it('reads remembered invoices from one index range with a limit', async () => {
  const plan = await explainPlan(READ_LATEST_INVOICES);
  expect(plan).toMatch(
    /Limit.*\n\s*->  Index Scan Backward using ix_document_transaction_list .*\n\s*Index Cond: .*tenant_id = .*environment = .*document_type = .*CASE .* = 'Valid'/,
  );
});

it('suggests a number by index lookups', async () => {
  const last = await explainPlan(READ_LAST_NUMBER);
  for (const name of ['submission_batch_user', 'document_transaction_list']) expect(last).toContain(`ix_${name} `);
  const free = await explainPlan(FIND_FREE_NUMBER);
  expect(free).toContain('uq_document_reference ');
  expect(`${last}${free}`).not.toContain('Seq Scan on');
});

it('finds parent and credit notes by index lookups', async () => {
  const [parent, creditNotes] = [await explainPlan(READ_PARENT), await explainPlan(READ_CREDIT_NOTES)];
  expect(parent).toMatch(/using uq_document_reference .*\n\s*Index Cond: .*tenant_id = .*reference_id = /);
  for (const name of ['held', 'parent']) expect(creditNotes).toContain(`ix_document_transaction_${name} `);
  expect(`${parent}${creditNotes}`).not.toContain('Seq Scan on');
});
