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

const EQUAL_ERRORS = 41;
const ACTIONS_MAX = 9;

async function openWith(
  references: readonly string[],
): Promise<{ visit: Visit; tenant: TestTenant; basePath: string }> {
  const { service } = site;
  const { email, tenantId } = await signUp(service);
  await completeProfile(service, tenantId);
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  await issue(service, tenant, ...references.map((referenceId) => invoice({ referenceId })));
  const basePath = `/o/${tenantId}/sandbox`;
  const visit = await site.open(`${basePath}/overview`);
  await visit.signIn(email);
  return { visit, tenant, basePath };
}

async function work(): Promise<void> {
  for (let ticks = 0; ticks < 100; ticks += 1) if ((await site.service.tick('bulk')) === 0) return;
}

async function countAttempts({ tenantId }: TestTenant): Promise<Record<string, number>> {
  const [counts] = await site.service.owner.query<Record<string, number>[]>(
    `SELECT count(*) FILTER (WHERE attempt = 2 AND buyer_tin = 'C5555555550')::integer AS corrected,
            count(*)::integer AS attempts
       FROM document_transaction WHERE tenant_id = $1`,
    [tenantId],
  );
  return counts;
}

describe('bulk correction of documents with the same error', () => {
  it(`corrects ${EQUAL_ERRORS} documents in fewer than ten actions, even if the tab is closed`, async () => {
    const references = Array.from({ length: EQUAL_ERRORS }, (_, index) => `SIM-INVALID-CF358-${index + 1}`);
    const { visit, tenant, basePath } = await openWith(references);
    let actions = 0;
    const act = async (action: Promise<unknown>): Promise<void> => {
      actions += 1;
      await action;
    };
    await visit.waitUntilSettled();
    await act(visit.page.getByRole('link', { name: /^Needs action/ }).click());
    await act(visit.press('Correct all'));
    await visit.field('New value').waitFor();
    await visit.expectUsable();
    await act(visit.fill('New value', 'C5555555550'));
    await act(visit.press('Check'));
    await visit.heading(`Correct Buyer’s TIN in ${EQUAL_ERRORS} documents`);
    await work();
    await act(visit.press(`Send ${EQUAL_ERRORS} documents for ${EQUAL_ERRORS} credits`));
    await visit.waitForText('The job continues when you close this page.');
    const { path } = visit;
    await visit.page.close();
    await work();
    expect(await countAttempts(tenant)).toEqual({ corrected: EQUAL_ERRORS, attempts: 2 * EQUAL_ERRORS });
    expect(actions).toBeLessThanOrEqual(ACTIONS_MAX);
    await site.service.settle();
    const later = await visit.openTab(`${basePath}/bulk`);
    await later.page.getByRole('link', { name: `Correct Buyer’s TIN in ${EQUAL_ERRORS} documents` }).click();
    await later.waitForText(`${EQUAL_ERRORS} sent`);
    expect(later.path).toBe(path);
    await later.waitUntilSettled();
    await later.expectUsable();
    const [file] = await Promise.all([
      later.page.waitForEvent('download'),
      later.page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('bulk-job.csv');
    await later.setAppearance({ isPhone: true, isDark: true });
    await later.expectFit();
    await later.expectUsable();
    await visit.close();
  });

  it('shows invalid documents before anything is sent, by keyboard alone', async () => {
    const { visit, tenant } = await openWith(['SIM-INVALID-CF358-1', 'SIM-INVALID-CF358-2']);
    const { page } = visit;
    await page.getByRole('link', { name: /^Needs action/ }).press('Enter');
    await page.getByRole('button', { name: 'Correct all' }).press('Enter');
    await visit.field('New value').waitFor();
    await expect.poll(() => page.evaluate<string>(`document.activeElement.tagName`)).toBe('INPUT');
    await page.keyboard.type('C1');
    await page.keyboard.press('Enter');
    await visit.heading(/^Correct Buyer’s TIN/);
    await work();
    await visit.waitForText('2 not sent because they would be refused');
    await visit.waitForText(/^Buyer’s TIN: /);
    await visit.waitUntilSettled();
    await visit.expectUsable();
    expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0);
    expect(await countAttempts(tenant)).toEqual({ corrected: 0, attempts: 2 });
    await visit.close();
  });
});

describe('bulk correction of a field with options', () => {
  it('offers the same options as the form', async () => {
    const { visit, basePath } = await openWith(['SIM-INVALID-CF358-1', 'SIM-INVALID-CF358-2']);
    await visit.show(`${basePath}/needs-action`);
    await visit.press('Correct all');
    for (const [field, choice, shown] of [
      ['Buyer’s country', 'Singapore', 'Singapore'],
      ['Buyer’s kind', 'Company', 'Company'],
      ['classification', '022', '022 Others'],
      ['Buyer’s state', 'Johor', 'Johor'],
    ]) {
      await visit.choose('Field', field);
      expect(await visit.field('New value').first().inputValue()).toBe('');
      await visit.choose('New value', choice);
      expect(await visit.field('New value').first().inputValue()).toBe(shown);
    }
    await visit.expectUsable();
    await visit.press('Check');
    await visit.heading(/^Correct Buyer’s state/);
    await work();
    await visit.page.getByRole('button', { name: 'Send 2 documents for 2 credits' }).waitFor();
    await visit.close();
  });
});

describe('bulk correction of a filtered list', () => {
  it('sends each failed document once, even if the job is paused and resumed', async () => {
    const { visit, tenant, basePath } = await openWith([
      'SIM-INVALID-CF358-1',
      'SIM-INVALID-CF358-2',
      'SIM-INVALID-CF321-1',
      'A-1',
    ]);
    const { page } = visit;
    await visit.show(`${basePath}/transactions?q=sim-invalid-cf358`);
    await visit.press('Actions');
    await page.getByRole('menuitem', { name: 'Correct all failed documents' }).click();
    await visit.choose('Field', 'Buyer’s TIN');
    await visit.fill('New value', 'C5555555550');
    await visit.press('Check');
    await visit.heading('Correct Buyer’s TIN in 2 documents');
    await work();
    await visit.press('Send 2 documents for 2 credits');
    await visit.press('Pause');
    await visit.waitForText(/^Paused by \S+@/);
    await work();
    expect(await countAttempts(tenant)).toEqual({ corrected: 0, attempts: 4 });
    await visit.waitUntilSettled();
    await visit.expectUsable();
    await visit.press('Continue');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await work();
    await visit.waitForText('2 sent');
    expect(await countAttempts(tenant)).toEqual({ corrected: 2, attempts: 6 });
    await visit.close();
  });
});

describe('bulk cancellation', () => {
  it('cancels the valid documents of a list with a reason', async () => {
    const { visit, basePath } = await openWith(['A-1', 'A-2', 'SIM-INVALID-CF358-1']);
    await visit.waitUntilSettled();
    await visit.go(`${basePath}/transactions`);
    await visit.press('Actions');
    await visit.page.getByRole('menuitem', { name: 'Cancel all valid documents' }).click();
    await visit.press('Check');
    await visit.waitForText('Enter the reason for the cancellation');
    await visit.fill('Reason', 'Issued twice');
    await visit.press('Check');
    await visit.heading('Cancel 2 documents');
    await work();
    await visit.page.getByRole('button', { name: 'Cancel 2 documents for 2 credits' }).press('Enter');
    await visit.waitForText('The job continues when you close this page.');
    await expect.poll(() => visit.page.evaluate<string>('document.activeElement.innerText')).toBe('Cancel 2 documents');
    await work();
    await site.service.settle();
    await visit.waitForText('2 sent');
    await expect.poll(() => visit.page.getByText('Cancelled', { exact: true }).count()).toBe(2);
    await visit.expectUsable();
    await visit.close();
  });
});
