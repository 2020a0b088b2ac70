import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoOrganisation, fillDemo } from './demo-organisation.js';
import { Site, type Visit } from './site.js';

/** Allows for a busy machine. */

let site: Site;
let demo: DemoOrganisation;
beforeAll(async () => {
  site = await Site.start({ environments: ['sandbox', 'production'] });
  demo = await fillDemo(site.service);
}, 400_000);
afterAll(() => site.stop());

async function openList(query = ''): Promise<Visit> {
  const visit = await site.open('/sign-in');
  await visit.signIn(demo.owner);
  await visit.go(`/o/${demo.tenantId}/sandbox/transactions${query}`);
  await visit.waitUntilSettled();
  return visit;
}

function readNumbers(visit: Visit): Promise<string[]> {
  return visit.page.locator('tbody td[data-label="Document"]').allInnerTexts();
}

function readAmounts(visit: Visit): Promise<number[]> {
  const read = `[...document.querySelectorAll('tbody td[data-label="Payable"]')].map((cell) => Number(cell.innerText.replace(/[^0-9.]/g, '')))`;
  return visit.page.evaluate<number[]>(read);
}

function readQuery({ page }: Visit): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

describe('document search', { timeout: 400_000 }, () => {
  it('finds the entered text and keeps it in the URL', async () => {
    const visit = await openList();
    const all = await readNumbers(visit);
    const wanted = all[0];
    await visit.fill('Search', wanted.toLowerCase());
    await visit.field('Search').press('Enter');
    await expect.poll(() => readNumbers(visit)).toEqual([wanted]);
    expect(readQuery(visit)).toEqual({ q: wanted.toLowerCase() });
    await visit.page.goBack();
    await expect.poll(() => readNumbers(visit)).toEqual(all);
    await visit.page.goForward();
    await expect.poll(() => readNumbers(visit)).toEqual([wanted]);
    expect(await visit.field('Search').inputValue()).toBe(wanted.toLowerCase());
    await visit.page.setViewportSize({ width: 1440, height: 900 });
    const counts = visit.page.getByRole('region', { name: 'Documents by status' });
    const boxes = await Promise.all(
      [
        visit.field('Search'),
        counts.getByRole('button'),
        visit.page.getByRole('button', { name: 'Clear filters' }),
      ].map((part) => part.boundingBox()),
    );
    const [search, count, clear] = boxes.map((box) => box ?? expect.fail('Not shown'));
    expect(count.y).toBeGreaterThanOrEqual(search.y + search.height);
    expect(clear.y).toBe(count.y);
    const copied = await visit.openTab(
      new URL(visit.page.url()).pathname.replace('/dashboard', '') + new URL(visit.page.url()).search,
    );
    await expect.poll(() => readNumbers(copied)).toEqual([wanted]);
    await visit.press('Clear the search');
    await expect.poll(() => readNumbers(visit)).toEqual(all);
    await visit.expectUsable();
    await visit.close();
  });

  it('sorts by column in both directions', async () => {
    const visit = await openList();
    await visit.page.setViewportSize({ width: 1440, height: 900 });
    const header = visit.page.getByRole('columnheader', { name: 'Payable' });
    const isSorted = async (way: 'ascending' | 'descending'): Promise<boolean> => {
      const amounts = await readAmounts(visit);
      const sorted = amounts.toSorted((a, b) => (way === 'ascending' ? a - b : b - a));
      return (await header.getAttribute('aria-sort')) === way && JSON.stringify(sorted) === JSON.stringify(amounts);
    };
    expect(await header.getAttribute('aria-sort')).toBe('none');
    await header.getByRole('button').press('Enter');
    await expect.poll(() => isSorted('descending')).toBe(true);
    expect(readQuery(visit)).toEqual({ sort: '-amount' });
    expect(await visit.page.getByRole('combobox', { name: 'Order' }).inputValue()).toBe('Amount, highest first');
    expect(await visit.page.evaluate(`document.activeElement.innerText.trim()`)).toBe('Payable');
    await header.getByRole('button').press('Enter');
    await expect.poll(() => isSorted('ascending')).toBe(true);
    expect(await visit.page.getByRole('columnheader', { name: 'Date' }).getAttribute('aria-sort')).toBe('none');
    await visit.expectUsable();
    await visit.page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => header.getByRole('button').count()).toBe(0);
    await visit.close();
  });

  it('filters and sorts by document date', async () => {
    const visit = await openList();
    await visit.page.setViewportSize({ width: 1440, height: 900 });
    const header = visit.page.getByRole('columnheader', { name: 'Date' });
    const cells = visit.page.locator('tbody td[data-label="Date"]');
    const readDays = async (): Promise<string[]> =>
      (await cells.allInnerTexts()).map((text) => new Date(`${text} UTC`).toISOString().slice(0, 10));
    const all = await readDays();
    const [from, to] = [all.toSorted().at(5) ?? '', all.toSorted().at(-5) ?? ''];
    await visit.fill('Dated from', from);
    await visit.fill('Dated to', to);
    await visit.field('Dated to').press('Enter');
    await expect.poll(() => readQuery(visit)).toEqual({ dated_from: from, dated_to: to });
    await visit.waitUntilSettled();
    const latestFirst = await readDays();
    expect(latestFirst).toEqual(latestFirst.toSorted().toReversed());
    expect([latestFirst[0] <= to, (latestFirst.at(-1) ?? '') >= from]).toEqual([true, true]);
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    await header.getByRole('button').press('Enter');
    await expect.poll(() => readQuery(visit)).toMatchObject({ sort: 'date' });
    await visit.waitUntilSettled();
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    const earliestFirst = await readDays();
    expect(earliestFirst[0]).toBe(from);
    expect(earliestFirst).toEqual(earliestFirst.toSorted());
    await visit.expectUsable();
    await visit.close();
  });

  it('filters by an error described in plain language', async () => {
    const visit = await openList();
    await visit.press('Filters');
    await visit.choose('Error', 'phone is missing');
    await expect.poll(() => readQuery(visit)).toMatchObject({ error: expect.stringMatching(/^\w+$/) });
    await visit.waitUntilSettled();
    const numbers = await readNumbers(visit);
    expect(numbers.length).toBeGreaterThan(2);
    expect(numbers.filter((number) => !number.startsWith('SIM-REJECT-CF349-'))).toEqual([]);
    const [{ count }] = await site.service.owner.query<{ count: number }[]>(
      `SELECT count(*)::integer AS count FROM document WHERE tenant_id = $1 AND reference_id LIKE 'SIM-REJECT-CF349-%'`,
      [demo.tenantId],
    );
    expect(numbers.length).toBe(count);
    await visit.expectUsable();
    await visit.close();
  });

  it('explains the format of an amount that it cannot parse', async () => {
    const visit = await openList();
    await visit.fill('Search', 'RM -5');
    await visit.field('Search').press('Enter');
    await visit.waitForText('This is not an amount; write it as RM 1,234.56, and a range as RM 100 - 200.');
    expect(await visit.field('Search').getAttribute('aria-invalid')).toBe('true');
    await visit.waitUntilSettled();
    expect(await visit.page.getByText('is not an amount').count()).toBe(1);
    expect(await visit.page.getByText('The request failed').count()).toBe(0);
    await visit.expectUsable();
    await visit.fill('Search', 'RM 5');
    await visit.field('Search').press('Enter');
    await expect.poll(() => visit.field('Search').getAttribute('aria-invalid')).not.toBe('true');
    await visit.close();
  });

  it('exports the rows of a sorted and filtered list', async () => {
    const visit = await openList();
    await visit.choose('Order', 'Amount, highest first');
    await expect.poll(() => readQuery(visit)).toEqual({ sort: '-amount' });
    const amounts = (): Promise<number[]> => readAmounts(visit);
    const isSorted = (read: number[]): boolean => read.length > 2 && read.every((one, at) => !(one > read[at - 1]));
    await expect.poll(amounts).toSatisfy(isSorted);
    const group = visit.page.getByRole('region', { name: 'Documents by status' });
    const button = group.getByRole('button', { name: /^Invalid \d+$/ });
    const count = Number((await button.innerText()).replace(/\D/g, ''));
    await button.click();
    await expect.poll(() => readQuery(visit)).toEqual({ sort: '-amount', status: 'Invalid' });
    await expect.poll(async () => (await readNumbers(visit)).length).toBe(count);
    expect(await group.getByRole('button', { pressed: true }).allInnerTexts()).toEqual([`Invalid ${count}`]);
    await visit.press('Actions');
    const href = await visit.page.getByRole('menuitem', { name: 'CSV' }).getAttribute('href');
    expect(href).toMatch(/transactions\.csv\?status=Invalid&sort=-amount$/);
    await visit.expectUsable();
    await visit.close();
  });

  it('explains an empty result even on a phone', async () => {
    const visit = await openList('?q=nobody+has+this');
    await visit.waitForText('No document matches these filters');
    await visit.setAppearance({ isPhone: true });
    await visit.expectFit();
    await visit.expectUsable();
    for (const q of ['RM-5', '100-200']) {
      await visit.fill('Search', q);
      await visit.field('Search').press('Enter');
      await expect.poll(() => readQuery(visit)).toEqual({ q });
      await visit.waitForText('Write an amount as RM 1,234.56, and a range as RM 100 - 200.');
    }
    await visit.close();
  });
});
