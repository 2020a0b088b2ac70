import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start({ environments: ['sandbox', 'production'] });
});
afterAll(() => site.stop());

/** Opens the sandbox overview with one submitted document. */
async function openOverview(): Promise<Visit> {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  await issue(service, { tenantId, apiKey: await insertKey(service.owner, tenantId) }, invoice());
  const visit = await site.open(`/o/${tenantId}/sandbox/overview`);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return visit;
}

/** Delays responses to matching requests until the returned function is called. */
async function hold(page: Page, addresses: RegExp): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(addresses, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

describe('overview', () => {
  it('never shows sandbox figures as production figures', async () => {
    const visit = await openOverview();
    const main = visit.page.getByRole('main');
    const release = await hold(visit.page, /\/production\/overview\?/);
    await visit.page.getByRole('radiogroup', { name: 'Environment' }).getByText('Production').click();
    await visit.page.waitForURL('**/production/overview');
    await expect.poll(() => main.innerText()).not.toMatch(/Credits left|Waiting/);
    release();
    await main.getByText('for production').waitFor();
    expect(await main.innerText()).toContain('No documents in the last 30 days');
    await visit.expectUsable();
    await visit.close();
  });

  it('keeps its figures until those of the new period are loaded', async () => {
    const visit = await openOverview();
    const main = visit.page.getByRole('main');
    const release = await hold(visit.page, /\/sandbox\/overview\?days=7/);
    const asked = visit.page.waitForRequest(/\/sandbox\/overview\?days=7/);
    await visit.page.getByRole('radiogroup', { name: 'Days shown' }).getByText('7 days').click();
    await asked;
    expect(await main.innerText()).toContain('failed in 30 days');
    release();
    await main.getByText('failed in 7 days').waitFor();
    await visit.close();
  });
});
