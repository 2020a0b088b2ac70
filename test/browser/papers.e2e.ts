import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accept } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { invoice, today } from '../support/documents.js';
import { readPages } from '../support/pdf.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { readZip } from '../support/zip.js';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

const NUMBER = 'PAPER-1';
const INVALID = 'SIM-INVALID-CF358-79';

/** Returns the name, first day and last day of the documents' month. */
function readMonth(): [string, string, string] {
  const [year, month] = today().split('-').map(Number);
  const name = new Date(Date.UTC(year, month - 1)).toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return [`${name} ${year}`, `${last.slice(0, 8)}01`, last];
}

describe('PDF and evidence downloads', () => {
  it('contain a single document, a whole list or a month', async () => {
    const { service } = site;
    const { email, tenantId } = await signUp(service);
    await completeProfile(service, tenantId);
    const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
    await accept(service, tenant, [invoice({ referenceId: NUMBER }), invoice({ referenceId: INVALID })]);
    await service.settle();
    const visit = await site.open(`/o/${tenantId}/sandbox/transactions`);
    await visit.signIn(email);
    const { page } = visit;
    const take = async (click: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> => {
      const download = page.waitForEvent('download', { timeout: 60_000 });
      await click();
      const file = await download;
      return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
    };

    await page.getByRole('button', { name: 'Actions' }).click();
    const pdfs = await take(() => page.getByRole('menuitem', { name: /^PDFs/ }).click());
    expect(pdfs.name).toBe('documents-pdf.zip');
    expect([...(await readZip(pdfs.bytes)).keys()]).toEqual([`invoice-${NUMBER}.pdf`]);

    await page.getByText(NUMBER, { exact: true }).click();
    await visit.heading(new RegExp(NUMBER));
    const pdf = await take(() => page.getByRole('link', { name: 'Download PDF' }).click());
    expect(pdf.name).toBe(`invoice-${NUMBER}.pdf`);
    expect((await readPages(pdf.bytes)).join('')).toContain(NUMBER);
    await page.getByRole('button', { name: 'Files' }).click();
    const print = page.getByRole('menuitem', { name: 'Print' });
    expect(await print.getAttribute('href')).toMatch(/document\.pdf\?view=print$/);
    const evidence = await take(() => page.getByRole('menuitem', { name: /^Evidence/ }).click());
    expect([...(await readZip(evidence.bytes)).keys()].at(-1)).toBe('manifest-sha256.txt');
    await visit.expectUsable();

    await visit.go(`/o/${tenantId}/sandbox/transactions`);
    await visit.press('Actions');
    await visit.page.getByRole('menuitem', { name: 'Files of a month' }).click();
    const [shown, from, to] = readMonth();
    await visit.choose('Month', shown);
    await visit.waitForText(`2 documents are dated in ${shown}`);
    await visit.expectUsable();
    const month = await take(() => page.getByRole('link', { name: /^PDFs/ }).click());
    expect(month.name).toBe(`documents-${from}-${to}-pdf.zip`);
    expect([...(await readZip(month.bytes)).keys()]).toEqual([`invoice-${NUMBER}.pdf`]);
    const evidenceOfMonth = await take(() => page.getByRole('link', { name: /^Evidence/ }).click());
    expect(evidenceOfMonth.name).toBe(`documents-${from}-${to}-evidence.zip`);
    const files = await readZip(evidenceOfMonth.bytes);
    for (const number of [NUMBER, INVALID]) {
      expect(files.has(`invoice-${number}-attempt-1/document.json`), number).toBe(true);
    }
    await page.getByRole('combobox', { name: 'Month' }).click();
    expect(await page.getByRole('option').count()).toBe(12);
    await page.getByRole('option').last().click();
    await visit.waitForText(/^No document is dated in/);
    expect(await page.getByRole('link', { name: /^(?:PDFs|Evidence)/ }).count()).toBe(0);
    await visit.setAppearance({ isDark: true, isPhone: true });
    await visit.expectUsable();
    await visit.setAppearance({});
    await visit.press('Back');

    await visit.go(`/o/${tenantId}/sandbox/transactions?status=Invalid`);
    await page.getByText(INVALID, { exact: true }).click();
    await visit.heading(new RegExp(INVALID));
    await page.getByRole('button', { name: 'Files' }).click();
    await page.getByRole('menuitem', { name: /^Evidence/ }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Print' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Download PDF' }).count()).toBe(0);
    await visit.close();
  }, 180_000);

  it('report why the documents of a month could not be counted', async () => {
    const { email, tenantId } = await signUp(site.service);
    const visit = await site.openAs(email);
    await visit.show(`/o/${tenantId}/sandbox/transactions`);
    await visit.page.route('**/transaction-counts**', (route) =>
      route.fulfill({ status: 409, json: { code: 'state_conflict', message: 'Not now' } }),
    );
    await visit.press('Actions');
    await visit.page.getByRole('menuitem', { name: 'Files of a month' }).click();
    await visit.choose('Month', readMonth()[0]);
    const dialog = visit.page.getByRole('dialog');
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByText('Counting').count()).toBe(0);
    expect(await dialog.getByRole('link').count()).toBe(0);
    await visit.expectUsable();
    await visit.close();
  });

  it('explain in plain language why a file is missing', async () => {
    const { service } = site;
    const { email, tenantId } = await signUp(service);
    await completeProfile(service, tenantId);
    const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
    await accept(service, tenant, [invoice({ referenceId: INVALID })]);
    await service.settle();
    const visit = await site.openAs(email);
    const { page } = visit;
    await visit.show(`/o/${tenantId}/sandbox/transactions`);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: /^PDFs/ }).click();
    await visit.heading('There is no file');
    await visit.waitForText('The list has no such document: choose other days or filters.');
    await visit.expectUsable();
    await page.goBack();
    await page.getByText(INVALID, { exact: true }).waitFor();
    await visit.close();
  });
});
