import { afterAll, beforeAll, expect, it } from 'vitest';
import { issue } from '../support/client.js';
import { PASSWORD } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { newEmail } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  // Default credits of a new organisation.
  site = await Site.start({ environment: { SIGN_UP_SANDBOX_CREDITS: '200' } });
});
afterAll(() => site.stop());

const STOPS_MAX = 100;

const FOCUSED = `(() => {
  const { activeElement: focused } = document;
  return focused.labels?.[0]?.innerText ?? focused.getAttribute('aria-label') ?? focused.innerText;
})()`;

/** Presses Tab until an element with this name has the focus. */
async function tabTo({ page }: Visit, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(FOCUSED);
    if (name.test(focused)) return;
    passed.push(focused);
  }
  throw new Error(`No Tab leads to ${name}; it passed ${passed.join(' | ')}`);
}

async function type(visit: Visit, label: RegExp, text: string): Promise<void> {
  await tabTo(visit, label);
  await visit.page.keyboard.type(text);
}

/** Types into a field with options and selects the first match. The message of an empty list is a disabled option. */
async function choose(visit: Visit, label: RegExp, text: string): Promise<void> {
  await type(visit, label, text);
  await visit.page.getByRole('option', { disabled: false }).first().waitFor();
  await visit.page.keyboard.press('ArrowDown');
  await visit.page.keyboard.press('Enter');
}

async function press(visit: Visit, name: RegExp): Promise<void> {
  await tabTo(visit, name);
  await visit.page.keyboard.press('Enter');
}

async function signUpAndOnboard(visit: Visit): Promise<void> {
  await type(visit, /^Organisation/, 'Kedai Papan Kekunci Sdn Bhd');
  await type(visit, /^Your name/, 'Aisyah Rahman');
  await type(visit, /^E-mail address/, newEmail());
  await type(visit, /^Password/, PASSWORD);
  await visit.page.keyboard.press('Enter');
  await visit.heading('Getting started');
  await type(visit, /^Taxpayer identification number/, 'C20990051040');
  await type(visit, /^Number of the id/, '201901234567');
  await press(visit, /^Save and continue/);
  await visit.field('Address').waitFor();
  await type(visit, /^Address/, 'Lot 66');
  await type(visit, /^City/, 'Kuala Lumpur');
  await type(visit, /^Postcode/, '50480');
  await choose(visit, /^State/, 'Kuala Lumpur');
  await type(visit, /^Phone/, '+60312345678');
  await press(visit, /^Save and continue/);
  await visit.field('Business activity').waitFor();
  await choose(visit, /^Industry/, 'computer hardware');
  await type(visit, /^Business activity/, 'Wholesale of computer hardware');
  await press(visit, /^Save and continue/);
  await visit.page.getByRole('button', { name: 'Check the appointment' }).waitFor();
  await press(visit, /^Check the appointment/);
  await visit.waitForText('The authority lets us act for your TIN.');
}

it('keyboard alone is sufficient from sign-up to a bulk correction', async () => {
  const { service } = site;
  const visit = await site.open('/sign-up');
  await visit.heading('Sign up');
  await signUpAndOnboard(visit);
  const tenantId = visit.path.split('/')[2];
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  const references = ['SIM-INVALID-CF358-1', 'SIM-INVALID-CF358-2'];
  await issue(service, tenant, ...references.map((referenceId) => invoice({ referenceId })));
  await visit.page.reload();
  await visit.waitUntilSettled();
  await press(visit, /^Needs action/);
  await visit.waitForText('Correct all');
  await press(visit, /^Correct all/);
  await visit.field('New value').waitFor();
  await type(visit, /^New value/, 'C5555555550');
  await visit.page.keyboard.press('Enter');
  await visit.heading(/^Correct Buyer’s TIN/);
  while ((await service.tick('bulk')) > 0);
  await visit.page.getByRole('button', { name: /^Send 2 documents/ }).waitFor();
  await press(visit, /^Send 2 documents for 2 credits/);
  await visit.waitForText('The job continues when you close this page.');
  while ((await service.tick('bulk')) > 0);
  await visit.waitForText('2 sent');
  const corrected = await service.owner.query<object[]>(
    `SELECT reference_id AS "referenceId" FROM document_transaction
      WHERE tenant_id = $1 AND attempt = 2 AND buyer_tin = 'C5555555550' ORDER BY reference_id`,
    [tenantId],
  );
  expect(corrected).toEqual(references.map((referenceId) => ({ referenceId })));
  expect(visit.complaints).toEqual([]);
  await visit.close();
});
