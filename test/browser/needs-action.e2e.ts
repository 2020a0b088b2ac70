import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue, type TestTenant } from '../support/client.js';
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

const FAILED = ['SIM-INVALID-CF358-1', 'SIM-INVALID-CF358-2', 'SIM-INVALID-CF321-1'];

/** Records layout shifts that happen without user input. */
const COLLECT_SHIFTS = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (value === 0 || hadRecentInput) continue;
      globalThis.shifts.push(value + ': ' + sources.map(({ node }) => node?.outerHTML?.slice(0, 100)).join(' | '));
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

async function openWithFailures(): Promise<{ visit: Visit; tenant: TestTenant; basePath: string }> {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  await issue(service, tenant, ...[...FAILED, 'INV-1'].map((referenceId) => invoice({ referenceId })));
  const basePath = `/o/${tenantId}/sandbox`;
  const visit = await site.open(`${basePath}/overview`);
  await visit.signIn(email);
  return { visit, tenant, basePath };
}

/** Waits until the list shows exactly these document numbers. */
async function waitForRows({ page }: Visit, expected: readonly string[]): Promise<void> {
  const links = page.getByRole('region', { name: 'documents' }).getByRole('row').getByRole('link');
  await expect.poll(async () => (await links.allInnerTexts()).toSorted()).toEqual(expected.toSorted());
}

describe('needs-action list', () => {
  it('shows the profile field with the rejected value and the fix', async () => {
    const { visit, tenant, basePath } = await openWithFailures();
    await site.service.owner.query("UPDATE tenant SET state_code = '99' WHERE tenant_id = $1", [tenant.tenantId]);
    await issue(site.service, tenant, invoice({ referenceId: 'P-1' }));
    await visit.show(`${basePath}/needs-action`);
    const group = visit.page.getByRole('listitem').filter({ hasText: 'P-1' });
    await group.getByText('Organisation’s profile, State · sent: 99 · CV302').waitFor();
    await group.getByText(/Correct .State. in the .* choose the state of the address from the list/).waitFor();
    await visit.expectUsable();
    await visit.close();
  });

  it('is at the top of the home page and links each figure to its list', async () => {
    const { visit, basePath } = await openWithFailures();
    const { page } = visit;
    await visit.waitForText('3 documents need action');
    await visit.waitUntilSettled();
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts();
    expect(headings.slice(0, 2)).toEqual(['3 documents need action', 'Documents by day and outcome']);
    const causes = await page.getByRole('heading', { name: '3 documents need action' }).boundingBox();
    const figures = await page.getByRole('link', { name: /^Credits left/ }).boundingBox();
    expect(causes?.y ?? Infinity).toBeLessThan(figures?.y ?? 0);
    const [first] = await page.getByRole('listitem').allInnerTexts();
    expect(first).toContain('Buyer’s TIN');
    await visit.expectUsable();
    await page.getByRole('link', { name: '2 documents', exact: true }).click();
    await waitForRows(visit, FAILED.slice(0, 2));
    await visit.press('One cause: show all causes');
    await waitForRows(visit, FAILED);
    await visit.go(`${basePath}/overview`);
    await page.getByRole('link', { name: /^Valid 1 3 failed/ }).click();
    await waitForRows(visit, ['INV-1']);
    await visit.close();
  });

  // The window is as tall as the page because the browser ignores shifts outside the window.
  it.each([
    ['laptop', { width: 1280, height: 1_800 }],
    ['phone', { width: 390, height: 2_600 }],
  ])('causes no layout shift on a %s when parts of the page arrive late', async (_, size) => {
    const { visit, basePath } = await openWithFailures();
    const { page } = visit;
    await page.setViewportSize(size);
    await page.addInitScript(COLLECT_SHIFTS);
    // The page arrives first, then the counts in the menu, then the charts.
    for (const [address, delay] of [
      [/\/sandbox\/overview\?/, 600],
      [/\/sandbox\/needs-action/, 900],
      [/\/assets\/charts-/, 1_100],
    ] as const) {
      await page.route(address, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, delay));
        await route.continue();
      });
    }
    await visit.show(`${basePath}/overview`);
    await page.locator('.recharts-surface').first().waitFor();
    await visit.waitUntilSettled();
    expect(await page.evaluate<string[]>('globalThis.shifts')).toEqual([]);
    await visit.expectFit();
    await visit.close();
  });

  it('hides a dismissed cause until the dismissal is undone', async () => {
    const { visit, basePath } = await openWithFailures();
    const { page } = visit;
    await visit.waitUntilSettled();
    await page.getByRole('link', { name: 'Needs action 3', exact: true }).click();
    await visit.heading('Needs action');
    await visit.waitForText('3 documents need action');
    await page.getByRole('heading', { level: 1 }).hover();
    await visit.waitUntilSettled();
    await visit.expectUsable();
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await visit.press('Dismiss 2 documents');
    await visit.waitForText('Enter why no action is needed');
    await visit.expectUsable();
    await visit.fill('Reason', 'Sent on paper before go-live');
    await visit.press('Dismiss 2 documents');
    await visit.waitForText('1 document needs action');
    await page.getByRole('link', { name: 'Needs action 1', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Dismissed: 2' }).click();
    await waitForRows(visit, FAILED.slice(0, 2));
    await page.getByRole('link', { name: FAILED[0] }).click();
    await visit.waitForText('Sent on paper before go-live');
    await visit.expectUsable();
    await visit.press('Take back');
    await page.getByRole('button', { name: 'Dismiss' }).waitFor();
    await visit.go(`${basePath}/needs-action`);
    await visit.waitForText('2 documents need action');
    await visit.setAppearance({ isPhone: true });
    await visit.expectFit();
    await visit.close();
  });
});
