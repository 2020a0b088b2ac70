import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** From now on the page's timers of 0 ms wait until the result is called; it may be called once. */
async function holdTimers(visit: Visit): Promise<() => Promise<void>> {
  const held = await visit.page.evaluateHandle(() => {
    const { setTimeout } = globalThis;
    const calls: (() => void)[] = [];
    const hold = (call: () => void, delayMs = 0) => (delayMs === 0 ? -calls.push(call) : setTimeout(call, delayMs));
    globalThis.setTimeout = hold as typeof setTimeout;
    return () => {
      globalThis.setTimeout = setTimeout;
      for (const call of calls) call();
    };
  });
  return () => held.evaluate((finish) => finish());
}

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

it('a tax of 8% is a question when no key is named, as by a keyboard of a phone, and the whole is inserted or a part', async () => {
  const { visit } = await open('/sandbox/send');
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

it.each(['Quantity', 'Unit price', 'Discount'])(
  'a rate typed or pasted as %s is refused, as it was written, and nothing is sent with it',
  async (label) => {
    const { visit } = await open('/sandbox/send');
    const field = visit.field(label).first();
    for (const enter of [() => field.pressSequentially('8%'), () => paste(field, '8%')]) {
      await field.fill('');
      await enter();
      await visit.waitForText('“8%” is a rate, and no number or amount. Write it as 1,234.56.');
      expect(await field.inputValue()).toBe('');
    }
    await visit.close();
  },
);

/** Pastes into a field as the keyboard does. */
async function paste(field: Locator, text: string): Promise<void> {
  await field.focus();
  await field.evaluate((input, pasted) => {
    // Types of the browser are none of Node's.
    const { DataTransfer, ClipboardEvent } = globalThis as unknown as Record<string, new (...args: unknown[]) => never>;
    const clipboardData: { setData(type: string, text: string): void } = new DataTransfer();
    clipboardData.setData('text', pasted);
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** How often the page has asked the service to take a document, or to check one. */
function countSends(visit: Visit): () => number {
  let count = 0;
  visit.page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/submissions')) count += 1;
  });
  return () => count;
}

describe('an amount that can be read in two ways', () => {
  const TWO_WAYS = 'can be read in two ways. Write it as 1,234.56.';

  it.each([
    ['Unit price', '99,90'],
    ['Unit price', '1.234.567'],
    ['Quantity', '2,5'],
    ['Tax rate', '8,5'],
  ])('is refused when Enter is pressed in the field itself: %s %s', async (label, text) => {
    const { visit } = await open('/sandbox/send');
    const sends = countSends(visit);
    const field = visit.field(label);
    await field.fill('');
    await field.pressSequentially(text);
    await field.press('Enter');
    await visit.waitForText(`“${text}” ${TWO_WAYS}`);
    expect(await field.inputValue()).toBe('');
    expect(await field.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    await field.press('Enter');
    await visit.press('Send (1 credit)');
    await visit.isUsable();
    expect(sends()).toBe(0);
    await visit.close();
  });

  it.each(['1.234.567,89', '1.234.567', '12,5', '1.234,56'])('is refused when it is pasted: %s', async (text) => {
    const { visit } = await open('/sandbox/send');
    const price = visit.field('Unit price');
    await paste(price, text);
    await visit.waitForText(`“${text}” ${TWO_WAYS}`);
    expect(await price.inputValue()).toBe('');
    await price.pressSequentially('1,234.56');
    await price.press('Tab');
    expect(await price.inputValue()).toBe('1,234.56');
    await visit.page.getByText(TWO_WAYS).waitFor({ state: 'detached' });
    await visit.close();
  });

  it.each(['1.234,5', '12,50', '1.234.50'])(
    'is refused when no key is named, as by a keyboard of a phone: %s',
    async (text) => {
      const { visit } = await open('/sandbox/send');
      const price = visit.field('Unit price');
      for (const parts of [[text], text.split('')]) {
        await price.fill('');
        await price.focus();
        for (const part of parts) await visit.page.keyboard.insertText(part);
        await price.press('Tab');
        await visit.waitForText(`“${text}” ${TWO_WAYS}`);
        expect(await price.inputValue()).toBe('');
      }
      await price.focus();
      for (const part of '1,234.5') await visit.page.keyboard.insertText(part);
      await price.press('Tab');
      expect(await price.inputValue()).toBe('1,234.5');
      await visit.page.getByText(TWO_WAYS).waitFor({ state: 'detached' });
      await visit.close();
    },
  );

  it('is refused when keys come before what the field leaves for later, as on a slow phone', async () => {
    const { visit } = await open('/sandbox/send');
    const price = visit.field('Unit price');
    const finishLater = await holdTimers(visit);
    await price.fill('');
    await price.pressSequentially('5,');
    await finishLater();
    await price.pressSequentially('00');
    await price.press('Tab');
    await visit.waitForText(`“5,00” ${TWO_WAYS}`);
    expect(await price.inputValue()).toBe('');
    await visit.close();
  });

  it('is refused when it is dragged into the field', async () => {
    const { visit } = await open('/sandbox/send');
    const [from, to] = [visit.field('Description'), visit.field('Unit price')];
    await from.fill('1.234,5');
    await from.selectText();
    const [start, end] = [await from.boundingBox(), await to.boundingBox()];
    if (start === null || end === null) throw new Error('Not to be seen');
    const { mouse } = visit.page;
    await mouse.move(start.x + 20, start.y + start.height / 2);
    await mouse.down();
    await mouse.move(end.x + 10, end.y + end.height / 2, { steps: 10 });
    await mouse.up();
    await visit.waitForText(`“1.234,5” ${TWO_WAYS}`);
    expect(await to.inputValue()).toBe('');
    await visit.close();
  });

  it('is never left out of what is sent: the form leads to its field until that is written again or emptied', async () => {
    const { visit } = await open('/sandbox/send');
    const sends = countSends(visit);
    const discount = visit.field('Discount on the document');
    const hasFocus = () => discount.evaluate((input) => input === input.ownerDocument.activeElement);
    for (const key of ['5', 'Backspace']) {
      const before = sends();
      await discount.fill('');
      await discount.pressSequentially('50,00');
      await discount.press('Tab');
      await visit.waitForText(`“50,00” ${TWO_WAYS}`);
      await visit.waitForText('To pay: –');
      await visit.press('Send (1 credit)');
      await expect.poll(hasFocus).toBe(true);
      expect(sends(), key).toBe(before);
      await discount.press(key);
      await visit.page.getByText(TWO_WAYS).waitFor({ state: 'detached' });
      await visit.press('Send (1 credit)');
      // The rest of the form is empty.
      await visit.waitForText('Nothing was sent. Correct the marked fields.');
      expect(sends(), key).toBe(before + 1);
    }
    await visit.isUsable();
    await visit.close();
  });

  it('belongs to its line: it is kept with the draft, and goes with a line that is removed', async () => {
    const { visit } = await open('/sandbox/send');
    await visit.fill('Description', 'First');
    await visit.press('Add a line');
    await expect.poll(() => visit.field('Description').count()).toBe(2);
    await visit.field('Description').last().fill('Second');
    await visit.field('Discount').first().pressSequentially('5,00');
    await visit.field('Discount').first().press('Tab');
    await visit.waitForText(`“5,00” ${TWO_WAYS}`);
    await visit.page.reload();
    await visit.waitForText('Your draft is back');
    await visit.waitForText(`“5,00” ${TWO_WAYS}`);
    await visit.press('Remove line 1');
    await expect.poll(() => visit.field('Description').count()).toBe(1);
    expect(await visit.field('Description').inputValue()).toBe('Second');
    expect(await visit.page.getByText(TWO_WAYS).count()).toBe(0);
    await visit.close();
  });
});

it('amounts are in RM and days have the name of their month, on every page that shows one', async () => {
  const { visit, base } = await open('/sandbox/transactions');
  await visit.waitForText(/^RM [\d,]+\.\d\d$/);
  await visit.waitForText(/^\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d$/);
  await visit.page.getByRole('link', { name: 'INV-1' }).click();
  await visit.heading(/INV-1/);
  const document = visit.path;
  const expiring = `UPDATE credit_lot SET expires_at = service_now() + interval '10 days' WHERE tenant_id = $1`;
  await site.service.owner.query(expiring, [base.split('/').at(-1)]);
  await visit.go(`${base}/credits`);
  await visit.waitForText(/can be spent through \d{1,2} [A-Z][a-z]{2} \d{4} and are lost after it/);
  for (const path of [
    document,
    ...['/sandbox/overview', '/sandbox/batches', '/credits', '/keys', '/audit'].map((one) => base + one),
  ]) {
    await visit.go(path);
    await visit.settled();
    const text = await visit.page.getByRole('main').innerText();
    expect(text.match(/\b\d{4}-\d\d-\d\d\b|\bMYR\b/g), path).toBeNull();
  }
  await visit.close();
});
