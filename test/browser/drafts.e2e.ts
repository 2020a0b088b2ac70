import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue } from '../support/client.js';
import { PASSWORD, signUp } from '../support/dashboard.js';
import { creditNote } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

const RESTORED = 'Your draft is back';
const NUMBER = 'Invoice number';

interface Owner {
  readonly email: string;
  readonly tenantId: string;
}

async function createOwner(): Promise<Owner> {
  const { email, tenantId } = await signUp(site.service);
  await completeProfile(site.service, tenantId);
  return { email, tenantId };
}

async function openForm({ email, tenantId }: Owner): Promise<Visit> {
  const visit = await site.open(`/o/${tenantId}/sandbox/send`);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return visit;
}

async function fillInvoice(visit: Visit, number: string): Promise<void> {
  await visit.fill(NUMBER, number);
  await visit.fill('Buyer’s name', 'Pembeli Contoh Sdn Bhd');
  await visit.fill('Buyer’s TIN', 'C9876543210');
  await visit.fill('Buyer’s id number', '202001234567');
  await visit.fill('Buyer’s address', '12 Jalan Contoh');
  await visit.fill('Buyer’s city', 'Shah Alam');
  await visit.fill('Buyer’s postcode', '40000');
  await visit.choose('Buyer’s state', 'Selangor');
  await visit.fill('Description', 'Consulting');
  await visit.fill('Unit price', '250');
}

/** Waits for the text of a field, because the draft is restored after the field is rendered. */
async function expectNumber(visit: Visit, number: string): Promise<void> {
  await expect.poll(() => visit.field(NUMBER).inputValue()).toBe(number);
}

function countBatches(tenantId: string): Promise<{ count: number; charged: number }[]> {
  return site.service.owner.query(
    `SELECT count(*)::int AS count, (100 - min(a.balance))::int AS charged
       FROM submission_batch b JOIN credit_account a USING (tenant_id) WHERE tenant_id = $1`,
    [tenantId],
  );
}

async function signOut(visit: Visit): Promise<void> {
  await visit.page.getByRole('button', { name: /Account/ }).click();
  await visit.page.getByRole('menuitem', { name: /Sign out/ }).click();
  await visit.heading('Sign in');
}

describe('draft of the send form', () => {
  it('is restored after navigation, reload and session end until it is discarded', async () => {
    const owner = await createOwner();
    const visit = await openForm(owner);
    await visit.fill(NUMBER, 'INV-7');
    await visit.fill('Unit price', '250');
    await visit.waitForText('Draft kept in this browser');
    await visit.page.getByRole('link', { name: 'Credits' }).click();
    await visit.heading('Credits');
    await visit.page.goBack();
    await visit.waitForText(RESTORED);
    await expectNumber(visit, 'INV-7');
    await visit.expectUsable();
    await visit.page.reload();
    await expectNumber(visit, 'INV-7');
    // A pending page request would detect the end of the session first.
    await visit.waitUntilSettled();
    await site.service.owner.query('DELETE FROM user_session');
    await visit.press('Send (1 credit)');
    await visit.heading('Sign in');
    await visit.signIn(owner.email);
    await visit.waitForText(/It was typed under a minute ago, on .+, and has not been sent\./);
    await expectNumber(visit, 'INV-7');
    expect(await visit.field('Unit price').inputValue()).toBe('250');
    await visit.press('Discard the draft');
    await expectNumber(visit, '');
    await visit.press('Undo');
    await expectNumber(visit, 'INV-7');
    await visit.press('Discard the draft');
    await visit.page.reload();
    await visit.waitUntilSettled();
    await expectNumber(visit, '');
    expect(await visit.page.getByText(RESTORED).count()).toBe(0);
    await visit.close();
  });

  it('belongs to its user and organisation until sign-out', async () => {
    const [owner, other] = [await createOwner(), await createOwner()];
    await site.service.owner.query(
      `INSERT INTO membership (tenant_id, user_id, role, created_at)
       SELECT $1, id, 'member', service_now() FROM user_account WHERE email = $2`,
      [owner.tenantId, other.email],
    );
    const visit = await openForm(owner);
    await visit.fill(NUMBER, 'INV-8');
    await visit.waitForText('Draft kept in this browser');
    const kept = await visit.page.evaluate<string>('JSON.stringify({ ...localStorage })');
    expect(kept).toContain('INV-8');
    const { csrfToken } = await visit.page.evaluate<{ csrfToken: string }>(
      `fetch('/api/dashboard/session').then((response) => response.json())`,
    );
    for (const secret of [csrfToken, PASSWORD]) expect(kept).not.toContain(secret);
    await site.service.owner.query('DELETE FROM user_session');
    await visit.page.reload();
    await visit.signIn(other.email);
    await visit.waitUntilSettled();
    await expectNumber(visit, '');
    await signOut(visit);
    await visit.page.evaluate(`for (const [name, text] of Object.entries(localStorage)) {
      if (name.includes('.draft.')) localStorage.setItem(name, JSON.stringify({ ...JSON.parse(text), savedAt: Date.now() - 3 * 24 * 3_600_000 }));
    }`);
    await visit.go(`/o/${owner.tenantId}/sandbox/send`);
    await visit.signIn(owner.email);
    await visit.waitForText(/It was typed 3 days ago, .+ Check its dates, prices and addresses/);
    await expectNumber(visit, 'INV-8');
    await visit.expectUsable();
    await visit.page.getByRole('button', { name: /Account/ }).click();
    await visit.waitForText('Discards your draft in this browser');
    await visit.page.keyboard.press('Escape');
    await signOut(visit);
    await visit.go(`/o/${owner.tenantId}/sandbox/send`);
    await visit.signIn(owner.email);
    await visit.waitUntilSettled();
    await expectNumber(visit, '');
    await visit.close();
  });

  it('is overwritten by another tab only after confirmation', async () => {
    const owner = await createOwner();
    const visit = await openForm(owner);
    await visit.fill(NUMBER, 'INV-9');
    const second = await visit.openTab(`/o/${owner.tenantId}/sandbox/send`);
    await expectNumber(second, 'INV-9');
    await second.fill(NUMBER, 'INV-10');
    await visit.waitForText('Changed in another tab');
    await visit.expectUsable();
    await visit.fill(NUMBER, 'INV-9a');
    expect(await visit.page.getByRole('button', { name: 'Send (1 credit)' }).isDisabled()).toBe(true);
    await visit.press('Continue with this form');
    await second.waitForText('Changed in another tab');
    await second.press('Show the other tab’s draft');
    await expectNumber(second, 'INV-9a');
    await fillInvoice(second, 'INV-11');
    await visit.waitForText('Changed in another tab');
    await second.press('Send (1 credit)');
    await second.waitForText('Accepted and charged');
    await visit.waitForText('Sent or discarded in another tab');
    await visit.press('Clear this form');
    await expectNumber(visit, '');
    await second.press('Send another one');
    await second.waitUntilSettled();
    await expectNumber(second, 'INV-12');
    expect(await countBatches(owner.tenantId)).toEqual([{ count: 1, charged: 1 }]);
    await visit.close();
  });
});

describe('send without a response', () => {
  it('is retried with the same key even after a reload, so that it is charged once', async () => {
    const owner = await createOwner();
    const visit = await openForm(owner);
    await fillInvoice(visit, 'INV-12');
    const keys: (string | undefined)[] = [];
    // The service processes the request, but its response is lost.
    await visit.page.route('**/submissions', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      await route.abort('connectionreset');
    });
    await visit.press('Send (1 credit)');
    await visit.waitForText('It is unknown whether this has arrived');
    expect(await visit.field(NUMBER).isDisabled()).toBe(true);
    visit.complaints.length = 0;
    await visit.expectUsable();
    await visit.page.unroute('**/submissions');
    await visit.page.reload();
    await visit.waitForText('It is unknown whether this has arrived');
    expect(await visit.field(NUMBER).isDisabled()).toBe(true);
    visit.page.on('request', (request) => {
      if (request.method() === 'POST') keys.push(request.headers()['idempotency-key']);
    });
    await visit.press('Send it again');
    await visit.waitForText('Accepted and charged');
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(await countBatches(owner.tenantId)).toEqual([{ count: 1, charged: 1 }]);
    await visit.press('Send another one');
    await visit.waitUntilSettled();
    await expectNumber(visit, 'INV-13');
    await visit.close();
  });

  it('becomes a new request if the user changes it', async () => {
    const owner = await createOwner();
    const visit = await openForm(owner);
    await fillInvoice(visit, 'INV-13');
    await visit.page.route('**/submissions', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>502 Bad Gateway</h1>' }),
    );
    await visit.press('Send (1 credit)');
    await visit.waitForText('The response did not come from the service');
    await visit.waitForText('It is unknown whether this has arrived');
    await visit.page.unroute('**/submissions');
    await visit.press('Change it');
    await visit.fill(NUMBER, 'INV-14');
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    expect(await countBatches(owner.tenantId)).toEqual([{ count: 1, charged: 1 }]);
    await visit.close();
  });
});

describe('new session in another tab', () => {
  it('keeps the open form for the same user', async () => {
    const owner = await createOwner();
    const visit = await openForm(owner);
    await fillInvoice(visit, 'INV-15');
    await site.service.owner.query('DELETE FROM user_session');
    const second = await visit.openTab('/');
    await second.signIn(owner.email);
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    await visit.close();
  });

  it('removes the form for a different user', async () => {
    const [owner, other] = [await createOwner(), await createOwner()];
    const visit = await openForm(owner);
    await visit.fill(NUMBER, 'INV-16');
    const second = await visit.openTab('/');
    await signOut(second);
    await visit.heading('Sign in');
    await second.signIn(other.email);
    await visit.heading('This page was not found');
    await expect
      .poll(() => visit.page.evaluate<string>('document.activeElement.innerText'))
      .toBe('This page was not found');
    expect(await visit.page.content()).not.toContain('INV-16');
    await visit.waitForText('Unsent forms of the previous user are not kept.');
    await visit.close();
  });

  it('is announced on the sign-in page if the user is different', async () => {
    const [owner, other] = [await createOwner(), await createOwner()];
    const visit = await openForm(owner);
    await visit.fill(NUMBER, 'INV-17');
    await visit.waitForText('Draft kept in this browser');
    await site.service.owner.query('DELETE FROM user_session');
    const second = await visit.openTab('/');
    await second.signIn(other.email);
    await visit.waitForText('Another user is signed in now');
    await visit.waitForText(new RegExp(`${other.email}.*are kept in this browser until that user signs in again`));
    await visit.expectUsable();
    await signOut(second);
    await visit.waitForText('The other user has signed out');
    await visit.waitForText('Unsent forms are kept in this browser. Sign in again to continue');
    await visit.expectUsable();
    await visit.signIn(owner.email);
    await visit.waitForText(RESTORED);
    await expectNumber(visit, 'INV-17');
    await second.page.goto(site.toAddress(`/o/${owner.tenantId}/sandbox/send`));
    await expectNumber(second, 'INV-17');
    await signOut(visit);
    await second.waitForText('You have signed out');
    await second.waitForText('Unsent forms are not kept');
    await visit.close();
  });

  it('is announced on other pages if the user is different', async () => {
    const [owner, other] = [await createOwner(), await createOwner()];
    await site.service.owner.query(
      `INSERT INTO membership (tenant_id, user_id, role, created_at)
       SELECT $1, id, 'member', service_now() FROM user_account WHERE email = $2`,
      [owner.tenantId, other.email],
    );
    const visit = await openForm(owner);
    await visit.fill(NUMBER, 'INV-18');
    await visit.waitForText('Draft kept in this browser');
    await site.service.owner.query('DELETE FROM user_session');
    const second = await visit.openTab('/');
    await second.signIn(other.email);
    await visit.waitForText('Another user is signed in now');
    await expectNumber(visit, '');
    await visit.expectUsable();
    await visit.page.getByRole('button', { name: /^Continue as / }).click();
    await visit.page.reload();
    await visit.waitUntilSettled();
    expect(await visit.page.getByText('Another user is signed in now').count()).toBe(0);
    await visit.close();
  });
});

describe('drafts of other forms', () => {
  it('keep changed fields of "Correct and resubmit" until it is sent', async () => {
    const { service } = site;
    const owner = await createOwner();
    const tenant = { tenantId: owner.tenantId, apiKey: await insertKey(service.owner, owner.tenantId) };
    const parent = { referenceId: 'OLD-1', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    const line = { description: 'Rice', quantity: 1, unitPrice: 100, taxAmount: 8, unitCode: 'KGM' };
    await issue(service, tenant, creditNote(parent, { referenceId: 'CN-1', lineItems: [line] }));
    await service.settle();
    const visit = await site.open(`/o/${owner.tenantId}/sandbox/transactions`);
    await visit.signIn(owner.email);
    await visit.page.getByRole('link', { name: 'CN-1' }).click();
    await visit.page.getByRole('link', { name: 'Correct and resubmit' }).click();
    const uuid = visit.field('Parent invoice’s UUID at the authority');
    const unit = visit.field('Unit').first();
    await expect.poll(() => unit.inputValue()).toMatch(/^KGM /);
    // Selecting the same option again clears the field.
    await visit.choose('Unit', 'KGM kilogram');
    await expect.poll(() => unit.inputValue()).toBe('');
    await uuid.fill('NA');
    await visit.waitForText('Draft kept in this browser');
    await visit.page.goBack();
    await visit.page.getByRole('link', { name: 'Correct and resubmit' }).click();
    await visit.waitForText(RESTORED);
    await expect.poll(() => uuid.inputValue()).toBe('NA');
    expect(await unit.inputValue()).toBe('');
    await visit.expectUsable();
    await visit.press('Send for 1 credit');
    await visit.heading('Documents');
    expect(await visit.page.evaluate<string>('JSON.stringify({ ...localStorage })')).not.toContain('CN-1');
    await visit.close();
  });

  it('do not overwrite a profile that another user has saved', async () => {
    const owner = await createOwner();
    const visit = await site.open(`/o/${owner.tenantId}/profile`);
    await visit.signIn(owner.email);
    await visit.fill('City', 'Ipoh');
    await visit.waitForText('Draft kept in this browser');
    await visit.page.reload();
    await expect.poll(() => visit.field('City').inputValue()).toBe('Ipoh');
    await site.service.owner.query(`UPDATE tenant SET city = 'Melaka' WHERE tenant_id = $1`, [owner.tenantId]);
    await visit.page.reload();
    await visit.waitForText('There is an older draft');
    expect(await visit.field('City').inputValue()).toBe('Melaka');
    await visit.expectUsable();
    await visit.press('Show the draft');
    await expect.poll(() => visit.field('City').inputValue()).toBe('Ipoh');
    await visit.page.getByRole('button', { name: 'Save', exact: true }).nth(1).click();
    await visit.waitForText('Saved. The change applies');
    await visit.page.reload();
    await visit.waitUntilSettled();
    expect(await visit.field('City').inputValue()).toBe('Ipoh');
    expect(await visit.page.getByText(RESTORED).count()).toBe(0);
    await visit.close();
  });
});
