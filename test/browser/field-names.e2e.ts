import { afterAll, beforeAll, expect, it } from 'vitest';
import { issue } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { creditNote } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

it('problems name their field in plain language', async () => {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  const unknownParent = { referenceId: 'OLD-1', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
  await issue(service, tenant, creditNote(unknownParent, { referenceId: 'CN-1' }));
  await service.settle();
  const visit = await site.open(`/o/${tenantId}/sandbox/transactions`);
  await visit.signIn(email);
  await visit.page.getByRole('link', { name: 'CN-1' }).click();
  await visit.waitForText('DR301');
  expect(await visit.page.getByRole('main').innerText()).not.toMatch(/\/documents\/|documents\[/);
  await visit.page.getByRole('link', { name: 'Correct and resubmit' }).click();
  // A different number creates a second document while the first still needs action.
  const another = visit.page.getByRole('alert').filter({ hasText: 'This is now a different document' });
  expect(await another.count()).toBe(0);
  await visit.fill('Credit note number', 'CN-2');
  await another.getByText('CN-1 still needs action').waitFor();
  await visit.fill('Credit note number', 'CN-1');
  await another.waitFor({ state: 'detached' });
  await visit.fill('Parent invoice’s UUID at the authority', 'short');
  await visit.press('Send for 1 credit');
  await visit.waitForText(/26 letters and digits/);
  expect(await visit.page.getByRole('main').innerText()).not.toMatch(/\/documents\/|documents\[/);
  await visit.expectUsable();
  await visit.go(`/o/${tenantId}/sandbox/send`);
  await visit.field('Invoice number').waitFor();
  expect(await visit.page.getByRole('tab').count()).toBe(0);
  await visit.close();
});
