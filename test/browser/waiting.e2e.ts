import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accept } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { completeProfile, createOperator } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

const SLOW = 'SIM-SLOW-1200-1';

describe('document without an outcome', () => {
  it('is counted as waiting and listed when it is late', async () => {
    const { service } = site;
    const { email, tenantId } = await signUp(service);
    await completeProfile(service, tenantId);
    const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
    await accept(service, tenant, [invoice({ referenceId: SLOW })]);
    while ((await service.tick('submit')) > 0);
    const visit = await site.open(`/o/${tenantId}/sandbox/overview`);
    await visit.signIn(email);
    await visit.waitForText('1 at the authority');
    expect(await visit.page.getByText('every document has an outcome').count()).toBe(0);
    expect(await visit.page.getByText('longer than usual').count()).toBe(0);
    await service.advance(16 * 60);
    await visit.page.reload();
    await visit.waitForText('1 document waits longer than usual');
    await visit.expectUsable();
    await visit.page.getByRole('alert').getByRole('link', { name: SLOW }).click();
    await visit.heading(new RegExp(SLOW));

    const operator = await site.open('/operator/queue');
    await operator.signIn((await createOperator(service)).email);
    const table = operator.page.getByRole('region', { name: 'Waiting documents and cancellations' });
    const readRow = async (): Promise<Record<string, string>> => {
      const headers = await table.getByRole('columnheader').allInnerTexts();
      const cells = await table.getByRole('cell').allInnerTexts();
      return Object.fromEntries(headers.map((header, index) => [header, cells[index]]));
    };
    await expect.poll(readRow).toMatchObject({ 'At the authority': '1', 'Later than usual': '1' });
    await operator.expectUsable();

    await service.advance(5 * 60);
    await service.settle();
    await visit.go(`/o/${tenantId}/sandbox/overview`);
    await visit.waitForText('every document has an outcome');
    expect(await visit.page.getByText('longer than usual').count()).toBe(0);
    await operator.page.reload();
    await operator.waitForText('The queue is empty');
    await Promise.all([visit.close(), operator.close()]);
  });
});
