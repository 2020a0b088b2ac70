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

/** Opens a page of an organisation with a valid document. */
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
  await visit.waitUntilSettled();
  return { visit, base: `/o/${tenantId}` };
}

it('amount field selects its value on Tab and keeps the caret position on click', async () => {
  const { visit } = await open('/sandbox/send');
  const price = visit.field('Unit price');
  await price.fill('1234567.50');
  await price.press('Tab');
  expect(await price.inputValue()).toBe('1,234,567.50');
  await visit.page.keyboard.press('Shift+Tab');
  expect(await price.inputValue()).toBe('1234567.50');
  await visit.page.keyboard.type('9876');
  await price.press('Tab');
  expect(await price.inputValue()).toBe('9,876');
  const box = await price.boundingBox();
  if (box === null) throw new Error('Not to be seen');
  await visit.page.mouse.click(box.x + box.width - 4, box.y + box.height / 2);
  await visit.page.keyboard.type('.5');
  await price.press('Tab');
  expect(await price.inputValue()).toBe('9,876.5');
  await visit.close();
});

it.each(['Quantity', 'Unit price', 'Discount'])(
  'amount field rejects a rate that is typed or pasted as %s',
  async (label) => {
    const { visit } = await open('/sandbox/send');
    const field = visit.field(label).first();
    for (const enter of [() => field.pressSequentially('8%'), () => paste(field, '8%')]) {
      await field.fill('');
      await enter();
      await field.press('Tab');
      await visit.waitForText('“8%” is a rate, not an amount. Write it as 1,234.56.');
      expect(await field.inputValue()).toBe('8%');
    }
    await visit.close();
  },
);

/** Dispatches a real paste event. */
async function paste(field: Locator, text: string): Promise<void> {
  await field.page().context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await field.focus();
  await field.evaluate((input, copied) => input.ownerDocument.defaultView?.navigator.clipboard.writeText(copied), text);
  await field.press('Control+V');
}

describe('ambiguous amount', () => {
  const TWO_WAYS = 'can be read in two ways. Write it as 1,234.56.';

  it.each([
    ['Unit price', '99,90'],
    ['Unit price', '1.234.567'],
    ['Quantity', '2,5'],
    ['Tax rate', '8,5'],
  ])('is rejected when Enter is pressed in the field: %s %s', async (label, text) => {
    const { visit } = await open('/sandbox/send');
    const sends = visit.countSends();
    const field = visit.field(label);
    await field.fill('');
    await field.pressSequentially(text);
    await field.press('Enter');
    await visit.waitForText(`“${text}” ${TWO_WAYS}`);
    expect(await field.inputValue()).toBe(text);
    expect(await field.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    await field.press('Enter');
    await visit.press('Send (1 credit)');
    await visit.expectUsable();
    expect(sends()).toBe(0);
    await visit.close();
  });

  it.each(['1.234.567,89', '1.234.567', '12,5', '1.234,56'])('is rejected when pasted: %s', async (text) => {
    const { visit } = await open('/sandbox/send');
    const price = visit.field('Unit price');
    await paste(price, text);
    await price.press('Tab');
    await visit.waitForText(`“${text}” ${TWO_WAYS}`);
    expect(await price.inputValue()).toBe(text);
    await price.fill('');
    await price.pressSequentially('1,234.56');
    await price.press('Tab');
    expect(await price.inputValue()).toBe('1,234.56');
    await visit.page.getByText(TWO_WAYS).waitFor({ state: 'detached' });
    await visit.close();
  });

  it.each(['1.234,5', '12,50', '1.234.50'])('is rejected when entered on a phone keyboard: %s', async (text) => {
    const { visit } = await open('/sandbox/send');
    const price = visit.field('Unit price');
    for (const parts of [[text], text.split('')]) {
      await price.fill('');
      await price.focus();
      for (const part of parts) await visit.page.keyboard.insertText(part);
      await price.press('Tab');
      await visit.waitForText(`“${text}” ${TWO_WAYS}`);
      expect(await price.inputValue()).toBe(text);
    }
    await price.fill('');
    for (const part of '1,234.5') await visit.page.keyboard.insertText(part);
    await price.press('Tab');
    expect(await price.inputValue()).toBe('1,234.5');
    await visit.page.getByText(TWO_WAYS).waitFor({ state: 'detached' });
    await visit.close();
  });

  const WAYS: Record<string, (price: Locator, visit: Visit) => Promise<unknown>> = {
    'and Delete is pressed after it': async (price) => {
      await price.pressSequentially('12,5');
      await price.press('Delete');
    },
    'and it is undone and redone': async (price) => {
      await price.pressSequentially('12,5');
      await price.press('Control+Z');
      await price.press('Control+Shift+Z');
    },
    'and its end is deleted': async (price) => {
      await price.pressSequentially('12,50');
      await price.press('Shift+ArrowLeft');
      await price.press('Delete');
    },
    'in pieces, as by a key for two zeros': async (price, visit) => {
      for (const piece of ['12', ',', '5']) await visit.page.keyboard.insertText(piece);
      await price.press('ArrowLeft');
    },
    'by what no key or clipboard is known of': (price) =>
      price.evaluate((input) => {
        (input as unknown as { setRangeText(text: string): void }).setRangeText('12,5');
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }),
    'and cut and pasted': async (price) => {
      await price.pressSequentially('12,5');
      for (const key of ['A', 'X', 'V']) await price.press(`Control+${key}`);
    },
  };

  it.each(Object.keys(WAYS))('is rejected when typed %s', async (way) => {
    const { visit } = await open('/sandbox/send');
    const price = visit.field('Unit price');
    await price.focus();
    await WAYS[way](price, visit);
    await price.press('Tab');
    await visit.waitForText(`“12,5” ${TWO_WAYS}`);
    expect(await price.inputValue()).toBe('12,5');
    await visit.close();
  });

  it.each([
    ['5，00', `“5,00” ${TWO_WAYS}`],
    ['12。5', '“12。5” is not a number. Write it as 1,234.56.'],
    ['1/2', '“1/2” is not a number. Write it as 1,234.56.'],
  ])('is rejected with characters from another notation: %s', async (text, refusal) => {
    const { visit } = await open('/sandbox/send');
    const price = visit.field('Unit price');
    await price.focus();
    for (const sign of text) await visit.page.keyboard.insertText(sign);
    await price.press('Tab');
    await visit.waitForText(refusal);
    await visit.close();
  });

  it('is rejected even if the user leaves the page directly from the field', async () => {
    const { visit } = await open('/sandbox/send');
    await visit.field('Unit price').pressSequentially('5,00');
    await visit.page.reload();
    await visit.waitForText('Your draft is back');
    await visit.waitForText(`“5,00” ${TWO_WAYS}`);
    await visit.close();
  });

  it('is rejected when dragged into the field', async () => {
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
    await expect.poll(() => to.inputValue()).toBe('1.234,5');
    await to.press('Tab');
    await visit.waitForText(`“1.234,5” ${TWO_WAYS}`);
    await visit.close();
  });

  it('prevents sending until it is corrected or cleared', async () => {
    const { visit } = await open('/sandbox/send');
    const sends = visit.countSends();
    const discount = visit.field('Discount on the document');
    const hasFocus = () => discount.evaluate((input) => input === input.ownerDocument.activeElement);
    for (const answer of ['5', '']) {
      const before = sends();
      await discount.fill('');
      await discount.pressSequentially('50,00');
      await discount.press('Tab');
      await visit.waitForText(`“50,00” ${TWO_WAYS}`);
      await visit.waitForText('To pay: –');
      await visit.press('Send (1 credit)');
      await expect.poll(hasFocus).toBe(true);
      expect(sends(), answer).toBe(before);
      await discount.fill(answer);
      await visit.page.getByText(TWO_WAYS).waitFor({ state: 'detached' });
      await visit.press('Send (1 credit)');
      // The other required fields are empty.
      await visit.waitForText('The document was not sent. Correct the marked fields.');
      expect(sends(), answer).toBe(before + 1);
    }
    await visit.expectUsable();
    await visit.close();
  });

  it('is saved in the draft and removed with its line', async () => {
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

it('every page shows amounts in RM and dates with the month name', async () => {
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
    await visit.waitUntilSettled();
    const text = await visit.page.getByRole('main').innerText();
    expect(text.match(/\b\d{4}-\d\d-\d\d\b|\bMYR\b/g), path).toBeNull();
  }
  await visit.close();
});
