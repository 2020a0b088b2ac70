import { DataSource } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { accept, createTenant, refused, readStatus, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, reference } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';

// A submit within two seconds of another one assumes the result of that submit's
// read (docs/decisions/0096-submits-without-a-read.md).

const service = await startFileService();

/** Creates a tenant whose next submit needs no read. */
async function createRecentTenant(): Promise<TestTenant> {
  const tenant = await createTenant(service);
  await accept(service, tenant, [invoice()]);
  return tenant;
}

/** Lists the database steps of submits that `work` sends. */
async function listCalls(work: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(service.api.get(DataSource), 'query');
  try {
    await work();
    return query.mock.calls.flatMap(([text]) => /read_for_submit|accept_request/.exec(text) ?? []);
  } finally {
    query.mockRestore();
  }
}

describe('submit shortly after another one', () => {
  it('runs one statement, or two with a parent', async () => {
    const tenant = await createRecentTenant();
    const referenceId = reference();
    await accept(service, tenant, [invoice({ referenceId })]);
    // On a busy machine, the previous submit may be too old.
    await until('a submit that reads nothing', async () => {
      const calls = await listCalls(() => accept(service, tenant, [invoice()]));
      return calls.join() === 'accept_request';
    });
    const note = (): Promise<unknown> => accept(service, tenant, [creditNote({ referenceId })]);
    expect(await listCalls(note)).toEqual(['read_for_submit', 'accept_request']);
  });

  it('uses the current profile', async () => {
    const tenant = await createRecentTenant();
    await service.owner.query(`UPDATE tenant SET name = 'Nama Baharu Sdn Bhd' WHERE tenant_id = $1`, [tenant.tenantId]);
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    expect(
      await service.owner.query(`SELECT supplier->>'name' AS name FROM submission_batch WHERE id = $1`, [
        submissionBatchId,
      ]),
    ).toEqual([{ name: 'Nama Baharu Sdn Bhd' }]);
  });

  it('uses a profile that changed between its read and its write', async () => {
    const tenant = await createRecentTenant();
    const referenceId = reference();
    await accept(service, tenant, [invoice({ referenceId })]);
    const dataSource = service.api.get(DataSource);
    const original = dataSource.query.bind(dataSource);
    let isChanged = false;
    const query = vi.spyOn(dataSource, 'query').mockImplementation(async (text: string, ...rest) => {
      if (!isChanged && text.includes('accept_request')) {
        isChanged = true;
        await service.owner.query(`UPDATE tenant SET city = 'Ipoh' WHERE tenant_id = $1`, [tenant.tenantId]);
      }
      return original(text, ...rest);
    });
    const { submissionBatchId } = await accept(service, tenant, [creditNote({ referenceId })]).finally(() =>
      query.mockRestore(),
    );
    expect(
      await service.owner.query(`SELECT supplier->>'city' AS city FROM submission_batch WHERE id = $1`, [
        submissionBatchId,
      ]),
    ).toEqual([{ city: 'Ipoh' }]);
  });

  it('is rejected if the profile has become incomplete', async () => {
    const tenant = await createRecentTenant();
    await service.owner.query(`UPDATE tenant SET phone = NULL WHERE tenant_id = $1`, [tenant.tenantId]);
    const response = await refused(service, tenant, () => submit(service, tenant, [invoice()]));
    expect(response).toMatchObject({ status: 400, body: { code: 'supplier_profile_incomplete' } });
  });

  it('is rejected if the organisation is no longer verified', async () => {
    const tenant = await createRecentTenant();
    await service.owner.query(
      `UPDATE taxpayer_verification SET status = 'refused', reason = 'Closed', decided_by = 'test' WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    const response = await refused(service, tenant, () => submit(service, tenant, [invoice()]));
    expect(response).toMatchObject({ status: 400, body: { code: 'supplier_not_verified' } });
  });

  it('warns about a number that differs from an earlier one only by case', async () => {
    const tenant = await createRecentTenant();
    const referenceId = reference('inv');
    await accept(service, tenant, [invoice({ referenceId })]);
    const response = await submit(service, tenant, [invoice(), invoice({ referenceId: referenceId.toUpperCase() })]);
    expect(response.body.warnings).toMatchObject([{ documentIndex: 1, rule: 'reference_id_alike' }]);
  });

  it('reports an earlier document as a duplicate', async () => {
    const tenant = await createRecentTenant();
    const referenceId = reference();
    const { documents } = await accept(service, tenant, [invoice({ referenceId })]);
    const response = await refused(service, tenant, () => submit(service, tenant, [invoice({ referenceId })]));
    expect(response).toMatchObject({
      status: 409,
      body: { code: 'duplicate_document', documentId: documents[0].documentId },
    });
  });

  it('replays the earlier response only for the same key and body', async () => {
    const tenant = await createRecentTenant();
    const documents = [invoice()];
    const first = await submit(service, tenant, documents, { key: 'again' });
    const replay = await submit(service, tenant, documents, { key: 'again' });
    expect(replay.text).toBe(first.text);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    const response = await refused(service, tenant, () => submit(service, tenant, [invoice()], { key: 'again' }));
    expect(response).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } });
  });

  it('uses the database time even if the database clock was changed', async () => {
    const tenant = await createRecentTenant();
    await service.advance(86_400);
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    const [{ now }] = await service.owner.query<{ now: Date }[]>('SELECT service_now() AS now');
    const { createdAt } = await readStatus(service, tenant, submissionBatchId);
    expect(Math.abs(now.getTime() - new Date(createdAt).getTime())).toBeLessThan(30_000);
  });
});
