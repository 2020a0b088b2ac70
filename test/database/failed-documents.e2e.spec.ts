import { expect, it } from 'vitest';
import { FailedDocuments1797000001700 } from '../../src/database/migrations/1797000001700-failed-documents.js';
import { accept, createTenant, issue } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();
const { owner } = service;

function readFailed(): Promise<object[]> {
  return owner.query(
    `SELECT f.tenant_id, d.reference_id, f.transaction_id, f.environment, f.cause, f.dismissed_at
       FROM failed_document f JOIN document d ON d.tenant_id = f.tenant_id AND d.id = f.document_id
      ORDER BY f.tenant_id, d.reference_id`,
  );
}

it('finds what failed before the migration as it is found from then on, without what was submitted again', async () => {
  const tenants = [await createTenant(service), await createTenant(service)];
  const failing = ['SIM-INVALID-CF358-1', 'SIM-REJECT-CF349-1', 'SIM-INVALID-CF321-1', 'SIM-INVALID-CF321-2'];
  const documents = [...failing, 'N-1'].map((referenceId) => invoice({ referenceId }));
  for (const tenant of tenants) await issue(service, tenant, ...documents);
  for (const tenant of tenants) await issue(service, tenant, documents[2]);
  for (const tenant of tenants) await accept(service, tenant, [documents[3]]);
  const kept = await readFailed();
  expect(kept.map((row) => (row as { reference_id: string }).reference_id)).toEqual(
    Array.from({ length: 2 }, () => ['SIM-INVALID-CF321-1', 'SIM-INVALID-CF358-1', 'SIM-REJECT-CF349-1']).flat(),
  );
  const migration = new FailedDocuments1797000001700();
  const runner = owner.createQueryRunner();
  try {
    await migration.down(runner);
    await migration.up(runner);
    expect(await readFailed()).toEqual(kept);
    // A run that was cut off is run again.
    await migration.up(runner);
    expect(await readFailed()).toEqual(kept);
  } finally {
    await runner.release();
  }
  await service.settle();
  expect(await readFailed()).toHaveLength(8);
});
