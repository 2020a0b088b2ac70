import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issue } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { creditNote, invoice } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

describe('plain HTTP from another machine', () => {
  let tenantId: string;
  let visit: Visit;
  beforeEach(async () => {
    const { service } = site;
    const owner = await signUp(service);
    ({ tenantId } = owner);
    await completeProfile(service, tenantId);
    const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
    const unknownParent = { referenceId: 'OLD-1', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };
    for (const document of [invoice({ referenceId: 'INV-1' }), creditNote(unknownParent, { referenceId: 'CN-1' })]) {
      await issue(service, tenant, document);
      await service.settle();
    }
    visit = await site.open(`/o/${tenantId}/sandbox/transactions`, { isRemote: true });
    await visit.signIn(owner.email);
    expect(await visit.page.evaluate('isSecureContext')).toBe(false);
    return () => visit.close();
  });

  it('supports cancelling a document', async () => {
    await visit.page.getByRole('link', { name: 'INV-1' }).click();
    await visit.press('Cancel document');
    await visit.fill('Reason', 'Wrong buyer');
    await visit.press('Cancel it for 1 credit');
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    await site.service.settle();
    await visit.page.reload();
    await visit.waitForText('Cancelled');
    await visit.expectUsable();
  });

  it('supports correcting and resubmitting a document', async () => {
    await visit.page.getByRole('link', { name: 'CN-1' }).click();
    await visit.page.getByRole('link', { name: 'Correct and resubmit' }).click();
    await visit.fill('Parent invoice’s number', 'INV-1');
    await visit.fill('Parent invoice’s UUID at the authority', '');
    await visit.press('Send for 1 credit');
    await visit.page.waitForURL(/batch/);
    await visit.expectUsable();
  });

  it('copies a value or explains how to copy it', async () => {
    await visit.page.getByRole('link', { name: 'INV-1' }).click();
    const copy = visit.page.getByRole('button', { name: /^Copy the validation link/ });
    const link = await visit.page.locator('pre', { hasText: 'http' }).innerText();
    await copy.click();
    await visit.page.getByRole('button', { name: 'Copied the validation link' }).waitFor();
    await visit.go(`/o/${tenantId}/sandbox/transactions`);
    const field = visit.field('Search');
    await field.evaluate((input) => input.removeAttribute('maxlength'));
    await field.focus();
    await visit.page.keyboard.press('Control+V');
    expect(await field.inputValue()).toBe(link);
    await visit.page.goBack();
    await visit.page.evaluate('document.execCommand = () => false');
    await copy.click();
    await visit.waitForText('copy it with Ctrl+C');
    expect(await visit.page.evaluate('String(getSelection())')).toBe(link);
    await visit.expectUsable();
  });
});
