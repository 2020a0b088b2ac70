import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completeProfile, join, organisation, readAudit } from '../support/people.js';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

it('profile page saves only changed fields and shows changes by another owner', async () => {
  const { service } = site;
  const owner = await organisation(service);
  await completeProfile(service, owner.tenantId);
  const other = await join(service, owner.browser, owner.path, 'owner');
  const visit = await site.open(`/o/${owner.tenantId}/profile`);
  await visit.signIn(owner.email);
  await visit.waitUntilSettled();
  await visit.fill('Postcode', '50490');
  await other.browser.call('PATCH', `${owner.path}/profile`, { city: 'Ipoh', phone: '+60512345678' });
  const save = visit.page.getByRole('form', { name: 'Address and contact' }).getByRole('button', { name: 'Save' });
  await save.click();
  await visit.waitForText('Saved. The change applies');
  await expect.poll(() => visit.field('City').inputValue()).toBe('Ipoh');
  expect(await visit.field('Phone').inputValue()).toBe('+60512345678');
  const stored = `SELECT city, phone, postcode FROM tenant WHERE tenant_id = $1`;
  expect(await service.owner.query(stored, [owner.tenantId])).toEqual([
    { city: 'Ipoh', phone: '+60512345678', postcode: '50490' },
  ]);
  expect((await readAudit(service, owner.tenantId)).at(-1)?.details).toEqual({
    changes: { postcode: { from: '50480', to: '50490' } },
  });
  await visit.expectUsable();
  await visit.close();
});

it('profile draft is restored over later changes only after confirmation', async () => {
  const { service } = site;
  const owner = await organisation(service);
  await completeProfile(service, owner.tenantId);
  const visit = await site.open(`/o/${owner.tenantId}/profile`);
  await visit.signIn(owner.email);
  await visit.waitUntilSettled();
  await visit.fill('Postcode', '50490');
  await owner.browser.call('PATCH', `${owner.path}/profile`, { city: 'Ipoh' });
  // Saving another section reloads the profile.
  await visit.fill('Business activity', 'Retail');
  const section = visit.page.getByRole('form', { name: 'Business and defaults' });
  await section.getByRole('button', { name: 'Save' }).click();
  await visit.waitForText('Saved. The change applies');
  await visit.fill('Postcode', '50491');
  await visit.waitUntilSettled();
  await visit.page.reload();
  await visit.waitForText('There is an older draft');
  expect(await visit.field('City').inputValue()).toBe('Ipoh');
  await visit.close();
});

describe('state of an organisation abroad', () => {
  it('is entered as free text', async () => {
    const { service } = site;
    const owner = await organisation(service);
    await completeProfile(service, owner.tenantId);
    const visit = await site.open(`/o/${owner.tenantId}/profile`);
    await visit.signIn(owner.email);
    await visit.waitUntilSettled();
    expect(await visit.field('State').first().getAttribute('role')).toBe('combobox');
    await visit.choose('Country', 'Thailand');
    expect(await visit.field('State').inputValue()).toBe('');
    await visit.fill('State', 'Songkhla');
    await visit.expectUsable();
    const section = visit.page.getByRole('form', { name: 'Address and contact' });
    await section.getByRole('button', { name: 'Save' }).click();
    await visit.waitForText('Saved. The change applies');
    const stored = `SELECT country, state_code FROM tenant WHERE tenant_id = $1`;
    expect(await service.owner.query(stored, [owner.tenantId])).toEqual([{ country: 'THA', state_code: 'Songkhla' }]);
    await visit.show(visit.path);
    expect(await visit.field('State').inputValue()).toBe('Songkhla');
    await visit.close();
  });

  it('is selected from the list again when the country changes to Malaysia', async () => {
    const { service } = site;
    const owner = await organisation(service);
    await completeProfile(service, owner.tenantId);
    const path = `${owner.path}/profile`;
    const change = { country: 'THA', stateCode: 'Songkhla' };
    expect((await owner.browser.call('PATCH', path, change)).status).toBe(200);
    const visit = await site.open(`/o/${owner.tenantId}/profile`);
    await visit.signIn(owner.email);
    await visit.waitUntilSettled();
    await visit.choose('Country', 'Malaysia');
    expect(await visit.field('State').first().inputValue()).toBe('');
    await visit.choose('State', 'Selangor');
    expect(await visit.field('State').first().inputValue()).toBe('Selangor');
    await visit.close();
  });
});
