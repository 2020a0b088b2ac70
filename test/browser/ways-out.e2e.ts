import { afterAll, beforeAll, expect, it } from 'vitest';
import { signUp } from '../support/dashboard.js';
import { completeProfile } from '../support/people.js';
import { Site } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

const NO_ONE = '00000000-0000-4000-8000-000000000000';

async function createOwner(): Promise<{ email: string; tenantId: string }> {
  const { email, tenantId } = await signUp(site.service);
  await completeProfile(site.service, tenantId);
  return { email, tenantId };
}

it('missing organisation, page, document or list page is explained with a link elsewhere', async () => {
  const { email, tenantId } = await createOwner();
  const here = `/o/${tenantId}/sandbox`;
  const visit = await site.open(`/o/${NO_ONE}/sandbox/overview`);
  await visit.signIn(email).catch(() => undefined);
  await visit.heading('This page was not found');
  await visit.expectUsable();
  await visit.page.getByRole('link', { name: 'Go to the start page' }).click();
  await visit.heading('Overview');
  await visit.go(`${here}/nothing`);
  await visit.heading('This page was not found');
  await visit.go(here);
  await visit.heading('Overview');
  for (const path of [
    `${here}/transactions/${NO_ONE}`,
    `${here}/transactions/${NO_ONE}/resubmit`,
    `${here}/transactions/x`,
  ]) {
    await visit.go(path);
    await visit.waitForText('This document was not found');
    expect(await visit.page.getByRole('button', { name: 'Try again' }).count(), path).toBe(0);
    await visit.expectUsable();
    await visit.page.getByRole('link', { name: 'Go to the documents' }).click();
    await visit.heading('Documents');
  }
  await visit.go(`${here}/bulk/${NO_ONE}`);
  await visit.waitForText('This bulk job was not found');
  await visit.expectUsable();
  await visit.page.getByRole('link', { name: 'Go to the bulk jobs' }).click();
  await visit.heading('Bulk jobs');
  const beyond = Buffer.from(NO_ONE).toString('base64url');
  for (const cursor of ['x', beyond]) {
    for (const list of [`${here}/transactions`, `${here}/batches`, `/o/${tenantId}/audit`, `/o/${tenantId}/keys`]) {
      await visit.go(`${list}?pages=${encodeURIComponent(JSON.stringify([cursor]))}`);
      await visit.waitForText('This page of the list no longer exists');
      expect(await visit.page.getByRole('main').innerText(), list).not.toContain('/cursor');
      await visit.expectUsable();
      await visit.press('Go to the first page');
      await visit.page.getByText('This page of the list no longer exists').waitFor({ state: 'detached' });
    }
  }
  await visit.close();
});

it('service failure is shown with a way to recover, and the input is kept', async () => {
  const { email, tenantId } = await createOwner();
  const visit = await site.open(`/o/${tenantId}/sandbox/send`);
  await visit.signIn(email);
  await visit.fill('Invoice number', 'INV-1');
  await visit.context.setOffline(true);
  // The code of this page has not been loaded yet, and the service is down.
  await visit.page.getByRole('link', { name: 'Members' }).click();
  await visit.heading('This page could not be shown');
  await visit.waitForText('Part of the dashboard could not be loaded');
  expect(await visit.page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
  await visit.page.goBack();
  await expect.poll(() => visit.field('Invoice number').inputValue()).toBe('INV-1');
  await visit.context.setOffline(false);
  await visit.page.getByRole('link', { name: 'Members' }).click();
  await visit.heading(/Members|This page could not be shown/);
  if ((await visit.page.getByRole('heading', { level: 1 }).innerText()) !== 'Members') await visit.press('Try again');
  await visit.heading('Members');
  await visit.close();
});

it('missing network is reported, and the form is not sent automatically later', async () => {
  const { email, tenantId } = await createOwner();
  const visit = await site.open(`/o/${tenantId}/sandbox/send`);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  await visit.fill('Invoice number', 'INV-1');
  let sends = 0;
  await visit.page.route('**/submissions', (route) => {
    sends += 1;
    return route.continue();
  });
  await visit.context.setOffline(true);
  await visit.press('Send (1 credit)');
  await visit.waitForText('It is unknown whether this has arrived');
  const before = sends;
  await visit.context.setOffline(false);
  await visit.waitUntilSettled();
  expect(sends).toBe(before);
  await visit.press('Send it again');
  await visit.waitForText('The document was not sent. Correct the marked fields.');
  expect(sends).toBe(before + 1);
  await visit.context.setOffline(true);
  await visit.close();
});

it.each([
  ['502 of a proxy', { status: 502, contentType: 'text/html', body: '<h1>502 Bad Gateway</h1>' }],
  ['503 of a proxy', { status: 503, contentType: 'text/plain', body: 'no upstream' }],
])('alert of a %s has a retry button', async (_, response) => {
  const { email, tenantId } = await createOwner();
  const visit = await site.open(`/o/${tenantId}/members`);
  await visit.signIn(email);
  await visit.waitForText('(you)');
  await visit.page.route('**/api/dashboard/**', (route) => route.fulfill(response));
  await visit.page.reload();
  await visit.heading('This page could not be shown');
  await visit.waitForText('The response did not come from the service');
  expect(await visit.page.getByRole('main').count()).toBe(1);
  expect(await visit.page.getByRole('link', { name: 'Go to the start page' }).isVisible()).toBe(true);
  visit.complaints.length = 0;
  await visit.expectUsable();
  await visit.page.unroute('**/api/dashboard/**');
  await visit.press('Try again');
  await visit.waitForText('(you)');
  await visit.page.route('**/api/dashboard/**/credits**', (route) => route.fulfill(response));
  await visit.page.getByRole('link', { name: 'Credits' }).click();
  await visit.waitForText('The response did not come from the service');
  await visit.page.unroute('**/api/dashboard/**/credits**');
  // Each failed section of the page has its own button.
  const retry = visit.page.getByRole('button', { name: 'Try again' });
  for (let left = await retry.count(); left > 0; left -= 1) {
    await retry.first().click();
    await expect.poll(() => retry.count()).toBe(left - 1);
  }
  await visit.close();
});
