import { afterAll, beforeAll, expect, it } from 'vitest';
import { signUp } from '../support/dashboard.js';
import { completeProfile } from '../support/people.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

/** Opens the invoice form of a new organisation. */
async function openForm(): Promise<Visit> {
  const { email, tenantId } = await signUp(site.service);
  await completeProfile(site.service, tenantId);
  const visit = await site.open(`/o/${tenantId}/sandbox/send`);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return visit;
}

it('tax field asks whether 8% is a rate or an amount', async () => {
  const visit = await openForm();
  await visit.fill('Unit price', '250');
  const tax = visit.field('Tax \\(RM\\)');
  await tax.fill('');
  await tax.pressSequentially('8%');
  await visit.waitForText('8% of RM 250.00 is RM 20.00');
  await visit.waitForText('To pay: –');
  await visit.expectUsable();
  await visit.press('8%: RM 20.00');
  expect(await tax.inputValue()).toBe('20');
  await visit.waitForText('To pay: RM 270.00');
  await tax.fill('');
  await tax.pressSequentially('6%');
  await visit.press('The amount: RM 6.00');
  expect(await tax.inputValue()).toBe('6');
  await visit.close();
});

it('tax field asks about 8% entered on a phone keyboard', async () => {
  const visit = await openForm();
  await visit.fill('Unit price', '250');
  const tax = visit.field('Tax \\(RM\\)');
  for (const parts of [['8%'], ['8', '%']]) {
    await tax.fill('');
    for (const part of parts) await visit.page.keyboard.insertText(part);
    await visit.press('8%: RM 20.00');
    expect(await tax.inputValue()).toBe('20');
  }
  await visit.close();
});

it('tax question remains with its line and draft until it is answered', async () => {
  const visit = await openForm();
  const sends = visit.countSends();
  await visit.press('Add a line');
  await expect.poll(() => visit.field('Tax \\(RM\\)').count()).toBe(2);
  await visit.field('Tax \\(RM\\)').first().fill('12');
  await visit.field('Unit price').last().fill('250');
  await visit.field('Tax \\(RM\\)').last().fill('8%');
  await visit.waitForText('8% of RM 250.00 is RM 20.00');
  await visit.press('Send (1 credit)');
  await visit.waitForText('“8%” is a rate, not an amount. Write it as 1,234.56.');
  expect(sends()).toBe(0);
  await visit.page.reload();
  await visit.waitForText('8% of RM 250.00 is RM 20.00');
  await visit.press('Remove line 1');
  await expect.poll(() => visit.field('Description').count()).toBe(1);
  await visit.press('8%: RM 20.00');
  expect(await visit.field('Tax \\(RM\\)').inputValue()).toBe('20');
  expect(await visit.field('Tax rate').inputValue()).toBe('8');
  await visit.close();
});

it('tax field clears a computed tax together with its rate', async () => {
  const visit = await openForm();
  const [rate, tax] = [visit.field('Tax rate'), visit.field('Tax \\(RM\\)')];
  await visit.fill('Unit price', '100');
  await rate.pressSequentially('8,5');
  await rate.press('Tab');
  expect(await tax.inputValue()).toBe('');
  await rate.fill('8.5%');
  await expect.poll(() => tax.inputValue()).toBe('8.5');
  await rate.press('Tab');
  expect(await rate.inputValue()).toBe('8.5');
  await rate.fill('');
  await rate.press('Tab');
  expect(await tax.inputValue()).toBe('');
  await visit.close();
});

it("tax field shows the document's tax rate next to an entered tax amount", async () => {
  const visit = await openForm();
  await visit.fill('Quantity', '10');
  await visit.fill('Unit price', '100');
  await visit.fill('Tax \\(RM\\)', '80');
  await visit.waitForText('8% of the line');
  await visit.fill('Quantity', '1');
  await visit.waitForText('80% of the line');
  await visit.fill('Unit price', '18.90');
  await visit.fill('Tax \\(RM\\)', '1.13');
  await visit.waitForText('6% of the line');
  await visit.expectUsable();
  await visit.fill('Tax rate', '8');
  await visit.page.getByText('of the line').waitFor({ state: 'detached' });
  await visit.close();
});
