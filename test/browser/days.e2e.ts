import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completeProfile, organisation } from '../support/people.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

async function open(path: string): Promise<Visit> {
  const owner = await organisation(site.service);
  await completeProfile(site.service, owner.tenantId);
  const visit = await site.open(`/o/${owner.tenantId}${path}`);
  await visit.signIn(owner.email);
  await visit.settled();
  return visit;
}

/** What the address asks for. */
function readQuery({ page }: Visit): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/** Types a date from its first part on, which is the month: the browser writes dates as Americans do. */
async function type(visit: Visit, label: string, keys: string): Promise<void> {
  await visit.field(label).blur();
  await visit.field(label).focus();
  await visit.page.keyboard.type(keys, { delay: 60 });
}

/** Whether a part of the date is there and another one missing. */
function isIncomplete(visit: Visit, label: string): Promise<boolean> {
  return visit
    .field(label)
    .evaluate((input) => (input as unknown as { validity: { badInput: boolean } }).validity.badInput);
}

/** What the field is described by, as a screen reader says it. */
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
])('a date that filters %s', (_, path, label, name, clear, other) => {
  it('is asked for when it is whole, and stays what was typed', async () => {
    const visit = await open(path);
    await type(visit, label, '03042026');
    await expect.poll(() => readQuery(visit)).toEqual({ [name]: '2026-03-04' });
    await visit.settled();
    expect(await visit.field(label).inputValue()).toBe('2026-03-04');
    expect(await readDescription(visit, label)).toBe('4 Mar 2026');
    await type(visit, label, '1231');
    await expect.poll(() => readQuery(visit)).toEqual({ [name]: '2026-12-31' });
    await visit.settled();
    expect(await visit.field(label).inputValue()).toBe('2026-12-31');
    await visit.isUsable();
    await visit.press(clear);
    await expect.poll(() => readQuery(visit)).toEqual({});
    await expect.poll(() => visit.field(label).inputValue()).toBe('');
    expect(await readDescription(visit, label)).toBe('');
    await visit.close();
  });

  it('changes nothing while it is incomplete or of another age, says so when it is left, and goes when it is cleared', async () => {
    const visit = await open(`${path}?${name}=2026-03-04`);
    await visit.field(label).press('Backspace');
    await visit.field(label).press('Tab');
    await visit.page.keyboard.type('050002', { delay: 60 });
    expect(readQuery(visit)).toEqual({ [name]: '2026-03-04' });
    await visit.field(label).blur();
    await visit.waitForText('Not a whole date from 2000 on; 4 Mar 2026 is still used.');
    expect(readQuery(visit)).toEqual({ [name]: '2026-03-04' });
    await visit.isUsable();
    await type(visit, label, '0405');
    await visit.field(label).blur();
    await visit.waitForText('Not a whole date from 2000 on; 4 Mar 2026 is still used.');
    expect(await visit.field(label).inputValue()).toBe('0002-04-05');
    await visit.press(clear);
    await expect.poll(() => readQuery(visit)).toEqual({});
    await expect.poll(() => visit.field(label).inputValue()).toBe('');
    expect(await visit.page.getByText('Not a whole date').count()).toBe(0);
    await visit.close();
  });

  it('is emptied with the other filters when it is incomplete', async () => {
    const visit = await open(`${path}?${other}`);
    await type(visit, label, '0304');
    await visit.field(label).blur();
    await visit.waitForText('Not a whole date from 2000 on; it is not used.');
    await visit.press(clear);
    await expect.poll(() => readQuery(visit)).toEqual({});
    expect(await isIncomplete(visit, label)).toBe(false);
    expect(await visit.page.getByText('Not a whole date').count()).toBe(0);
    await visit.close();
  });

  it('filters no more once it is emptied part by part', async () => {
    const visit = await open(`${path}?${name}=2026-03-04`);
    await visit.field(label).focus();
    for (const key of ['Backspace', 'ArrowRight', 'Backspace', 'ArrowRight', 'Backspace'])
      await visit.page.keyboard.press(key);
    await visit.field(label).blur();
    await expect.poll(() => readQuery(visit)).toEqual({});
    expect(await visit.page.getByText('Not a whole date').count()).toBe(0);
    await visit.close();
  });
});

describe('filters that are changed one right after the other', () => {
  it('are all asked for: a search that is left for a date, which is followed back and forth', async () => {
    const visit = await open('/sandbox/transactions');
    await visit.fill('Search', 'INV-1');
    // In one turn of the page, as on a slow machine: the search is entered as its field is left.
    await visit.page.evaluate(`{
      const date = [...document.querySelectorAll('input[type=date]')][0];
      date.focus();
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(date, '2026-03-04');
      date.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await expect.poll(() => readQuery(visit)).toEqual({ q: 'INV-1', dated_from: '2026-03-04' });
    await visit.page.goBack();
    await expect.poll(() => visit.field('Dated from').inputValue()).toBe('');
    expect(await visit.field('Search').inputValue()).toBe('');
    await visit.page.goForward();
    await expect.poll(() => visit.field('Dated from').inputValue()).toBe('2026-03-04');
    expect(await visit.field('Search').inputValue()).toBe('INV-1');
    await visit.close();
  });

  it('are all asked for: who did it, typed right before a date', async () => {
    const visit = await open('/audit');
    await visit.field('Who').pressSequentially('aisyah');
    await visit.fill('From', '2026-03-04');
    await expect.poll(() => readQuery(visit)).toEqual({ actor: 'aisyah', from: '2026-03-04' });
    await visit.close();
  });

  it('are gone when they are cleared, also what was typed right before', async () => {
    const visit = await open('/audit?from=2026-03-04');
    await visit.page.clock.install();
    // Pressed before the page hears that the field was left.
    await visit.field('Who').pressSequentially('aisyah');
    await visit.page.evaluate(
      `[...document.querySelectorAll('button')].find((one) => one.innerText === 'Clear the filters').click()`,
    );
    await visit.page.clock.fastForward(2_000);
    await visit.settled();
    expect(readQuery(visit)).toEqual({});
    expect(await visit.field('Who').inputValue()).toBe('');
    await visit.close();
  });
});

it('a date of a form is written in words below it too', async () => {
  const visit = await open('/sandbox/send');
  await type(visit, 'Date', '03042026');
  await expect.poll(() => readDescription(visit, 'Date')).toBe('4 Mar 2026. In Malaysia; today or earlier.');
  await visit.field('Date').fill('');
  await expect.poll(() => readDescription(visit, 'Date')).toBe('In Malaysia; today or earlier.');
  await visit.go(`${visit.path.replace('/sandbox/send', '')}/keys`);
  await visit.press('Create key');
  await visit.fill('Expires', '2027-04-03');
  await expect.poll(() => readDescription(visit, 'Expires')).toMatch(/^3 Apr 2027\. At the end of this day/);
  await visit.isUsable();
  await visit.close();
});
