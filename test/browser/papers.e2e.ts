import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accept } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
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

describe('the buttons for paper and evidence', () => {
  it('give the PDF and the evidence of a document, and of all documents of a list', async () => {
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

    await page.getByRole('button', { name: 'Download documents' }).click();
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
    await visit.isUsable();

    await visit.go(`/o/${tenantId}/sandbox/transactions?status=Invalid`);
    await page.getByText(INVALID, { exact: true }).click();
    await visit.heading(new RegExp(INVALID));
    await page.getByRole('button', { name: 'Files' }).click();
    await page.getByRole('menuitem', { name: /^Evidence/ }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Print' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Download PDF' }).count()).toBe(0);
    await visit.close();
  }, 180_000);
});
