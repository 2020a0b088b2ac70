import { afterAll, beforeAll, expect, it } from 'vitest';
import { issue } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { creditNote, invoice } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

it('document list shows only the current attempt of a resubmitted document', async () => {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  const unknownParent = { referenceId: 'OLD-1', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
  const documents = [
    invoice({ referenceId: 'INV-1' }),
    creditNote(unknownParent, { referenceId: 'CN-1' }),
    creditNote({ referenceId: 'INV-1' }, { referenceId: 'CN-1' }),
  ];
  for (const document of documents) {
    await issue(service, tenant, document);
    await service.settle();
  }
  const visit = await site.open(`/o/${tenantId}/sandbox/overview`);
  await visit.signIn(email);
  await visit.waitForText('0 failed in 30 days');
  await visit.waitForText('No document needs action');
  await visit.go(`/o/${tenantId}/sandbox/transactions?status=Invalid`);
  await visit.waitForText('No document matches these filters');
  await visit.press('Filters');
  await visit.page.getByRole('checkbox', { name: 'Include replaced attempts' }).check();
  await visit.waitForText('sent again since');
  expect(await visit.page.getByRole('link', { name: 'CN-1' }).count()).toBe(1);
  await visit.expectUsable();
  await visit.press('Clear filters');
  await visit.page.getByRole('link', { name: 'INV-1' }).waitFor();
  await expect.poll(() => visit.page.getByRole('link', { name: 'CN-1' }).count()).toBe(1);
  await visit.close();
});
