import { afterAll, beforeAll, expect, it } from 'vitest';
import { signUp } from '../support/dashboard.js';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

const TIN = 'Taxpayer identification number \\(TIN\\)';

it('onboarding lets no required field through empty, and doubts a TIN and an id as a submit does', async () => {
  const { email, tenantId } = await signUp(site.service);
  const visit = await site.open(`/o/${tenantId}/onboarding`);
  await visit.signIn(email);
  await visit.press('Save and continue');
  await visit.waitForText('Taxpayer identification number (TIN) is required');
  await visit.waitForText('Number of the id is required');
  await visit.isUsable();
  await visit.fill(TIN, 'C2099005104');
  await visit.fill('Number of the id', '850312125678');
  await visit.press('Save and continue');
  await visit.waitForText('the TIN of an organisation ends in 0');
  await visit.waitForText('for a person choose NRIC as the kind of id');
  await visit.isUsable();
  await visit.fill(TIN, 'C20990051040');
  await visit.press('Save and continue');
  await visit.page.getByText('the TIN of an organisation ends in 0').waitFor({ state: 'detached' });
  await visit.press('Save and continue anyway');
  await visit.page.getByRole('heading', { name: 'Address and contact' }).waitFor();
  await visit.press('Save and continue');
  for (const field of ['Address', 'City', 'Postcode', 'State', 'Phone'])
    await visit.waitForText(`${field} is required`);
  expect(await visit.page.getByRole('heading', { name: 'Address and contact' }).count()).toBe(1);
  await visit.close();
});
