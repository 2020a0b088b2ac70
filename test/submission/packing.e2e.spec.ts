import { expect, it } from 'vitest';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// The authority rejects calls with more than 100 documents or 5 MB.

const CALL_BYTES_MAX = 5_000_000;
const CALL_DOCUMENTS_MAX = 100;

// A call of 5 MB is slow on a busy machine.
const service = await startFileService({
  environment: { AUTHORITY_DEADLINE_SECONDS: '20', DISPATCH_LEASE_SECONDS: '40' },
});
const tenant = await createTenant(service);

interface Call {
  readonly documents: number;
  /** Size of the sent body including base64 documents, hashes and numbers. */
  readonly bytes: number;
}

/** Lists all calls for the tenant from their stored bytes. */
async function listCalls({ tenantId }: TestTenant): Promise<Call[]> {
  const sent = await service.owner.query<{ call: string; referenceId: string; sha256: string; bytes: Buffer }[]>(
    `SELECT t.authority_submission_id AS call, t.reference_id AS "referenceId", a.sha256, a.bytes
       FROM document_transaction t
       JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
      WHERE t.tenant_id = $1 ORDER BY t.authority_submission_id, t.id`,
    [tenantId],
  );
  return [...new Set(sent.map(({ call }) => call))].map((own) => {
    const members = sent.filter(({ call }) => call === own);
    const documents = members.map(({ referenceId, sha256, bytes }) => ({
      format: 'JSON',
      documentHash: sha256,
      codeNumber: referenceId,
      document: bytes.toString('base64'),
    }));
    return { documents: members.length, bytes: Buffer.byteLength(JSON.stringify({ documents })) };
  });
}

it("dispatcher packs documents of all sizes into calls within the authority's limits", async () => {
  const lines = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ description: `Item ${index}`, quantity: 1, unitPrice: 1 }));
  // About 290,000, 150,000 and 3,000 bytes per document.
  const large = Array.from({ length: 14 }, () => invoice({ lineItems: lines(430) }));
  const middle = Array.from({ length: 6 }, () => invoice({ lineItems: lines(220) }));
  const small = Array.from({ length: 140 }, () => invoice());
  const batches = [
    await accept(service, tenant, [...large.slice(0, 8), ...middle.slice(0, 3), ...small.slice(0, 10)]),
    await accept(service, tenant, [...middle.slice(3), ...large.slice(8), ...small.slice(10, 50)]),
    await accept(service, tenant, small.slice(50)),
  ];
  await service.settle();
  for (const { submissionBatchId } of batches) {
    expect(await readStatus(service, tenant, submissionBatchId)).toMatchObject({ status: 'Valid' });
  }
  const calls = await listCalls(tenant);
  const total = calls.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(calls.reduce((sum, { documents }) => sum + documents, 0)).toBe(160);
  expect(total).toBeGreaterThan(CALL_BYTES_MAX);
  for (const { documents, bytes } of calls) {
    expect(documents).toBeLessThanOrEqual(CALL_DOCUMENTS_MAX);
    expect(bytes).toBeLessThanOrEqual(CALL_BYTES_MAX);
  }
  // Calls are not full, because packing uses upper bounds for the sizes.
  expect(Math.max(...calls.map(({ bytes }) => bytes))).toBeGreaterThan(0.7 * CALL_BYTES_MAX);
  const [{ refused }] = await service.owner.query<{ refused: number }[]>(
    `SELECT count(*)::int AS refused FROM authority_submission WHERE tenant_id = $1 AND state NOT IN ('accepted', 'settled')`,
    [tenant.tenantId],
  );
  expect(refused).toBe(0);
});
