import type { Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from '../support/dashboard.js';
import { completeProfile } from '../support/people.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

const TIN = 'Taxpayer identification number \\(TIN\\)';

it('onboarding validates the required fields, the TIN and the id', async () => {
  const { email, tenantId } = await signUp(site.service);
  const visit = await site.open(`/o/${tenantId}/onboarding`);
  await visit.signIn(email);
  await visit.press('Save and continue');
  await visit.waitForText('Taxpayer identification number (TIN) is required');
  await visit.waitForText('Number of the id is required');
  await visit.expectUsable();
  await visit.fill(TIN, 'C2099005104');
  await visit.fill('Number of the id', '850312125678');
  await visit.press('Save and continue');
  await visit.waitForText('the TIN of an organisation ends in 0');
  await visit.expectUsable();
  await visit.fill(TIN, 'C20990051040');
  await visit.press('Save and continue');
  await visit.page.getByText('the TIN of an organisation ends in 0').waitFor({ state: 'detached' });
  await visit.waitForText('for a person choose NRIC as the kind of id');
  await visit.expectUsable();
  await visit.press('Save and continue anyway');
  await visit.page.getByRole('heading', { name: 'Address and contact' }).waitFor();
  await visit.press('Save and continue');
  for (const field of ['Address', 'City', 'Postcode', 'State', 'Phone'])
    await visit.waitForText(`${field} is required`);
  expect(await visit.page.getByRole('heading', { name: 'Address and contact' }).count()).toBe(1);
  await visit.close();
});

it('onboarding does not save the third step while a required field is missing', async () => {
  const { email, tenantId } = await signUp(site.service);
  const visit = await site.open(`/o/${tenantId}/onboarding?step=3`);
  await visit.signIn(email);
  await visit.page.getByRole('heading', { name: 'Business and defaults' }).waitFor();
  for (const [field, text] of [
    ['Business activity', ''],
    ['Business activity', 'Wholesale of tea'],
  ]) {
    await visit.fill(field, text);
    await visit.press('Save and continue');
    await visit.waitForText(/^Industry.* is required/);
    if (text === '') await visit.waitForText('Business activity is required');
  }
  // The focused field shows its options.
  await visit.expectUsable();
  expect(await visit.page.getByRole('heading', { name: 'Business and defaults' }).count()).toBe(1);
  const stored = await visit.context.request.get(`${site.service.url}/dashboard/organisations/${tenantId}`);
  const { profile } = (await stored.json()) as { profile: Record<string, string | null> };
  expect([profile.msic, profile.activity]).toEqual([null, null]);
  await visit.close();
});

it('onboarding links back to a skipped appointment', async () => {
  const { email, tenantId } = await signUp(site.service);
  await completeProfile(site.service, tenantId);
  await site.service.owner.query('DELETE FROM taxpayer_verification WHERE tenant_id = $1', [tenantId]);
  const visit = await site.open(`/o/${tenantId}/onboarding`);
  await visit.signIn(email);
  const appointment = visit.page.getByRole('heading', { name: 'Appoint us as your intermediary' });
  await appointment.waitFor();
  for (const skipped of [1, 2]) {
    for (let step = 0; step < skipped; step += 1) await visit.press('Skip this step');
    await visit.waitForText('Not verified in the sandbox yet');
    expect(await visit.page.getByRole('link', { name: 'Create a key' }).count()).toBe(0);
    await visit.expectUsable();
    await visit.press('Go to step 4: Appointment');
    await appointment.waitFor();
  }
  await visit.close();
});

it('onboarding shows the last step for a step number above the maximum', async () => {
  const { email, tenantId } = await signUp(site.service);
  await completeProfile(site.service, tenantId);
  const visit = await site.open(`/o/${tenantId}/onboarding?step=7`);
  await visit.signIn(email);
  await visit.page.getByRole('heading', { name: 'Your first invoice, in the sandbox' }).waitFor();
  expect(await visit.page.getByText('Your first document is valid').count()).toBe(0);
  await visit.expectUsable();
  await visit.close();
});

it('new organisation can order a pack of credits', async () => {
  const selling = await Site.start({ environment: { CREDIT_PACKS: '100=50,1000=400.00' } });
  const { email, tenantId } = await signUp(selling.service);
  const visit = await selling.open(`/o/${tenantId}/credits`);
  await visit.signIn(email);
  await visit.press('Order credits');
  const dialog = visit.page.getByRole('dialog', { name: 'Order credits' });
  await dialog.waitFor();
  const packs = dialog.getByRole('button', { name: / credits, RM / });
  expect(await packs.allInnerTexts()).toEqual(['100 credits, RM 50.00', '1,000 credits, RM 400.00']);
  const credits = visit.field('Credits');
  for (const [typed, refused] of [
    ['1.5', '1.5 is not a whole number'],
    ['1.000', '1.000 is not a whole number'],
    ['1.000,5', 'can be read in two ways'],
  ]) {
    await credits.fill('');
    await credits.pressSequentially(typed);
    await visit.press('Order');
    await visit.waitForText(refused);
  }
  await packs.last().click();
  expect(await visit.field('Credits').inputValue()).toBe('1,000');
  await visit.expectUsable();
  const isOrder = (response: Response): boolean =>
    response.request().method() === 'POST' && response.url().endsWith('/credits/orders');
  const [ordered] = await Promise.all([visit.page.waitForResponse(isOrder), visit.press('Order')]);
  const { reference } = (await ordered.json()) as { reference: string };
  const orders = visit.page.getByRole('region', { name: 'Orders' });
  const cell = (label: string) => orders.locator(`td[data-label="${label}"]`);
  await cell('Price').getByText('RM 400.00').waitFor();
  expect(reference).toMatch(/\w{4,}/);
  expect(await cell('Payment reference').allInnerTexts()).toEqual([reference]);
  await visit.expectUsable();
  await visit.close();
  await selling.stop();
});

describe('new owner', () => {
  async function openFirstDay(at: Site): Promise<Visit> {
    const { email, tenantId } = await signUp(at.service);
    const visit = await at.open(`/o/${tenantId}/onboarding`);
    await visit.signIn(email);
    await visit.waitUntilSettled();
    return visit;
  }

  const readLinks = (visit: Visit, name: string): Promise<[string, string][]> =>
    visit.page
      .getByRole('navigation', { name, exact: true })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => [link.textContent, link.getAttribute('href') ?? '']));

  it('finds the guide and the API documentation in the menu', async () => {
    const visit = await openFirstDay(site);
    for (const name of ['Help', 'Help with getting started']) {
      expect(await readLinks(visit, name)).toEqual([
        ['Guide', '/docs/dashboard'],
        ['API documentation', '/docs/'],
      ]);
      for (const [text] of await readLinks(visit, name)) {
        const link = visit.page.getByRole('navigation', { name, exact: true }).getByRole('link', { name: text });
        const [opened] = await Promise.all([visit.context.waitForEvent('page'), link.click()]);
        const response = await opened.reload();
        expect(response?.status(), text).toBe(200);
        await opened.getByRole('heading', { level: 1 }).waitFor();
        await opened.close();
      }
    }
    await visit.expectUsable();
    await visit.close();
  });

  it('finds the support page if SUPPORT_URL is set', async () => {
    const supported = await Site.start({ environment: { SUPPORT_URL: 'mailto:help@service.example' } });
    const visit = await openFirstDay(supported);
    for (const name of ['Help', 'Help with getting started']) {
      expect(await readLinks(visit, name)).toContainEqual(['Support', 'mailto:help@service.example']);
    }
    await visit.setAppearance({ isPhone: true, isDark: true });
    await visit.expectFit();
    await visit.expectUsable();
    await visit.close();
    await supported.stop();
  });
});
