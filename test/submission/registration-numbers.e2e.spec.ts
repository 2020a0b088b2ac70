import { describe, expect, it } from 'vitest';
import { accept, get, readStatus, type TestTenant } from '../support/client.js';
import { invoice, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { completeProfile, organisation, type Problem } from '../support/people.js';
import { insertKey, verify } from '../support/tenants.js';

// Registrars other than SSM use hyphens, slashes, dots and spaces (docs/rules.md#numbers-and-ids). The simulator
// rejects a sole proprietor's document with a BRN that differs from the login.

const service = await startFileService();

/** Signs up a sole proprietor with this BRN. */
async function signUpWithBrn(brn: string): Promise<TestTenant> {
  const { browser, path, tenantId } = await organisation(service);
  await completeProfile(service, tenantId);
  const change = { tin: 'IG12345678901', idType: 'BRN', idValue: brn };
  const response = await browser.call<Problem>('PATCH', `${path}/profile`, change);
  expect(response).toMatchObject({ status: 200 });
  await verify(service.owner, tenantId);
  return { tenantId, apiKey: await insertKey(service.owner, tenantId) };
}

/** Returns the BRNs of supplier and buyer that the authority received. */
async function readReceivedBrns(uuid: string): Promise<(string | undefined)[]> {
  const response = await fetch(`${service.simulator.url}/_control/document?uuid=${uuid}`);
  return [...(await response.text()).matchAll(/_\\?":\\?"([^"\\]*)\\?",\\?"schemeID\\?":\\?"BRN/g)].map(
    ([, value]) => value,
  );
}

describe('authority', () => {
  it.each(['PPM-001-10-12345678', '123/2001', 'W.P. 17/88-K'])(
    'receives the BRN %s of supplier and buyer in its registered form',
    async (brn) => {
      const tenant = await signUpWithBrn(` ${brn} `);
      const buyer = { ...recipient, brn: `${brn} ` };
      const { submissionBatchId } = await accept(service, tenant, [invoice({ recipient: buyer })]);
      await service.settle();
      const { documents } = await readStatus(service, tenant, submissionBatchId);
      expect(documents).toMatchObject([{ authorityStatus: 'Valid' }]);
      expect(await readReceivedBrns(String(documents[0].authorityUuid))).toEqual([brn, brn]);
    },
  );
});

describe('TIN check', () => {
  // The simulator does not know numbers that end in 404.
  it.each(['PPM-40-4', '12/40/4', '40.4', 'K 40 4'])('sends the BRN %s in its registered form', async (brn) => {
    const tenant = await signUpWithBrn('201901234567');
    const query = new URLSearchParams({ idType: 'BRN', idValue: ` ${brn} ` }).toString();
    expect(await get(service, tenant, `/v1/einvoice/validate-taxpayer-tin/C25845632020?${query}`)).toMatchObject({
      status: 200,
      body: { valid: true, reason: null },
    });
  });
});
