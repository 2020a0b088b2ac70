import { afterAll, beforeAll, expect, it } from 'vitest';
import { accept } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { completeProfile, createOperator } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

// Enough dispatcher rounds to look up a lost response.
const ROUNDS = 8;
const ROUND_SECONDS = 15;
const STOPPED = 'Our connection to the tax authority is stopped';
const TITLE = 'The tax authority does not respond';

interface Shop {
  readonly email: string;
  readonly tenantId: string;
}

/** Creates an organisation with a waiting document. */
async function openShop(): Promise<Shop> {
  const { email, tenantId } = await signUp(site.service);
  await completeProfile(site.service, tenantId);
  const tenant = { tenantId, apiKey: await insertKey(site.service.owner, tenantId) };
  await accept(site.service, tenant, [invoice()]);
  return { email, tenantId };
}

/** Makes the authority unavailable. Documents sent in the meantime are in doubt. */
async function breakDown(): Promise<void> {
  const calls = ['token', 'submit', 'search', 'getSubmission'];
  await site.service.control(
    'faults',
    calls.map((api) => ({ when: { api }, fault: 'http-503', times: 1_000 })),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    await site.service.tick('submit');
    await site.service.tick('reconcile');
    await site.service.advance(ROUND_SECONDS);
  }
}

async function endFaults(): Promise<void> {
  await fetch(`${site.service.simulator.url}/_control/faults`, { method: 'DELETE' });
  await site.service.settle();
}

async function hasGone(visit: Visit, title: string): Promise<void> {
  await visit.page.getByText(title).waitFor({ state: 'detached' });
}

it('outage is shown on every page of owners and operators until it ends', async () => {
  const { service } = site;
  const { email, tenantId } = await openShop();
  const before = await site.open(`/o/${tenantId}/sandbox/transactions`);
  await before.signIn(email);
  await before.waitUntilSettled();
  expect(await before.page.getByText(TITLE).count()).toBe(0);
  await before.close();
  await breakDown();
  // Clears state in memory.
  await service.restart();
  const visit = await site.open(`/o/${tenantId}/sandbox/transactions`);
  await visit.signIn(email);
  const banner = visit.page.getByRole('alert').filter({ hasText: `${TITLE} (sandbox)` });
  await banner
    .getByText(/^Since .*Documents are sent, outcomes arrive,? and cancellations are sent as soon as it responds again/)
    .waitFor();
  await banner.getByText('Do not send documents a second time').waitFor();
  const [{ since }] = await service.owner.query<{ since: Date }[]>(
    `SELECT min(blocked_since) AS since FROM call_budget`,
  );
  expect(await banner.locator('time').getAttribute('datetime')).toBe(since.toISOString());
  await visit.expectUsable();
  await visit.page.getByRole('link', { name: 'Members' }).click();
  await visit.heading('Members');
  await banner.waitFor();

  const operator = await site.open('/operator/queue');
  await operator.signIn((await createOperator(service)).email);
  const queue = operator.page.getByRole('region', { name: 'Waiting documents and cancellations' });
  await queue.getByText('The authority does not respond').waitFor();
  await operator.page.getByRole('alert').filter({ hasText: TITLE }).getByText('outage ends by itself').waitFor();
  await operator.expectUsable();
  await operator.page.getByRole('link', { name: 'See the calls' }).click();
  await operator.heading('Authority');

  await endFaults();
  await Promise.all([hasGone(visit, TITLE), hasGone(operator, TITLE)]);
  await Promise.all([visit.close(), operator.close()]);
});

it('stopped dispatcher is reported until one runs again', async () => {
  const { service } = site;
  const { email, tenantId } = await openShop();
  await service.tick('housekeeping');
  const visit = await site.open(`/o/${tenantId}/profile`);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  expect(await visit.page.getByText(STOPPED).count()).toBe(0);
  await service.advance(6 * 60);
  await visit.waitForText(STOPPED);
  await visit.expectUsable();
  await service.tick('housekeeping');
  await hasGone(visit, STOPPED);
  await visit.close();
});

it('queue shows why each organisation waits', async () => {
  const { service } = site;
  await service.settle();
  const operator = await site.open('/operator/queue');
  await operator.signIn((await createOperator(service)).email);
  const shops = await Promise.all([openShop(), openShop()]);
  const names = await Promise.all(
    shops.map(async ({ tenantId }) => {
      const [{ tin }] = await service.owner.query<{ tin: string }[]>('SELECT tin FROM tenant WHERE tenant_id = $1', [
        tenantId,
      ]);
      return tin;
    }),
  );
  await service.control('taxpayers', { tin: names[0], appointed: false });
  const texts = async (): Promise<string[]> => {
    await operator.page.reload();
    await operator.waitUntilSettled();
    const rows = operator.page.getByRole('region', { name: 'Waiting documents and cancellations' }).getByRole('row');
    return (await rows.allInnerTexts()).slice(1);
  };
  expect((await texts()).filter((text) => text.includes('Nothing: it is sent in turn'))).toHaveLength(2);
  while ((await service.tick('submit')) > 0);
  const held = await texts();
  expect(held.filter((text) => text.includes('The organisation has not appointed us'))).toHaveLength(1);
  expect(held.filter((text) => text.includes('The authority has not decided yet'))).not.toEqual([]);
  await operator.expectUsable();
  await operator.close();
  // The document page shows the owner what to do.
  const [{ id }] = await service.owner.query<{ id: string }[]>(
    'SELECT id FROM document_transaction WHERE tenant_id = $1',
    [shops[0].tenantId],
  );
  const owner = await site.open(`/o/${shops[0].tenantId}/sandbox/transactions/${id}`);
  await owner.signIn(shops[0].email);
  const waiting = owner.page.getByRole('alert').filter({ hasText: 'Waiting' });
  await waiting.getByText('Appoint this service as intermediary').waitFor();
  await waiting.getByText('is then sent automatically').waitFor();
  await owner.close();
});
