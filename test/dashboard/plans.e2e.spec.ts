import { expect, it } from 'vitest';
import { DEAD_LETTERS } from '../../src/document-events/event-operations.js';
import { QUEUE_STATEMENTS } from '../../src/queue-operations/queue-report.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

/** The plan that a statement has when walking a table is the last resort; of an empty one it would be the first. */
async function explainPlan(statement: string): Promise<string> {
  return service.owner.transaction(async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off');
    const rows = await tx.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN (GENERIC_PLAN) ${statement}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

/** What a plan reads these tables by: names of indexes, or a table's own when it is walked. */
function readBy(plan: string, tables: string): string[] {
  const reads = plan.matchAll(
    new RegExp(`(?:Scan using|Bitmap Index Scan on|Seq Scan on) ((?:[ip][xk]_)?(?:${tables})\\w*)`, 'g'),
  );
  return [...new Set([...reads].map(([, name]) => name))].toSorted();
}

it('finds what is on its way by indexes that hold nothing else, whatever is stored', async () => {
  const plans = await Promise.all(QUEUE_STATEMENTS.map(explainPlan));
  expect(readBy(plans.join('\n'), 'document|authority_submission')).toEqual([
    'ix_authority_submission_doubt',
    'ix_authority_submission_lease',
    'ix_document_cancellation_open',
    'ix_document_transaction_held',
    'ix_document_transaction_queue',
    'ix_document_transaction_submission',
  ]);
});

it('finds dead letters by the index that holds nothing else, however many events wait', async () => {
  expect(readBy(await explainPlan(DEAD_LETTERS), 'event_delivery')).toEqual(['ix_event_delivery_dead']);
});
