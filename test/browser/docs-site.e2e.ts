import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSite } from '../../site/build-site.js';
import { createTenant } from '../support/client.js';
import { Site, type Visit } from './site.js';

let site: Site;
let root: string;
beforeAll(async () => {
  site = await Site.start();
  root = site.service.url.replace(/\/api$/, '');
});
afterAll(() => site.stop());

async function open(path: string, options?: Parameters<Site['open']>[1]): Promise<Visit> {
  const visit = await site.open('/', options);
  visit.complaints.splice(0);
  await visit.page.goto(`${root}${path}`);
  return visit;
}

const PAGES = [...buildSite().keys()]
  .filter((file) => file.endsWith('.html'))
  .map((file) => `/docs/${file.replace(/(?:^index)?\.html$/, '')}`);
/** Width of the narrowest common phone. */
const NARROW = { width: 360, height: 740 };
const WALK_MS = 600_000;

describe.each([{}, { isPhone: true, isDark: true }])('documentation site %o', (appearance) => {
  it(
    'has usable pages that fit the window',
    async () => {
      expect(PAGES).toEqual(expect.arrayContaining(['/docs/', '/docs/quickstart', '/docs/errors/rate_limited']));
      const visit = await open('/docs/', appearance);
      if ('isPhone' in appearance) await visit.page.setViewportSize(NARROW);
      for (const path of PAGES) {
        await visit.page.goto(`${root}${path}`);
        await visit.heading(/./);
        await visit.expectUsable();
        await visit.expectFit();
      }
      await visit.close();
    },
    WALK_MS,
  );
});

it('sends the example request of the reference unchanged', async () => {
  const { apiKey } = await createTenant(site.service, { credits: 5 });
  const visit = await open('/docs/reference/submit');
  await visit.page.setViewportSize(NARROW);
  await visit.page.getByLabel('API key').fill(apiKey);
  await visit.press('Send');
  await visit.waitForText('HTTP 200');
  await visit.expectFit();
  await visit.waitForText('x-credits-charged: 1');
  await visit.waitForText('"submissionBatchId"');
  await visit.page.goto(`${root}/docs/reference/readSubmissionStatus`);
  await visit.page.getByLabel('API key').fill(apiKey);
  await visit.press('Send');
  await visit.waitForText('HTTP 200');
  expect(visit.complaints).toEqual([]);
  await visit.close();
});

it('finds the page of an error code by search', async () => {
  const visit = await open('/docs/');
  await visit.page.getByLabel('Search').fill('insufficient_credits');
  await visit.page.locator('#results a').first().click();
  await visit.heading('insufficient_credits');
  expect(new URL(visit.page.url()).pathname).toBe('/docs/errors/insufficient_credits');
  expect(visit.complaints).toEqual([]);
  await visit.close();
});

it('applies the selected language to the snippets on all pages', async () => {
  const visit = await open('/docs/quickstart');
  await visit.page.getByRole('button', { name: 'Python', exact: true }).first().click();
  await visit.page.goto(`${root}/docs/polling`);
  const shown = visit.page.locator('.snippets figure:visible');
  await shown.first().waitFor();
  const languages = await shown.evaluateAll((figures) => figures.map((figure) => figure.dataset.language));
  expect(new Set(languages)).toEqual(new Set(['python']));
  await visit.close();
});
