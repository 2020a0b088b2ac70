import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accept } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { invoice, line } from '../support/documents.js';
import { completeProfile } from '../support/people.js';
import { replaceCode } from '../support/replace-code.js';
import { insertKey } from '../support/tenants.js';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

// Markup reveals a page that does not escape it.
const REFUSED = '<b>999</b>';

describe('authority error', () => {
  it('shows the field with its rejected and required values, and links to the form', async () => {
    const { service } = site;
    const { email, tenantId } = await signUp(service);
    await completeProfile(service, tenantId);
    const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
    const lineItems = [line, { ...line, classification: '022' }];
    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId: 'INV-1', lineItems })]);
    await replaceCode(service, submissionBatchId, ['lineItems', '1', 'classification'], REFUSED);
    await service.settle();
    const base = `/o/${tenantId}/sandbox`;
    const visit = await site.open(`${base}/transactions`);
    await visit.signIn(email);
    await visit.page.getByRole('link', { name: 'INV-1', exact: true }).click();
    await visit.heading(/INV-1/);
    await visit.page.getByText('Line 2, classification').waitFor();
    const finding = await visit.page.getByRole('region', { name: 'Errors' }).innerText();
    expect(finding).toContain(`You sent: ${REFUSED}`);
    expect(finding).toContain('What to do: Send classification as another code of the list, such as 022 (others).');
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: 'Correct and resubmit' }).click();
    await visit.heading('Resubmit INV-1');
    await visit.page.getByText(`You sent: ${REFUSED}`).waitFor();
    await visit.press('Go to the field');
    expect(await visit.page.evaluate<string>('document.activeElement.dataset.path')).toBe(
      'documents.0.lineItems.1.classification',
    );
    await visit.expectUsable();
    await visit.close();
  });
});
