import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue } from '../support/client.js';
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

const LONG_NAME = 'Persatuan Pengusaha Makanan dan Minuman Tradisional Negeri Sembilan Berhad';

interface Opened {
  readonly visit: Visit;
  readonly base: string;
}

/** Opens the document list on a phone for an organisation with a long name. */
async function openList(): Promise<Opened> {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  await service.owner.query('UPDATE tenant SET name = $2 WHERE tenant_id = $1', [tenantId, LONG_NAME]);
  const apiKey = await insertKey(service.owner, tenantId);
  await issue(service, { tenantId, apiKey }, invoice({ referenceId: 'INV-1' }));
  await service.settle();
  const base = `/o/${tenantId}/sandbox`;
  const visit = await site.open(`${base}/transactions`, { isPhone: true });
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return { visit, base };
}

describe('page on a phone', () => {
  it('shows the first document in the top 400 pixels', async () => {
    const { visit, base } = await openList();
    const row = await visit.page.getByRole('link', { name: 'INV-1', exact: true }).boundingBox();
    expect(row?.y).toBeLessThan(400);
    expect(await visit.field('Status').first().isVisible()).toBe(false);
    await visit.expectFit();
    await visit.show(`${base}/transactions?status=Valid&type=invoice`);
    await visit.press('Filters (2)');
    expect(await visit.field('Status').first().isVisible()).toBe(true);
    await visit.expectUsable();
    await visit.close();
  });

  it('shows all list actions in one menu', async () => {
    const { visit } = await openList();
    await visit.press('Actions');
    const items = await visit.page.getByRole('menuitem').allInnerTexts();
    expect(items).toEqual([
      'Correct all failed documents',
      'Cancel all valid documents',
      'CSV',
      'PDFs of the valid documents',
      'Evidence: requests, documents, responses, history',
      'Files of a month',
    ]);
    await visit.expectUsable();
    await visit.close();
  });

  it('stacks the buttons of a dialog with equal width', async () => {
    const { visit } = await openList();
    await visit.page.getByRole('link', { name: 'INV-1', exact: true }).click();
    await visit.heading(/INV-1/);
    await visit.press('Cancel document');
    const [keep, cancel] = await Promise.all(
      ['Keep the document', 'Cancel it for 1 credit'].map((name) =>
        visit.page.getByRole('button', { name, exact: true }).boundingBox(),
      ),
    );
    expect(cancel).toMatchObject({ x: keep?.x, width: keep?.width });
    expect(cancel?.y).toBeGreaterThan(keep?.y ?? Infinity);
    await visit.close();
  });

  it('shows a long organisation name in full', async () => {
    const { visit } = await openList();
    await visit.page.getByRole('button', { name: /menu/i }).click();
    const name = visit.page.getByText(LONG_NAME, { exact: true }).filter({ visible: true }).first();
    await name.waitFor();
    expect(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
    await visit.expectUsable();
    await visit.close();
  });
});
