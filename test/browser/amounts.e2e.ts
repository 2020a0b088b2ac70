import { afterAll, beforeAll, expect, it } from 'vitest';
import { issue } from '../support/client.js';
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

/** Signed in, at an address below an organisation that has a valid document. */
async function open(path: string): Promise<{ visit: Visit; base: string }> {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  await issue(
    service,
    { tenantId, apiKey: await insertKey(service.owner, tenantId) },
    invoice({ referenceId: 'INV-1' }),
  );
  await service.settle();
  const visit = await site.open(`/o/${tenantId}${path}`);
  await visit.signIn(email);
  await visit.settled();
  return { visit, base: `/o/${tenantId}` };
}

it('a tax typed or pasted as 8% is a question, and becomes the share of the line or the amount as it is answered', async () => {
  const { visit } = await open('/sandbox/send');
  await visit.fill('Unit price', '250');
  const tax = visit.field('Tax \\(RM\\)');
  await tax.fill('');
  await tax.pressSequentially('8%');
  await visit.waitForText('8% of RM 250.00 is RM 20.00');
  expect(await tax.inputValue()).toBe('');
  await visit.isUsable();
  await visit.press('8%: RM 20.00');
  expect(await tax.inputValue()).toBe('20');
  await visit.waitForText('To pay: RM 270.00');
  await tax.fill('');
  await tax.pressSequentially('6%');
  await visit.press('The amount: RM 6.00');
  expect(await tax.inputValue()).toBe('6');
  await visit.close();
});

it('amounts are in RM and days have the name of their month, on every page that shows one', async () => {
  const { visit, base } = await open('/sandbox/transactions');
  await visit.waitForText(/^RM [\d,]+\.\d\d$/);
  await visit.waitForText(/^\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d$/);
  await visit.page.getByRole('link', { name: 'INV-1' }).click();
  await visit.heading(/INV-1/);
  const document = visit.path;
  for (const path of [
    document,
    ...['/sandbox/overview', '/sandbox/batches', '/credits', '/keys'].map((one) => base + one),
  ]) {
    await visit.go(path);
    await visit.settled();
    const text = await visit.page.getByRole('main').innerText();
    expect(text.match(/\b\d{4}-\d\d-\d\d\b|\bMYR\b/g), path).toBeNull();
  }
  await visit.close();
});
