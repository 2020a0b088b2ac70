import { expect, it, onTestFinished } from 'vitest';
import { createDataSource } from '../../src/database/data-source.js';
import { claimSubmission, type ClaimRequest } from '../../src/dispatcher/submit/claim.js';
import { accept, createTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { queueCopies } from './backlog.js';

// A connection plans a statement once, possibly on the first day when every table is empty.

const service = await startFileService();

const CLAIM: ClaimRequest = {
  environment: 'sandbox',
  clientId: 'test-client-sandbox',
  owner: '0198c0de-0000-7000-8000-000000000001',
  leaseSeconds: 180,
  documentsMax: 100,
  signer: null,
};
const QUEUED = 5_000;

interface Reads {
  readonly table: string;
  readonly whole: number;
  readonly rows: number;
}

const READS = /* sql */ `
  SELECT relname AS "table", seq_scan::integer AS whole, (seq_tup_read + idx_tup_fetch)::integer AS rows
    FROM pg_stat_xact_user_tables
   WHERE relname IN ('document_transaction', 'authority_document', 'submission_batch', 'status_event')`;

it('claims documents without a full scan even if the statement was planned on empty tables', async () => {
  const tenant = await createTenant(service);
  const number = reference();
  await service.owner.query('VACUUM (ANALYZE)');
  const dispatcher = await createDataSource({
    url: service.database.dispatcherUrl,
    poolSize: 1,
    applicationName: 'test',
  }).initialize();
  onTestFinished(() => dispatcher.destroy());
  const claim = (): Promise<{ members: number; reads: Reads[] }> =>
    dispatcher.transaction(async (tx) => {
      const claimed = await claimSubmission(tx, CLAIM);
      const members = claimed !== null && 'members' in claimed ? claimed.members.length : 0;
      return { members, reads: await tx.query<Reads[]>(READS) };
    });
  await accept(service, tenant, [invoice({ referenceId: number })]);
  expect((await claim()).members).toBe(1);
  await queueCopies(service, tenant, { of: number, count: QUEUED, prefix: number, batches: 5 });
  const calls = [await claim(), await claim(), await claim()];
  for (const { members, reads } of calls) {
    expect(members).toBe(100);
    expect(reads.map(({ table, whole }) => `${table} ${whole}`).sort()).toEqual([
      'authority_document 0',
      'document_transaction 0',
      'status_event 0',
      'submission_batch 0',
    ]);
    for (const { table, rows } of reads) expect(rows, table).toBeLessThan(QUEUED / 2);
  }
});
