import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completeProfile, organisation } from '../support/people.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

async function open(path: string, isPhone = false): Promise<Visit> {
  const owner = await organisation(site.service);
  await completeProfile(site.service, owner.tenantId);
  const visit = await site.open(`/o/${owner.tenantId}${path}`, { isPhone });
  await visit.signIn(owner.email);
  await visit.waitUntilSettled();
  return visit;
}

function readQuery({ page }: Visit): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

async function type(visit: Visit, label: string, text: string): Promise<void> {
  await visit.field(label).fill('');
  await visit.field(label).pressSequentially(text);
}

function readText(visit: Visit, label: string): Promise<string> {
  return visit.field(label).inputValue();
}

/** Returns the label of the focused day in the open calendar. */
function readFocusedDay(visit: Visit): Promise<string | null> {
  return visit.page.evaluate<string | null>(`document.activeElement.getAttribute('aria-label')`);
}

async function openCalendar(visit: Visit, label: string): Promise<void> {
  await visit.field(label).focus();
  await visit.page.keyboard.press('Tab');
  await visit.page.keyboard.press('Enter');
  await visit.page.getByRole('dialog', { name: `${label}: choose from a calendar` }).waitFor();
}

/** Returns the accessible description of a field. */
function readDescription(visit: Visit, label: string): Promise<string> {
  return visit.field(label).evaluate((input) =>
    (input.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id: string) => input.ownerDocument.getElementById(id)?.innerText ?? '')
      .join(' ')
      .trim(),
  );
}

describe.each([
  ['documents', '/sandbox/transactions', 'Dated from', 'dated_from', 'Clear filters', 'status=Valid'],
  ['the audit log', '/audit', 'From', 'from', 'Clear the filters', 'about=keys'],
])('date filter of %s', (_, path, label, name, clear, other) => {
  it.each(['4 Mar 2026', '4 march 2026', '2026-03-04', '04/03/2026'])('accepts %s', async (text) => {
    const visit = await open(path);
    await type(visit, label, text);
    expect(readQuery(visit)).toEqual({});
    await visit.page.keyboard.press('Enter');
    await expect.poll(() => readQuery(visit)).toEqual({ [name]: '2026-03-04' });
    expect(await readText(visit, label)).toBe('4 Mar 2026');
    await visit.expectUsable();
    await visit.press(clear);
    await expect.poll(() => readQuery(visit)).toEqual({});
    await expect.poll(() => readText(visit, label)).toBe('');
    await visit.close();
  });

  it('is applied when the field loses focus', async () => {
    const visit = await open(`${path}?${name}=2026-03-04`);
    expect(await readText(visit, label)).toBe('4 Mar 2026');
    await type(visit, label, '31/12/2026');
    expect(readQuery(visit)).toEqual({ [name]: '2026-03-04' });
    await visit.field(label).blur();
    await expect.poll(() => readQuery(visit)).toEqual({ [name]: '2026-12-31' });
    expect(await readText(visit, label)).toBe('31 Dec 2026');
    await type(visit, label, '');
    await visit.field(label).blur();
    await expect.poll(() => readQuery(visit)).toEqual({});
    await visit.close();
  });

  it('keeps its last valid date while the text is invalid', async () => {
    const visit = await open(`${path}?${name}=2026-03-04`);
    await type(visit, label, '5 Apr 0002');
    await visit.page.keyboard.press('Enter');
    const error =
      '“5 Apr 0002” is before the year 2000. Write a date as 22 Nov 2026. The list is still filtered by 4 Mar 2026.';
    await visit.waitForText(error);
    expect(await readDescription(visit, label)).toBe(error);
    expect(await visit.field(label).getAttribute('aria-invalid')).toBe('true');
    await type(visit, label, '22 Nov');
    expect(await readDescription(visit, label)).toBe('');
    await visit.field(label).blur();
    await visit.waitForText(
      '“22 Nov” is not a date. Write a date as 22 Nov 2026. The list is still filtered by 4 Mar 2026.',
    );
    expect(readQuery(visit)).toEqual({ [name]: '2026-03-04' });
    await visit.expectUsable();
    await visit.press(clear);
    await expect.poll(() => readQuery(visit)).toEqual({});
    await expect.poll(() => readText(visit, label)).toBe('');
    expect(await visit.page.getByText('is not a date').count()).toBe(0);
    await visit.close();
  });

  it('is cleared with the other filters while its text is invalid', async () => {
    const visit = await open(`${path}?${other}`);
    await type(visit, label, '3/4');
    await visit.field(label).blur();
    await visit.waitForText('“3/4” is not a date. Write a date as 22 Nov 2026. The list is not filtered by this date.');
    await visit.press(clear);
    await expect.poll(() => readQuery(visit)).toEqual({});
    await expect.poll(() => readText(visit, label)).toBe('');
    await visit.close();
  });

  it('can be set from the calendar by keyboard', async () => {
    const visit = await open(`${path}?${name}=2026-03-04`);
    await openCalendar(visit, label);
    await expect.poll(() => readFocusedDay(visit)).toBe('4 March 2026');
    await visit.expectUsable();
    await visit.page.keyboard.press('ArrowDown');
    await visit.page.keyboard.press('ArrowRight');
    expect(await readFocusedDay(visit)).toBe('12 March 2026');
    await visit.page.keyboard.press('Enter');
    await expect.poll(() => readQuery(visit)).toEqual({ [name]: '2026-03-12' });
    expect(await readText(visit, label)).toBe('12 Mar 2026');
    await expect.poll(() => readFocusedDay(visit)).toBe(`${label}: choose from a calendar`);
    await visit.close();
  });

  it('keeps its value when Escape closes the calendar', async () => {
    const visit = await open(`${path}?${name}=2026-03-04`);
    await openCalendar(visit, label);
    await expect.poll(() => readFocusedDay(visit)).toBe('4 March 2026');
    await visit.page.keyboard.press('ArrowDown');
    await visit.page.keyboard.press('Escape');
    await expect.poll(() => visit.page.getByRole('dialog').count()).toBe(0);
    expect(await readFocusedDay(visit)).toBe(`${label}: choose from a calendar`);
    expect(readQuery(visit)).toEqual({ [name]: '2026-03-04' });
    await visit.close();
  });
});

describe('filters changed in quick succession', () => {
  it('are all applied when a search is followed by a date', async () => {
    const visit = await open('/sandbox/transactions');
    await visit.fill('Search', 'INV-1');
    await visit.page.evaluate(`{
      const date = [...document.querySelectorAll('input')].find(({ labels }) => labels?.[0]?.innerText === 'Dated from');
      date.focus();
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(date, '2026-03-04');
      date.dispatchEvent(new Event('input', { bubbles: true }));
      date.blur();
    }`);
    await expect.poll(() => readQuery(visit)).toEqual({ q: 'INV-1', dated_from: '2026-03-04' });
    await visit.page.goBack();
    await expect.poll(() => visit.field('Dated from').inputValue()).toBe('');
    expect(await visit.field('Search').inputValue()).toBe('');
    await visit.page.goForward();
    await expect.poll(() => visit.field('Dated from').inputValue()).toBe('4 Mar 2026');
    expect(await visit.field('Search').inputValue()).toBe('INV-1');
    await visit.close();
  });

  it('are all applied when the actor is typed right before a date', async () => {
    const visit = await open('/audit');
    await visit.field('Who').pressSequentially('aisyah');
    await visit.fill('From', '2026-03-04');
    await visit.field('From').press('Enter');
    await expect.poll(() => readQuery(visit)).toEqual({ actor: 'aisyah', from: '2026-03-04' });
    await visit.close();
  });

  it('are all cleared, including text that is still being typed', async () => {
    const visit = await open('/audit?from=2026-03-04');
    await visit.page.clock.install();
    // Clicks before the page handles the blur event.
    await visit.field('Who').pressSequentially('aisyah');
    await visit.page.evaluate(
      `[...document.querySelectorAll('button')].find((one) => one.innerText === 'Clear the filters').click()`,
    );
    await visit.page.clock.fastForward(2_000);
    await visit.waitUntilSettled();
    expect(readQuery(visit)).toEqual({});
    expect(await visit.field('Who').inputValue()).toBe('');
    await visit.close();
  });
});

describe('date field in a form', () => {
  it('spells out 11/12/2026', async () => {
    const visit = await open('/sandbox/send');
    await type(visit, 'Date', '11/12/2026');
    await visit.waitForText('11 Dec 2026');
    expect(await readDescription(visit, 'Date')).toBe('In Malaysia; today or earlier.');
    await visit.expectUsable();
    await visit.page.keyboard.press('Tab');
    expect(await readText(visit, 'Date')).toBe('11 Dec 2026');
    expect(await visit.page.getByText('11 Dec 2026').count()).toBe(0);
    await visit.close();
  });

  it('prevents sending while its text is invalid', async () => {
    const visit = await open('/sandbox/send');
    const sends = visit.countSends();
    await type(visit, 'Date', '31/2/2026');
    await visit.press('Send (1 credit)');
    await visit.waitForText('“31/2/2026” is not a day of the calendar. Write a date as 22 Nov 2026.');
    expect(await readDescription(visit, 'Date')).toContain('“31/2/2026” is not a day of the calendar.');
    expect(await readText(visit, 'Date')).toBe('31/2/2026');
    expect(sends()).toBe(0);
    await visit.close();
  });

  it('prevents creating a key while its text is invalid', async () => {
    const visit = await open('/keys');
    await visit.page.getByRole('button', { name: 'Create key' }).first().click();
    await visit.fill('Name', 'erp');
    await visit.fill('Expires', '3 Apr');
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await visit.waitForText('“3 Apr” is not a date. Write a date as 22 Nov 2026.');
    await visit.expectUsable();
    await visit.close();
  });

  it('keeps its dialog open when Escape closes the calendar', async () => {
    const visit = await open('/keys');
    await visit.page.getByRole('button', { name: 'Create key' }).first().click();
    await visit.fill('Expires', '3/4/2127');
    await openCalendar(visit, 'Expires');
    await expect.poll(() => readFocusedDay(visit)).toBe('3 April 2127');
    await visit.page.keyboard.press('Escape');
    await expect.poll(() => visit.page.getByRole('dialog').count()).toBe(1);
    expect(await readText(visit, 'Expires')).toBe('3 Apr 2127');
    await visit.close();
  });

  it('has a calendar that fits a narrow window', async () => {
    const visit = await open('/sandbox/send', true);
    await openCalendar(visit, 'Date');
    await expect.poll(() => readFocusedDay(visit)).toMatch(/\d{4}$/);
    await visit.waitUntilSettled();
    const box = await visit.page.getByRole('dialog').boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    await expect.poll(() => visit.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await visit.expectUsable();
    await visit.close();
  });
});
