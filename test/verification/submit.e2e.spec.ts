import { describe, expect, it } from 'vitest';
import {
  accept,
  cancel,
  createTenant,
  readBalance,
  get,
  issue,
  refused,
  readStatus,
  submit,
} from '../support/client.js';
import { invoice } from '../support/documents.js';
import { createOperator } from '../support/people.js';
import { startFileService } from '../support/file-service.js';
import { insertKey, type TestTenant } from '../support/tenants.js';
import { decideAs } from '../support/onboarding.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });
const TIN_CHECK = '/v1/einvoice/validate-taxpayer-tin/C9876543210?idType=BRN&idValue=202001234567';

function changeTin(tenant: TestTenant, tin: string): Promise<unknown> {
  return service.owner.query('UPDATE tenant SET tin = $2 WHERE tenant_id = $1', [tenant.tenantId, tin]);
}

describe('an unverified organisation', () => {
  it('cannot submit', async () => {
    const tenant = await createTenant(service, { isVerified: false });
    const response = await refused(service, tenant, () => submit(service, tenant, [invoice()]));
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      code: 'supplier_not_verified',
      verification: { status: 'unverified', reason: null },
      message: expect.stringContaining('is not verified for its TIN in the sandbox environment. Complete the profile'),
    });
    expect(response.body.errors).toEqual([response.body.message]);
  });

  it('sees the status and reason of its verification', async () => {
    const tenant = await createTenant(service, { isVerified: false });
    const { browser: operator } = await createOperator(service);
    const reason = 'The registration number is of another company';
    expect((await decideAs(operator, tenant, { reason })).status).toBe(200);
    const response = await refused(service, tenant, () => submit(service, tenant, [invoice()]));
    expect(response.body.verification).toEqual({ status: 'refused', reason });
    expect(response.body.message).toContain(reason);
    await service.owner.query(
      `UPDATE taxpayer_verification SET status = 'waiting', reason = NULL, decided_by = NULL WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    const waiting = await refused(service, tenant, () => submit(service, tenant, [invoice()]));
    expect(waiting.body.verification).toEqual({ status: 'waiting', reason: null });
    expect(waiting.body.message).toContain('waits for the operator');
  });

  it('cannot use dry runs or TIN checks', async () => {
    const tenant = await createTenant(service, { isVerified: false });
    const body = JSON.stringify({ submission_type: 'non-consolidated', documents: [invoice()] });
    const headers = { 'X-API-Key': tenant.apiKey, 'Content-Type': 'application/json' };
    const dryRun = await fetch(`${service.url}/v1/einvoice/submit?dryRun=true`, { method: 'POST', headers, body });
    expect([dryRun.status, await dryRun.json()]).toMatchObject([400, { code: 'supplier_not_verified' }]);
    const check = await get(service, tenant, TIN_CHECK);
    expect([check.status, check.body.code]).toEqual([400, 'supplier_not_verified']);
  });

  it('cannot read cached TIN checks', async () => {
    const tenant = await createTenant(service);
    expect((await get(service, tenant, TIN_CHECK)).status).toBe(200);
    await changeTin(tenant, 'C20990060010');
    expect((await get(service, tenant, TIN_CHECK)).body.code).toBe('supplier_not_verified');
  });

  it('can submit only in a verified environment', async () => {
    const tenant = await createTenant(service);
    await service.owner.query(`DELETE FROM taxpayer_verification WHERE tenant_id = $1 AND environment = 'production'`, [
      tenant.tenantId,
    ]);
    await accept(service, tenant, [invoice()]);
    const live = { ...tenant, apiKey: await insertKey(service.owner, tenant.tenantId, 'production') };
    const response = await submit(service, live, [invoice()]);
    expect([response.status, response.body.code]).toEqual([400, 'supplier_not_verified']);
    expect(response.body.message).toContain('production');
  });
});

it('a verified organisation can submit after a change of other fields', async () => {
  const tenant = await createTenant(service);
  await service.owner.query(
    `UPDATE tenant SET name = 'Another', phone = '+60399999999', tin = tin, city = 'Ipoh' WHERE tenant_id = $1`,
    [tenant.tenantId],
  );
  await accept(service, tenant, [invoice()]);
});

describe('an organisation whose verification has ended', () => {
  it.each([
    ['TIN', `tin = 'C20990060020'`],
    ['id type', `id_type = 'ARMY'`],
    ['id number', `id_value = '201901234568'`],
  ])('cannot submit after a change of its %s', async (_what, change) => {
    const tenant = await createTenant(service);
    const live = { ...tenant, apiKey: await insertKey(service.owner, tenant.tenantId, 'production') };
    await service.owner.query(`UPDATE tenant SET ${change} WHERE tenant_id = $1`, [tenant.tenantId]);
    for (const caller of [tenant, live]) {
      expect((await submit(service, caller, [invoice()])).body.code).toBe('supplier_not_verified');
    }
  });

  it('remains unverified after a change back to its earlier TIN', async () => {
    const tenant = await createTenant(service, { profile: { tin: 'C20990060030' } });
    await changeTin(tenant, 'C20990060040');
    await changeTin(tenant, 'C20990060030');
    expect((await submit(service, tenant, [invoice()])).body.code).toBe('supplier_not_verified');
  });

  it('can still access accepted documents', async () => {
    const tenant = await createTenant(service);
    const { documents } = await issue(service, tenant, invoice());
    await service.settle();
    const late = [invoice()];
    const first = await submit(service, tenant, late, { key: 'late' });
    await service.owner.query('DELETE FROM taxpayer_verification WHERE tenant_id = $1', [tenant.tenantId]);
    const replay = await submit(service, tenant, late, { key: 'late' });
    expect([replay.status, replay.text]).toEqual([200, first.text]);
    await service.settle();
    const { documents: sent } = await readStatus(service, tenant, first.body.submissionBatchId as string);
    expect(sent.map(({ authorityStatus }) => authorityStatus)).toEqual(['Valid']);
    const credits = await readBalance(service, tenant);
    expect((await cancel(service, tenant, { documentId: documents[0].documentId })).status).toBe(202);
    expect(await readBalance(service, tenant)).toBe(credits - 1);
  });
});
