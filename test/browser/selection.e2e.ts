import { readFileSync } from 'node:fs';
import type { Download } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGE_ROWS } from '../../src/dashboard-api/cursor.js';
import { cancel, issue, type TestTenant } from '../support/client.js';
import { signUp, signUpInto } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { readZip } from '../support/zip.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

const FAILED = ['SIM-INVALID-CF358-1', 'SIM-INVALID-CF358-2', 'SIM-INVALID-CF358-3'];

async function openWith(
  references: readonly string[],
): Promise<{ visit: Visit; tenant: TestTenant; basePath: string }> {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  await issue(service, tenant, ...references.map((referenceId) => invoice({ referenceId })));
  const basePath = `/o/${tenantId}/sandbox`;
  const visit = await site.open(`${basePath}/transactions`);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return { visit, tenant, basePath };
}

const box = ({ page }: Visit, referenceId: string) =>
  page.getByRole('checkbox', { name: `Select ${referenceId}`, exact: true });

const readTicked = ({ page }: Visit): Promise<(string | null)[]> =>
  page
    .getByRole('region', { name: 'documents' })
    .getByRole('checkbox', { checked: true })
    .evaluateAll((boxes) => boxes.map((one) => one.getAttribute('aria-label')));

async function openMenu(visit: Visit): Promise<string[]> {
  await visit.press('With selected');
  const items = visit.page.getByRole('menuitem');
  await items.first().waitFor();
  return items.allInnerTexts();
}

const readFiles = async (download: Download): Promise<string[]> => [
  ...(await readZip(readFileSync(await download.path()))).keys(),
];

/** Delays the response to a request until the returned function is called. */
async function hold({ page }: Visit, address: RegExp): Promise<() => void> {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

async function cancelNow(tenant: TestTenant, referenceId: string): Promise<void> {
  const [{ documentId }] = await site.service.owner.query<{ documentId: string }[]>(
    'SELECT id AS "documentId" FROM document WHERE tenant_id = $1 AND reference_id = $2',
    [tenant.tenantId, referenceId],
  );
  const { status } = await cancel(site.service, tenant, { documentId });
  expect(status).toBe(202);
  await site.service.settle();
}

async function work(): Promise<void> {
  for (let ticks = 0; ticks < 100; ticks += 1) if ((await site.service.tick('bulk')) === 0) return;
}

describe('selected documents', () => {
  it('are corrected together, by keyboard alone', async () => {
    const { visit, tenant } = await openWith([...FAILED, 'INV-1']);
    const { page } = visit;
    await box(visit, FAILED[0]).focus();
    await page.keyboard.press('Space');
    await page.getByRole('status').getByText('1 selected', { exact: true }).waitFor();
    await box(visit, FAILED[2]).focus();
    await page.keyboard.press('Space');
    await box(visit, 'INV-1').focus();
    await page.keyboard.press('Space');
    await page.getByRole('status').getByText('3 selected', { exact: true }).waitFor();
    await visit.expectUsable();
    await page.getByRole('button', { name: 'With selected' }).press('Enter');
    await page.getByRole('menuitem').first().waitFor();
    expect((await page.getByRole('menuitem').allInnerTexts()).slice(0, 3)).toEqual([
      'Correct 2 failed documents',
      'Dismiss 2 failed documents',
      'Cancel 1 valid document',
    ]);
    await page.getByRole('menuitem', { name: /^Correct/ }).press('Enter');
    await page.getByRole('dialog', { name: 'Correct 2 failed documents' }).waitFor();
    await visit.expectUsable();
    await visit.choose('Field', 'Buyer’s TIN');
    await visit.fill('New value', 'C5555555550');
    await page.keyboard.press('Enter');
    await visit.heading('Correct Buyer’s TIN in 2 documents');
    await work();
    await visit.press('Send 2 documents for 2 credits');
    await visit.waitForText('The job continues when you close this page.');
    await work();
    await visit.waitForText('2 sent');
    const corrected = await site.service.owner.query<{ referenceId: string }[]>(
      `SELECT reference_id AS "referenceId" FROM document_transaction WHERE tenant_id = $1 AND attempt = 2 ORDER BY 1`,
      [tenant.tenantId],
    );
    expect(corrected.map(({ referenceId }) => referenceId)).toEqual([FAILED[0], FAILED[2]]);
    await visit.close();
  });

  it('stay selected when the order changes, but not the filters', async () => {
    const { visit } = await openWith([...FAILED, 'INV-1']);
    const { page } = visit;
    await box(visit, FAILED[1]).check();
    await visit.choose('Order', 'Amount, lowest first');
    await page.waitForURL(/sort=amount/);
    await visit.waitUntilSettled();
    expect(await readTicked(visit)).toEqual([`Select ${FAILED[1]}`]);
    await page.getByRole('region', { name: 'Documents by status' }).getByRole('button', { name: 'Invalid 3' }).click();
    await page.waitForURL(/status=Invalid/);
    await visit.waitUntilSettled();
    expect(await readTicked(visit)).toEqual([]);
    expect(await page.getByRole('button', { name: 'With selected' }).count()).toBe(0);
    await page.goBack();
    await visit.waitUntilSettled();
    expect(await page.getByRole('checkbox', { name: /^Select / }).count()).toBe(4);
    expect(await readTicked(visit)).toEqual([]);
    await visit.close();
  });

  it('cannot be changed while another list is loading', async () => {
    const numbers = Array.from({ length: PAGE_ROWS + 1 }, (_, index) => `ALL-${index + 1}`);
    const { visit, basePath } = await openWith([...numbers, 'INV-1']);
    const { page } = visit;
    await visit.show(`${basePath}/transactions?q=all-`);
    const first = page.getByRole('checkbox', { name: /^Select ALL-/ }).first();
    const ofPage = page.getByRole('checkbox', { name: 'All on this page' });
    const releaseList = await hold(visit, /\/transactions($|\?)/);
    const releaseCounts = await hold(visit, /\/transaction-counts/);
    await visit.press('Clear filters');
    await page.waitForURL(/transactions$/);
    await expect.poll(() => first.isDisabled()).toBe(true);
    expect(await ofPage.isDisabled()).toBe(true);
    releaseList();
    await box(visit, 'INV-1').waitFor();
    await ofPage.check();
    await page.getByRole('status').getByText(`${PAGE_ROWS} selected`, { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Select all/ }).count()).toBe(0);
    releaseCounts();
    await page.getByRole('button', { name: `Select all ${PAGE_ROWS + 2} of this list` }).waitFor();
    await visit.close();
  });

  it('are updated, with a count of those that left the list', async () => {
    const { visit, tenant, basePath } = await openWith(['INV-1', 'INV-2', 'INV-3']);
    const { page } = visit;
    const status = page.getByRole('status');
    const read = async (): Promise<string[]> => (await openMenu(visit)).slice(0, -2);
    await box(visit, 'INV-1').check();
    await box(visit, 'INV-2').check();
    await cancelNow(tenant, 'INV-1');
    await visit.press('Refresh');
    await page.getByRole('button', { name: 'Cancelled 1' }).waitFor();
    expect(await read()).toEqual(['Cancel 1 valid document']);
    await visit.show(`${basePath}/transactions?status=Valid`);
    await box(visit, 'INV-2').check();
    await box(visit, 'INV-3').check();
    await cancelNow(tenant, 'INV-2');
    await visit.press('Refresh');
    await status.getByText('1 selected, 1 no longer in this list', { exact: true }).waitFor();
    expect(await read()).toEqual(['Cancel 1 valid document']);
    const file = page.getByRole('menuitem', { name: /^Evidence/ });
    const { searchParams } = new URL((await file.getAttribute('href')) ?? '', page.url());
    expect([...searchParams.keys()].toSorted()).toEqual(['attempts', 'transactionIds']);
    expect(searchParams.get('transactionIds')?.split(',')).toHaveLength(1);
    await visit.expectUsable();
    await visit.close();
  });

  it('have no PDF download if none is valid', async () => {
    const { visit } = await openWith([FAILED[0], 'INV-1']);
    await box(visit, FAILED[0]).check();
    expect(await openMenu(visit)).toEqual([
      'Correct 1 failed document',
      'Dismiss 1 failed document',
      expect.stringMatching(/^Evidence/),
    ]);
    await visit.close();
  });

  it('are dismissed together with a reason', async () => {
    const { visit, basePath } = await openWith(FAILED);
    const { page } = visit;
    await visit.show(`${basePath}/transactions?action=needed`);
    await box(visit, FAILED[0]).check();
    await box(visit, FAILED[1]).check();
    await openMenu(visit);
    await page.getByRole('menuitem', { name: 'Dismiss 2 failed documents' }).click();
    await visit.fill('Reason', 'Sent on paper');
    await visit.press('Dismiss 2 documents');
    await expect.poll(() => page.getByRole('checkbox', { name: /^Select / }).count()).toBe(1);
    await box(visit, FAILED[2]).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'With selected' }).count()).toBe(0);
    await page.getByRole('status').getByText('2 documents dismissed', { exact: true }).waitFor();
    await visit.expectUsable();
    await box(visit, FAILED[2]).check();
    await openMenu(visit);
    await page.getByRole('menuitem', { name: 'Dismiss 1 failed document' }).click();
    await visit.fill('Reason', 'Sent on paper');
    await visit.press('Dismiss 1 document');
    await page.getByRole('status').getByText('1 document dismissed', { exact: true }).waitFor();
    await visit.show(`${basePath}/transactions?action=dismissed`);
    await box(visit, FAILED[0]).check();
    expect(await openMenu(visit)).toEqual(['Correct 1 failed document', expect.stringMatching(/^Evidence/)]);
    await visit.close();
  });

  it('can be downloaded as PDFs and evidence, even by a viewer', async () => {
    const { visit: owners, tenant, basePath } = await openWith(['INV-1', 'INV-2', 'INV-3', FAILED[0]]);
    await owners.close();
    const viewer = await signUpInto(site.service, tenant.tenantId, 'viewer');
    const visit = await site.open(`${basePath}/transactions`, { isPhone: true });
    await visit.signIn(viewer.session?.user.email ?? '');
    const { page } = visit;
    for (const number of ['INV-1', 'INV-3', FAILED[0]]) await box(visit, number).check();
    const items = await openMenu(visit);
    expect(items).toEqual([expect.stringMatching(/^PDFs/), expect.stringMatching(/^Evidence/)]);
    const [pdfs] = await Promise.all([
      page.waitForEvent('download', { timeout: 60_000 }),
      page.getByRole('menuitem', { name: /^PDFs/ }).click(),
    ]);
    expect((await readFiles(pdfs)).toSorted()).toEqual(['invoice-INV-1.pdf', 'invoice-INV-3.pdf']);
    await openMenu(visit);
    const [evidence] = await Promise.all([
      page.waitForEvent('download', { timeout: 60_000 }),
      page.getByRole('menuitem', { name: /^Evidence/ }).click(),
    ]);
    const folders = new Set((await readFiles(evidence)).flatMap((name) => /^(.+)\//.exec(name)?.[1] ?? []));
    expect([...folders].toSorted()).toEqual(
      ['INV-1', 'INV-3', FAILED[0]].map((number) => `invoice-${number}-attempt-1`).toSorted(),
    );
    await visit.expectFit();
    await visit.expectUsable();
    await visit.setAppearance({ isPhone: true, isDark: true });
    await visit.expectUsable();
    await visit.close();
  });
});

describe('selection of a whole list', () => {
  it('offers correction and dismissal only for documents that need action', async () => {
    const numbers = Array.from({ length: PAGE_ROWS + 2 }, (_, index) => `SIM-INVALID-CF358-${index + 1}`);
    const { visit, tenant, basePath } = await openWith(numbers);
    const { page } = visit;
    const rows = page.getByRole('checkbox', { name: /^Select / });
    const readDeeds = (): Promise<string[]> => page.getByRole('menuitem', { name: / failed / }).allInnerTexts();
    for (const number of [0, 1]) await rows.nth(number).check();
    await openMenu(visit);
    await page.getByRole('menuitem', { name: 'Dismiss 2 failed documents' }).click();
    await visit.fill('Reason', 'Sent on paper');
    await visit.press('Dismiss 2 documents');
    await page.getByRole('status').getByText('2 documents dismissed', { exact: true }).waitFor();
    await visit.show(`${basePath}/transactions?attempts=all`);
    await page.getByRole('checkbox', { name: 'All on this page' }).check();
    await visit.press(`Select all ${PAGE_ROWS + 2} of this list`);
    const expected = [`Correct ${PAGE_ROWS} failed documents`, `Dismiss ${PAGE_ROWS} failed documents`];
    await openMenu(visit);
    await expect.poll(readDeeds).toEqual(expected);
    await page.keyboard.press('Escape');
    await issue(site.service, tenant, invoice({ referenceId: 'INV-NEW' }));
    await visit.press('Refresh');
    await page
      .getByRole('status')
      .getByText(`All ${PAGE_ROWS + 3} of this list selected`)
      .waitFor();
    await openMenu(visit);
    await page.getByRole('menuitem', { name: expected[1] }).click();
    await visit.fill('Reason', 'Sent on paper');
    await visit.press(`Dismiss ${PAGE_ROWS} documents`);
    await page.getByRole('status').getByText(`${PAGE_ROWS} documents dismissed`, { exact: true }).waitFor();
    await visit.show(`${basePath}/transactions?action=dismissed`);
    await page.getByRole('checkbox', { name: 'All on this page' }).check();
    await visit.press(`Select all ${PAGE_ROWS + 2} of this list`);
    await openMenu(visit);
    await expect.poll(readDeeds).toEqual([`Correct ${PAGE_ROWS + 2} failed documents`]);
    await visit.close();
  });

  it('extends from the page to the list and cancels all documents together', async () => {
    const numbers = Array.from({ length: PAGE_ROWS + 2 }, (_, index) => `ALL-${index + 1}`);
    const { visit, basePath } = await openWith([...numbers, FAILED[0]]);
    const { page } = visit;
    await visit.show(`${basePath}/transactions?q=all-`);
    const ofPage = page.getByRole('checkbox', { name: 'All on this page' });
    await ofPage.check();
    await page.getByRole('status').getByText(`${PAGE_ROWS} selected`, { exact: true }).waitFor();
    await visit.press('Next');
    await page.waitForURL(/pages=/);
    await visit.waitUntilSettled();
    expect(await readTicked(visit)).toEqual([]);
    await visit.press('First');
    await expect.poll(() => ofPage.isChecked()).toBe(true);
    await visit.press(`Select all ${PAGE_ROWS + 2} of this list`);
    await page
      .getByRole('status')
      .getByText(`All ${PAGE_ROWS + 2} of this list selected`)
      .waitFor();
    expect(await readTicked(visit)).toHaveLength(PAGE_ROWS);
    await visit.expectUsable();
    await visit.setAppearance({ isDark: true });
    await visit.expectUsable();
    await openMenu(visit);
    await page.getByRole('menuitem', { name: `Cancel ${PAGE_ROWS + 2} valid documents` }).click();
    await visit.fill('Reason', 'Issued twice');
    await visit.press('Check');
    await visit.heading(`Cancel ${PAGE_ROWS + 2} documents`);
    await visit.close();
  });

  it('becomes the remaining rows of the page when a row is deselected', async () => {
    const numbers = Array.from({ length: PAGE_ROWS + 1 }, (_, index) => `ALL-${index + 1}`);
    const { visit } = await openWith(numbers);
    const { page } = visit;
    const status = page.getByRole('status');
    for (const isOfList of [false, true]) {
      await page.getByRole('checkbox', { name: 'All on this page' }).check();
      if (isOfList) {
        await visit.press(`Select all ${PAGE_ROWS + 1} of this list`);
        await status.getByText(`All ${PAGE_ROWS + 1} of this list selected`).waitFor();
      }
      await page
        .getByRole('checkbox', { name: /^Select ALL-/ })
        .first()
        .uncheck();
      await status.getByText(`${PAGE_ROWS - 1} selected`, { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: /^Select all/ }).count()).toBe(0);
      await visit.press('Clear');
      expect(await readTicked(visit)).toEqual([]);
    }
    await visit.close();
  });
});
