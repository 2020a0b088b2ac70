import { expect, it } from 'vitest';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// The authority takes 100 documents and 5 MB a call, and refuses a whole call that has more (its protocol, limits).

const CALL_BYTES_MAX = 5_000_000;
const CALL_DOCUMENTS_MAX = 100;

// A call of 5 MB may take its time on a busy machine.
const service = await startFileService({
  environment: { AUTHORITY_DEADLINE_SECONDS: '20', DISPATCH_LEASE_SECONDS: '40' },
});
const tenant = await createTenant(service);

interface Call {
  readonly documents: number;
  /** Of its body as it was sent: base64 of each document, its hash and number, and what holds them together. */
  readonly bytes: number;
}

/** Every call that was made for the tenant, in order, from the bytes that are kept of it. */
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

it('packs large and small documents into calls by their bytes and their number, none of them refused', async () => {
  const lines = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ description: `Item ${index}`, quantity: 1, unitPrice: 1 }));
  // About 290,000, 150,000 and 3,000 bytes each.
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
  // Bounded from above before the documents are built, so that no call is filled to the brim.
  expect(Math.max(...calls.map(({ bytes }) => bytes))).toBeGreaterThan(0.7 * CALL_BYTES_MAX);
  const [{ refused }] = await service.owner.query<{ refused: number }[]>(
    `SELECT count(*)::int AS refused FROM authority_submission WHERE tenant_id = $1 AND state NOT IN ('accepted', 'settled')`,
    [tenant.tenantId],
  );
  expect(refused).toBe(0);
});
