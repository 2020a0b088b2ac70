import { afterAll, beforeAll, expect, it } from 'vitest';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

it('the API description is shown and tried out under its strict policy, without a complaint of the browser', async () => {
  const visit = await site.open();
  await visit.page.goto(`${site.service.url}/docs`);
  await visit.page.getByText('/health/live').first().click();
  await visit.press('Try it out');
  await visit.press('Execute');
  await visit.page.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
  expect(visit.complaints).toEqual([]);
  await visit.close();
});
