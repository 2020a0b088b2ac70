import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Made, secretIn, UserCommand } from '../cli/user-command.js';
import { Browser, PASSWORD, signUp } from '../support/dashboard.js';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

describe('pages', () => {
  it('have a strict policy with a new nonce per response and are never stored', async () => {
    const responses = await Promise.all([fetch(site.toAddress('/')), fetch(site.toAddress('/o/any/keys'))]);
    const policies = responses.map(({ headers }) => headers.get('content-security-policy') ?? '');
    for (const policy of policies) {
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(policy).not.toMatch(/https?:/);
    }
    expect(policies[0]).not.toBe(policies[1]);
    expect(responses.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual([
      [200, 'no-store'],
      [200, 'no-store'],
    ]);
    expect(await responses[0].text()).not.toContain('__CSP_NONCE__');
  });

  it('load files that are cacheable indefinitely', async () => {
    const page = await (await fetch(site.toAddress('/'))).text();
    const [, script] = /src="\/dashboard(\/assets\/[^"]+)"/.exec(page) ?? [];
    const response = await fetch(site.toAddress(script));
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await response.text()).length).toBeGreaterThan(10_000);
  });
});

describe('password link', () => {
  it('sets a password once and signs the user in', async () => {
    const { email } = await signUp(site.service);
    const { link } = await new UserCommand(site.service).json<Made>(['reset-password', '--email', email]);
    const visit = await site.open(`/password#${secretIn(link)}`);
    await visit.heading('Choose your password');
    await visit.waitForText(email);
    await visit.expectUsable();
    await visit.fill('Password', 'short');
    await visit.press('Set the password and sign in');
    await visit.waitForText('Use at least 12 characters');
    await visit.fill('Password', 'another good long password');
    await visit.press('Set the password and sign in');
    await visit.page.getByRole('button', { name: /Account/ }).waitFor();
    expect((await new Browser(site.service).enter('/sign-in', { email, password: PASSWORD })).status).toBe(401);
    await visit.go(`/password#${secretIn(link)}`);
    await visit.waitForText('This link is no longer valid');
    await visit.close();
  });
});

describe('ended session', () => {
  it('is explained on the sign-in page, which mentions saved drafts', async () => {
    const { email, tenantId } = await signUp(site.service);
    const visit = await site.open('/');
    await visit.heading('Sign in');
    expect(await visit.page.getByText('has ended').count()).toBe(0);
    await visit.signIn(email);
    const end = async (): Promise<void> => {
      await site.service.owner.query(
        'DELETE FROM user_session WHERE user_id = (SELECT id FROM user_account WHERE email = $1)',
        [email],
      );
      await visit.page.reload();
      await visit.waitForText('Your session has ended');
    };
    await end();
    await visit.waitForText('Unsent forms are not kept');
    await visit.expectUsable();
    await visit.signIn(email);
    await visit.go(`/o/${tenantId}/profile`);
    await visit.field('Registered name').fill('Kedai Baharu');
    await visit.waitForText('Draft kept in this browser');
    await end();
    await visit.waitForText('are kept in this browser. Sign in again to continue');
    await visit.signIn(email);
    await expect.poll(() => visit.field('Registered name').inputValue()).toBe('Kedai Baharu');
    const another = await visit.openTab(`/o/${tenantId}/profile`);
    await another.waitUntilSettled();
    await visit.page.getByRole('button', { name: /Account/ }).click();
    await visit.page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const dialog of await visit.page.getByRole('dialog').all()) await dialog.getByRole('button').last().click();
    await visit.heading('Sign in');
    expect(await visit.page.getByText(/has ended|have signed out/).count()).toBe(0);
    await another.waitForText('This happened in another tab of this browser');
    await visit.close();
  });
});

describe('visitor', () => {
  it.each([
    ['on a laptop', {}],
    ['on a phone, in the dark', { isPhone: true, isDark: true }],
  ])('signs up, out and in again %s after a wrong password', async (title, options) => {
    const visit = await site.open('/', options);
    const email = `aisyah-${title.length}@kedai.example`;
    await visit.heading('Sign in');
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: 'Sign up' }).click();
    await visit.fill('Organisation', 'Kedai Contoh Sdn Bhd');
    await visit.fill('Your name', 'Aisyah Rahman');
    await visit.fill('E-mail address', email);
    await visit.fill('Password', PASSWORD);
    await visit.expectUsable();
    await visit.press('Sign up');
    await visit.page.getByRole('button', { name: /Account/ }).click();
    await visit.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await visit.heading('Sign in');
    await visit.fill('E-mail address', email);
    await visit.fill('Password', 'not the password');
    await visit.press('Sign in');
    await visit.waitForText('The e-mail address or the password is wrong');
    await visit.fill('Password', PASSWORD);
    await visit.press('Sign in');
    await visit.page.getByRole('button', { name: /Account/ }).waitFor();
    await visit.expectUsable();
    await visit.close();
  });

  it('returns to the requested page after signing in, but never to another site', async () => {
    const { email, tenantId } = await signUp(site.service);
    for (const asked of [`/o/${tenantId}`, `/sign-in?returnTo=${encodeURIComponent('//evil.example/')}`]) {
      const visit = await site.open(asked);
      await visit.fill('E-mail address', email);
      await visit.fill('Password', PASSWORD);
      await visit.press('Sign in');
      await visit.page.getByRole('button', { name: /Account/ }).waitFor();
      expect(visit.path).toContain(tenantId);
      expect(new URL(visit.page.url()).origin).toBe(new URL(site.toAddress('')).origin);
      await visit.close();
    }
  });
});
