import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoOrganisation, fillDemo } from './demo-organisation.js';
import { Site, type Visit } from './site.js';

/** On a busy machine too. */

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
  await visit.settled();
  return visit;
}

/** The numbers of the open list, in its order. */
function readNumbers(visit: Visit): Promise<string[]> {
  return visit.page.locator('tbody tr td:first-child').allInnerTexts();
}

function readAmounts(visit: Visit): Promise<number[]> {
  const read = `[...document.querySelectorAll('tbody tr')].map((row) => Number(row.cells[2].innerText.replace(/[^0-9.]/g, '')))`;
  return visit.page.evaluate<number[]>(read);
}

/** What the address asks for. */
function readQuery({ page }: Visit): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

describe('the search of the documents', { timeout: 400_000 }, () => {
  it('finds by what is typed and entered, keeps it in the address, and goes back and forth with it', async () => {
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
    const places = await Promise.all(
      [
        visit.field('Search'),
        counts.getByRole('button'),
        visit.page.getByRole('button', { name: 'Clear filters' }),
      ].map((part) => part.boundingBox()),
    );
    const [search, count, clear] = places.map((place) => place ?? expect.fail('Not shown'));
    expect(count.y).toBeGreaterThanOrEqual(search.y + search.height);
    expect(clear.y).toBe(count.y);
    const copied = await visit.another(
      new URL(visit.page.url()).pathname.replace('/dashboard', '') + new URL(visit.page.url()).search,
    );
    await expect.poll(() => readNumbers(copied)).toEqual([wanted]);
    await visit.press('Clear the search');
    await expect.poll(() => readNumbers(visit)).toEqual(all);
    await visit.isUsable();
    await visit.close();
  });

  it('is sorted by the header of a column too, from above and from below, and says which it is sorted by', async () => {
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
    await visit.isUsable();
    await visit.page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => header.getByRole('button').count()).toBe(0);
    await visit.close();
  });

  it('says in the field in which form it expects an amount that it cannot read', async () => {
    const visit = await openList();
    await visit.fill('Search', 'RM -5');
    await visit.field('Search').press('Enter');
    await visit.waitForText('This is not an amount; write it as RM 1,234.56, and a range as RM 100 - 200.');
    expect(await visit.field('Search').getAttribute('aria-invalid')).toBe('true');
    await visit.settled();
    expect(await visit.page.getByText('is not an amount').count()).toBe(1);
    expect(await visit.page.getByText('The request failed').count()).toBe(0);
    await visit.isUsable();
    await visit.fill('Search', 'RM 5');
    await visit.field('Search').press('Enter');
    await expect.poll(() => visit.field('Search').getAttribute('aria-invalid')).not.toBe('true');
    await visit.close();
  });

  it('sorts by amount, narrows by a status of the counts, and offers the same rows as a file', async () => {
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
    const href = await visit.page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    expect(href).toMatch(/transactions\.csv\?status=Invalid&sort=-amount$/);
    await visit.isUsable();
    await visit.close();
  });

  it('says that nothing was found and what to do, also on a phone', async () => {
    const visit = await openList('?q=nobody+has+this');
    await visit.waitForText('No document matches these filters');
    await visit.setAppearance({ isPhone: true });
    await visit.fits();
    await visit.isUsable();
    for (const q of ['RM-5', '100-200']) {
      await visit.fill('Search', q);
      await visit.field('Search').press('Enter');
      await expect.poll(() => readQuery(visit)).toEqual({ q });
      await visit.waitForText('An amount is written RM 1,234.56, and a range RM 100 - 200.');
    }
    await visit.close();
  });
});
