import { expect, it } from 'vitest';
import { createKey, request } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';
import { checkAppointment, fillProfile, newTin } from '../support/onboarding.js';
import { verify } from '../support/tenants.js';

// The shared call budget must not be spent on known results.

const service = await startFileService({ environment: { AUTHORITY_SANDBOX_RATE_FACTOR: '1' } });

function readCallBudget(): Promise<unknown[]> {
  return service.owner.query('SELECT api, next_at::text FROM call_budget ORDER BY api');
}

it('makes no appointment check or TIN check while a rejected login is stored', async () => {
  const owner = await signUp(service);
  const tin = newTin();
  expect((await fillProfile(owner, { tin })).status).toBe(200);
  await verify(service.owner, owner.tenantId);
  await service.control('taxpayers', { tin, appointed: false });
  expect((await checkAppointment(owner)).body.isAppointed).toBe(false);
  const before = await readCallBudget();
  expect(before).toHaveLength(2);
  const apiKey = await createKey(service, owner.tenantId);
  const path = '/v1/einvoice/validate-taxpayer-tin/C25845632020?idType=BRN&idValue=201901234567';
  for (let count = 0; count < 3; count += 1) {
    expect((await checkAppointment(owner)).body.isAppointed).toBe(false);
    const refusal = await request(service, path, { headers: { 'X-API-Key': apiKey } });
    expect([refusal.status, refusal.body.code]).toEqual([503, 'not_appointed']);
  }
  expect(await readCallBudget()).toEqual(before);
});
