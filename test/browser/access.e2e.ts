import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, submit } from '../support/client.js';
import { Browser, PASSWORD, signUp } from '../support/dashboard.js';
import { invoice, reference } from '../support/documents.js';
import { completeProfile, invite, join, newEmail } from '../support/people.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

const APPEARANCES = [
  ['on a laptop', {}],
  ['on a phone, in the dark', { isPhone: true, isDark: true }],
] as const;

async function enter(path: string, email: string, options: object = {}): Promise<Visit> {
  const visit = await site.open(path, options);
  await visit.fill('E-mail address', email);
  await visit.fill('Password', PASSWORD);
  await visit.press('Sign in');
  return visit;
}

describe('owner', () => {
  it.each(APPEARANCES)('creates, rotates and revokes an API key %s', async (_, options) => {
    const { email, tenantId } = await signUp(site.service);
    await completeProfile(site.service, tenantId);
    const visit = await enter(`/o/${tenantId}/keys`, email, options);
    await visit.waitForText('No API key yet');
    await visit.expectUsable();
    await visit.page.getByRole('button', { name: 'Create key' }).first().click();
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await visit.waitForText('Enter what the key is for');
    await visit.fill('Name', 'ERP');
    await visit.expectUsable();
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await visit.waitForText('Save this key now');
    await visit.expectUsable();
    const [shown, command] = await visit.page.getByRole('dialog').locator('pre').allInnerTexts();
    expect(shown).toMatch(/^eisk_test_[0-9A-Za-z]{36}$/);
    const [, address, body] = /^curl -i "([^"]+)"[^]*-d '([^']+)'$/.exec(command) ?? [];
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/einvoice\/submit\/dry-run$/);
    const headers = { 'X-API-Key': shown, 'Content-Type': 'application/json' };
    const tried = await fetch(address, { method: 'POST', headers, body });
    expect([tried.status, (await tried.json()) as object]).toMatchObject([200, { dryRun: true }]);
    await visit.press('I have saved it');
    await visit.page.getByRole('button', { name: /^Rotate ERP/ }).click();
    await visit.expectUsable();
    await visit.press('Rotate key');
    await visit.waitForText('The old key works until');
    await visit.press('I have saved it');
    await visit.waitForText('Replaced, ending');
    expect(await visit.page.getByText(shown).count()).toBe(0);
    await visit.page
      .getByRole('button', { name: /^Revoke ERP/ })
      .last()
      .click();
    await visit.expectUsable();
    await visit.press('Revoke key');
    await visit.waitForText('Revoked');
    await visit.expectUsable();
    await visit.close();
  });

  it.each(APPEARANCES)('invites a new user, who creates an account and joins %s', async (_, options) => {
    const { email, tenantId } = await signUp(site.service);
    const visit = await enter(`/o/${tenantId}/members`, email, options);
    const guest = newEmail();
    await visit.waitForText('No open invitation');
    await visit.page.getByRole('button', { name: 'Invite' }).click();
    await visit.fill('E-mail address', guest);
    await visit.expectUsable();
    await visit.press('Create the link');
    await visit.waitForText('Send this link');
    await visit.expectUsable();
    const link = await visit.page.getByRole('dialog').locator('pre').innerText();
    await visit.press('Done');
    await visit.waitForText(guest);
    const visitor = await site.open(link.replace(site.toAddress(''), ''), options);
    await visitor.waitForText('You are invited to join');
    await visitor.expectUsable();
    await visitor.fill('Your name', 'Badrul');
    await visitor.fill('Password', PASSWORD);
    await visitor.press('Create an account and join');
    await visitor.page.getByRole('button', { name: /Account of Badrul/ }).waitFor();
    expect(visitor.path).toContain(tenantId);
    await visitor.go(`/o/${tenantId}/members`);
    await visitor.waitForText('Badrul (you)');
    expect(await visitor.page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    await visitor.go(link.replace(site.toAddress(''), ''));
    await visitor.waitForText('This invitation is no longer valid');
    await visit.page.reload();
    await visit.page.getByRole('button', { name: 'Change role of Badrul' }).click();
    await visit.expectUsable();
    await visit.page.getByRole('button', { name: 'Back' }).click();
    await visit.page.getByRole('button', { name: 'Remove of Badrul' }).click();
    await visit.press('Remove member');
    await visit.page.getByText('Badrul').first().waitFor({ state: 'detached' });
    await visit.expectUsable();
    await Promise.all([visit.close(), visitor.close()]);
  });

  it.each(APPEARANCES)('sees the submitter of each document and the activity of a key %s', async (_, options) => {
    const { email, tenantId } = await signUp(site.service);
    await completeProfile(site.service, tenantId);
    const tenant = { tenantId, apiKey: await createKey(site.service, tenantId) };
    const referenceId = reference();
    expect((await submit(site.service, tenant, [invoice({ referenceId })])).status).toBe(200);
    const visit = await enter(`/o/${tenantId}/sandbox/transactions`, email, options);
    await visit.waitForText(referenceId);
    const choose = async (name: string): Promise<void> => {
      await visit.page.getByRole('combobox', { name: 'Submitted by' }).click();
      await visit.page.getByRole('option', { name }).click();
    };
    await visit.press('Filters');
    await choose(email);
    await visit.waitForText('No document matches these filters');
    await choose(`test …${tenant.apiKey.slice(-4)}`);
    await visit.waitForText(referenceId);
    // Keeps the mouse pointer from hovering over a row.
    await visit.page.mouse.move(0, 0);
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: referenceId }).click();
    await visit.waitForText(`By test (eisk_test_…${tenant.apiKey.slice(-4)})`);
    await visit.expectUsable();
    await visit.go(`/o/${tenantId}/sandbox/batches`);
    await choose(email);
    await visit.waitForText('No batches from this key or person');
    await visit.expectUsable();
    await visit.go(`/o/${tenantId}/keys`);
    await visit.page.getByRole('button', { name: /^Revoke test/ }).click();
    await visit.waitForText('It has submitted 1 document in 1 batch and requested 0 cancellations');
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: 'Show its documents' }).click();
    await visit.waitForText(referenceId);
    await visit.close();
  });

  it.each(APPEARANCES)('decides what happens to the keys of a removed member %s', async (_, options) => {
    const { browser, email, tenantId } = await signUp(site.service);
    await completeProfile(site.service, tenantId);
    const leaver = await join(site.service, browser, `/organisations/${tenantId}`, 'member');
    await leaver.browser.post(`/organisations/${tenantId}/keys`, { name: 'ERP', environment: 'sandbox' });
    const visit = await enter(`/o/${tenantId}/members`, email, options);
    await visit.page.getByRole('button', { name: 'Remove of Badrul' }).click();
    await visit.press('Remove member');
    await visit.waitForText('Badrul created API keys that still work');
    await visit.waitForText('ERP');
    expect(await visit.page.getByRole('button', { name: 'Remove member' }).isDisabled()).toBe(true);
    await visit.expectUsable();
    await visit.page.getByLabel(/^Revoke them/).check();
    await visit.press('Remove member');
    await visit.page.getByText('Badrul').first().waitFor({ state: 'detached' });
    await visit.go(`/o/${tenantId}/keys`);
    await visit.waitForText('Revoked');
    await visit.expectUsable();
    await visit.close();
  });

  it.each(APPEARANCES)('filters the audit log %s', async (_, options) => {
    const { browser, email, tenantId } = await signUp(site.service);
    await completeProfile(site.service, tenantId);
    await browser.post(`/organisations/${tenantId}/keys`, { name: 'ERP', environment: 'sandbox' });
    const visit = await enter(`/o/${tenantId}/audit`, email, options);
    await visit.waitForText('signed up the organisation');
    await visit.waitForText('created the API key');
    await visit.expectUsable();
    await visit.fill('Who', 'nobody');
    await visit.waitForText('No entries');
    expect(new URL(visit.page.url()).searchParams.get('actor')).toBe('nobody');
    await visit.close();
  });

  it.each(APPEARANCES)('changes name and password and signs out other browsers %s', async (_, options) => {
    const { email } = await signUp(site.service);
    const visit = await enter('/account', email, options);
    await visit.fill('Your name', 'Aisyah Rahman');
    await visit.press('Save name');
    await visit.page.getByRole('button', { name: 'Account of Aisyah Rahman' }).waitFor();
    await visit.waitForText('Sign out all others');
    await visit.expectUsable();
    await visit.press('Sign out all others');
    await visit.page.getByRole('button', { name: /^Sign out A program/ }).waitFor({ state: 'detached' });
    await visit.fill('Current password', 'not the password');
    await visit.fill('New password', 'another good long password');
    await visit.press('Change password');
    await visit.waitForText('The e-mail address or the password is wrong');
    await visit.fill('Current password', PASSWORD);
    await visit.press('Change password');
    await visit.waitForText('Your password has been changed');
    await visit.expectUsable();
    const next = { email, password: 'another good long password' };
    expect((await new Browser(site.service).enter('/sign-in', next)).status).toBe(200);
    await visit.close();
  });
});

describe('invitation for an existing account', () => {
  it('remains open during sign-in and rejects another account', async () => {
    const owner = await signUp(site.service);
    const [guest, other] = [await signUp(site.service), await signUp(site.service)];
    const secret = await invite(owner.browser, `/organisations/${owner.tenantId}`, guest.email, 'viewer');
    const visit = await enter('/', other.email);
    await visit.page.getByRole('button', { name: /Account/ }).waitFor();
    await visit.go(`/invitation#${secret}`);
    await visit.waitForText(`You are signed in as ${other.email}`);
    await visit.expectUsable();
    await visit.press('Sign out and continue');
    await visit.page.getByRole('link', { name: 'Sign in to join' }).click();
    await visit.heading('Sign in');
    expect(visit.page.url()).not.toContain(secret);
    await visit.fill('E-mail address', guest.email);
    await visit.fill('Password', PASSWORD);
    await visit.press('Sign in');
    await visit.page.getByRole('button', { name: /^Join/ }).click();
    await visit.page.getByRole('button', { name: /Account/ }).waitFor();
    expect(visit.path).toContain(owner.tenantId);
    await visit.close();
  });
});

describe('viewer', () => {
  it('sees keys and members without any edit controls', async () => {
    const { browser, tenantId } = await signUp(site.service);
    const path = `/organisations/${tenantId}`;
    await completeProfile(site.service, tenantId);
    await browser.post(`${path}/keys`, { name: 'ERP', environment: 'sandbox' });
    const viewer = await join(site.service, browser, path, 'viewer');
    const visit = await enter(`/o/${tenantId}/keys`, viewer.email);
    await visit.waitForText('ERP');
    expect(await visit.page.getByRole('button', { name: /Create|Rotate|Revoke/ }).count()).toBe(0);
    expect(await visit.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await visit.go(`/o/${tenantId}/members`);
    await visit.waitForText('(you)');
    expect(await visit.page.getByRole('button', { name: /Invite|Change role|Remove/ }).count()).toBe(0);
    await visit.page.getByRole('button', { name: 'Leave the organisation' }).click();
    await visit.press('Leave');
    await visit.waitForText('You are not in an organisation');
    await visit.close();
  });
});
