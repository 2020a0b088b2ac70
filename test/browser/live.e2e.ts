import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accept, type TestTenant } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

/** Opens a page of an organisation with one queued document. */
async function open(path: string): Promise<{ visit: Visit; tenant: TestTenant }> {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  await accept(service, tenant, [invoice({ referenceId: 'INV-1' })]);
  const visit = await site.open(`/o/${tenantId}${path}`);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return { visit, tenant };
}

describe('live updates', () => {
  it.each(['transactions', 'batches'])(
    'show the new status in the list of %s without flashing its button',
    async (list) => {
      const { visit } = await open(`/sandbox/${list}`);
      const status = visit.page.getByRole('row').nth(1);
      await status.getByText('Queued', { exact: true }).waitFor();
      await visit.page.getByRole('button', { name: 'Refresh' }).focus();
      await site.service.settle();
      await status.getByText('Valid', { exact: true }).waitFor();
      const focused = await visit.page
        .getByRole('button', { name: 'Refresh' })
        .evaluate((button) => button === button.ownerDocument.activeElement);
      expect(focused).toBe(true);
      await visit.close();
    },
  );

  it('show credits used by client systems', async () => {
    const { visit, tenant } = await open('/credits');
    await visit.waitForText(/^99( credits)?$/);
    await accept(site.service, tenant, [invoice({ referenceId: 'INV-2' })]);
    await visit.waitForText(/^98( credits)?$/);
    await visit.close();
  });
});
