import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue } from '../support/client.js';
import { PASSWORD, signUp } from '../support/dashboard.js';
import { creditNote, invoice } from '../support/documents.js';
import { completeProfile, join, newEmail, createOperator } from '../support/people.js';
import { TestService } from '../support/service.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

let site: Site;
let service: TestService;
beforeAll(async () => {
  site = await Site.start();
  ({ service } = site);
});
afterAll(() => site.stop());

async function enter(path: string, email: string): Promise<Visit> {
  const visit = await site.open(path);
  await visit.fill('E-mail address', email);
  await visit.fill('Password', PASSWORD);
  await visit.press('Sign in');
  await visit.page.getByRole('button', { name: /^Account/ }).waitFor();
  return visit;
}

/** Opens the list of an organisation that has submitted documents through the API. */
async function trader(...documents: object[]) {
  const { email, tenantId, browser } = await signUp(service);
  await completeProfile(service, tenantId);
  const tenant = { tenantId, apiKey: await insertKey(service.owner, tenantId) };
  const batches = [];
  for (const document of documents) {
    batches.push(await issue(service, tenant, document));
    await service.settle();
  }
  const path = `/o/${tenantId}/sandbox/transactions`;
  return { email, tenantId, browser, tenant, batches, visit: await enter(path, email) };
}

describe('new organisation', () => {
  it('signs up, sends and cancels a document entirely in the dashboard', async () => {
    const email = newEmail();
    const visit = await site.open('/sign-up');
    await visit.fill('Organisation', 'Kedai Baru Sdn Bhd');
    await visit.fill('Your name', 'Aisyah Rahman');
    await visit.fill('E-mail address', email);
    await visit.fill('Password', PASSWORD);
    await visit.press('Sign up');
    await visit.heading('Getting started');
    await visit.expectUsable();
    await fillProfile(visit);
    await visit.press('Check the appointment');
    await visit.waitForText('The authority lets us act for your TIN.');
    await visit.press('Continue');
    await visit.press('Skip this step');
    await visit.waitForText('No credits yet');
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: 'Order credits' }).click();
    await orderCredits(visit, 10);
    await confirmOrder('Kedai Baru Sdn Bhd');
    await visit.page.reload();
    await visit.waitForText(/10 credits|^10$/);
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: 'Getting started' }).click();
    await visit.press('Skip this step');
    await visit.press('Send (1 credit)');
    await visit.waitForText('Accepted and charged');
    await service.settle();
    await visit.waitForText('The authority found it valid.');
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: 'Open the document' }).first().click();
    await cancelDocument(visit);
    await visit.close();
  });
});

async function fillProfile(visit: Visit): Promise<void> {
  // An invalid value is reported next to its field, and the other fields keep their values.
  await visit.fill('Taxpayer identification number \\(TIN\\)', 'X1');
  await visit.fill('Number of the id', '201901234567');
  await visit.press('Save and continue');
  await visit.waitForText(/such as C/);
  await visit.fill('Taxpayer identification number \\(TIN\\)', 'C20990051040');
  await visit.press('Save and continue');
  await visit.fill('Address', 'Lot 66');
  await visit.fill('City', 'Kuala Lumpur');
  await visit.fill('Postcode', '50480');
  await visit.choose('State', 'Kuala Lumpur');
  await visit.fill('Phone', '+60312345678');
  await visit.expectUsable();
  await visit.press('Save and continue');
  await visit.choose('Industry \\(MSIC\\)', 'computer hardware');
  await visit.fill('Business activity', 'Wholesale of computer hardware');
  await visit.press('Save and continue');
}

async function orderCredits(visit: Visit, credits: number): Promise<void> {
  await visit.page.getByRole('button', { name: 'Order credits' }).first().click();
  await visit.fill('Credits', String(credits));
  await visit.press('Order');
  await visit.waitForText('Waiting for payment');
}

async function confirmOrder(organisation: string): Promise<void> {
  const { email } = await createOperator(service);
  const visit = await enter('/operator/orders', email);
  await visit.page.getByRole('button', { name: new RegExp(`^Confirm payment of ${organisation}`) }).click();
  await visit.expectUsable();
  await visit.page.getByRole('dialog').getByRole('button', { name: 'Grant the credits' }).click();
  await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
  await visit.expectUsable();
  await visit.close();
}

async function cancelDocument(visit: Visit): Promise<void> {
  await visit.press('Cancel document');
  await visit.waitForText(/left\.$/);
  await visit.fill('Reason', 'Wrong buyer');
  await visit.expectUsable();
  await visit.press('Cancel it for 1 credit');
  await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
  await service.settle();
  await visit.page.reload();
  await visit.waitForText('Cancelled');
  await visit.expectUsable();
}

describe('invalid document', () => {
  it('is found, corrected and resubmitted until it is valid', async () => {
    const wrong = 'F9D425P6DS7D8IU0123456789A';
    const { visit, batches } = await trader(
      invoice({ referenceId: 'INV-1' }),
      creditNote({ referenceId: 'OLD-1', authorityUuid: wrong }, { referenceId: 'CN-1' }),
    );
    expect(batches).toHaveLength(2);
    await visit.choose('Status', 'Invalid');
    await visit.page.getByRole('link', { name: 'CN-1' }).click();
    await visit.heading(/CN-1/);
    await visit.waitForText('DR301');
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: 'Correct and resubmit' }).click();
    await visit.fill('Parent invoice’s number', 'INV-1');
    await visit.fill('Parent invoice’s UUID at the authority', 'short');
    await visit.press('Send for 1 credit');
    await visit.waitForText(/26 letters and digits/);
    await visit.expectUsable();
    await visit.fill('Parent invoice’s UUID at the authority', '');
    await visit.press('Send for 1 credit');
    await visit.page.waitForURL(/batch/);
    await service.settle();
    await visit.page.reload();
    await visit.waitForText('Valid');
    await visit.close();
  });
});

describe('viewer', () => {
  it('can read all pages but change nothing', async () => {
    const { browser, tenantId, batches } = await trader(invoice());
    const [{ transactionId }] = batches[0].documents;
    const viewer = await join(service, browser, `/organisations/${tenantId}`, 'viewer');
    const base = `/o/${tenantId}`;
    const visit = await enter(`${base}/sandbox/transactions/${transactionId}`, viewer.email);
    await visit.waitForText('Valid');
    for (const path of [`/sandbox/transactions/${transactionId}`, '/keys', '/credits', '/members', '/profile']) {
      await visit.go(`${base}${path}`);
      await visit.page.getByRole('heading', { level: 1 }).waitFor();
      await visit.page.getByRole('main').getByText(/\w/).first().waitFor();
      for (const name of ['Cancel document', 'Create key', 'Order credits', 'Invite', 'Save']) {
        expect(await visit.page.getByRole('button', { name, exact: true }).count(), `${path} ${name}`).toBe(0);
      }
      await visit.expectUsable();
    }
    await visit.close();
  });
});

describe('another organisation', () => {
  it('is indistinguishable from a URL that does not exist', async () => {
    const other = await signUp(service);
    const { visit } = await trader(invoice());
    for (const path of ['', '/keys', '/credits', '/members', '/sandbox/transactions', '/sandbox/overview']) {
      await visit.go(`/o/${other.tenantId}${path}`);
      await visit.heading('This page was not found');
    }
    await visit.go('/operator/orders');
    await visit.heading('This page was not found');
    await visit.close();
  });
});
