import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator/simulator.js';
import { exampleEntry } from '../../simulator/testing/example-documents.js';
import { TestClient, control, requestToken } from '../../simulator/testing/test-client.js';
import { Visit } from './site.js';

// Token for the control page (docs/simulator.md).

const controlToken = 'a-token-of-20-letters';
const supplierName = 'AccountingSupplierParty.0.Party.0.PartyLegalEntity.0.RegistrationName.0._';
const hostileName = `</td><img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
const longName = 'Perusahaan'.repeat(12);

// Whether the page is prevented from creating a script from text.
const REFUSES_SCRIPT = `(() => {
  try {
    document.createElement('script').text = "document.title = 'run'";
    return false;
  } catch {
    return true;
  }
})()`;

let browser: Browser;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: inject('chromium'), args: ['--no-sandbox'] });
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => browser.close());

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ settings: { validationDelayMs: 0 }, ...options });
  closing.push(() => simulator.close());
  return simulator;
}

async function open({ url }: Simulator, { isPhone = false, isDark = false } = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: isPhone ? { width: 360, height: 740 } : { width: 1280, height: 800 },
    colorScheme: isDark ? 'dark' : 'light',
    locale: 'en-GB',
  });
  context.setDefaultTimeout(20_000);
  const visit = new Visit(context, await context.newPage(), `${url}/_control`);
  closing.push(() => visit.close());
  await visit.go('/');
  return visit;
}

it('simulator page shows new documents and calls while it is open', async () => {
  const simulator = await start();
  const visit = await open(simulator);
  await visit.waitForText('No document was accepted yet.');
  const client = await TestClient.login(simulator.url);
  await client.accept(exampleEntry({ number: 'SIM-INVALID-CV302-1' }));
  const row = visit.page.getByRole('row', { name: 'SIM-INVALID-CV302-1' });
  await row.getByText('Invalid', { exact: true }).waitFor();
  await row.getByText('CV302: ').waitFor();
  await visit.page.getByRole('table', { name: 'calls' }).getByRole('cell', { name: 'submit' }).waitFor();
  await visit.press('SIM-INVALID-CV302-1');
  await visit.page.getByRole('region', { name: 'Content of the document' }).getByText('"LegalMonetaryTotal"').waitFor();
  await visit.expectUsable();
  await visit.press('Close');
  expect(await visit.page.evaluate<string>('document.activeElement.textContent')).toBe('SIM-INVALID-CV302-1');
});

it('simulator page escapes content from requests', async () => {
  const simulator = await start();
  const client = await TestClient.login(simulator.url);
  await client.accept(exampleEntry({ set: { [supplierName]: hostileName } }));
  await control(simulator.url, 'faults', [{ when: { api: 'submit', referenceId: hostileName }, fault: 'late' }]);
  const visit = await open(simulator);
  await visit.page.getByRole('cell', { name: `${hostileName} (C1234567890)` }).waitFor();
  await visit.page.getByRole('cell', { name: hostileName, exact: true }).waitFor();
  expect(await visit.page.locator('img, td script').count()).toBe(0);
  expect(await visit.page.title()).toBe('MyInvois simulator');
  await visit.expectUsable();
});

it('simulator page has a policy that blocks foreign scripts', async () => {
  const visit = await open(await start());
  await visit.waitForText('No call was made yet.');
  const isRefused = await visit.page.evaluate<boolean>(REFUSES_SCRIPT);
  expect(isRefused).toBe(true);
  await visit.page.evaluate(() => fetch('http://127.0.0.1:1/').catch(() => undefined));
  expect(visit.complaints.join('\n')).toContain("connect-src 'self'");
});

it('simulator page sets and removes faults', async () => {
  const simulator = await start();
  const visit = await open(simulator);
  await visit.page.getByLabel('Call', { exact: true }).selectOption('token');
  await visit.page.getByLabel('Fault', { exact: true }).selectOption('login-403');
  await visit.waitForText('The login is refused with 403 and a JSON body.');
  await visit.page.getByLabel('Times').fill('2');
  await visit.press('Add fault');
  await visit.waitForText('The fault is set.');
  await visit.expectUsable();
  expect((await requestToken(simulator.url)).status).toBe(403);
  await visit.press('Remove all faults');
  await visit.waitForText('No fault is set.');
  expect((await requestToken(simulator.url)).status).toBe(200);
});

it('simulator page offers only the faults that a call supports', async () => {
  const simulator = await start();
  const visit = await open(simulator);
  const choices = visit.page.getByLabel('Fault', { exact: true }).locator('option');
  await visit.page.getByLabel('Call', { exact: true }).selectOption('details');
  const offered = await choices.allTextContents();
  expect(offered).toContain('not-found');
  expect(offered).not.toContain('stuck');
  const answers = offered.map((fault) => control(simulator.url, 'faults', [{ when: { api: 'details' }, fault }]));
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
});

it('simulator page asks for the control token if one is configured', async () => {
  const visit = await open(await start({ controlToken }));
  await visit.fill('Control token', 'not-the-token-at-all');
  await visit.expectUsable();
  await visit.press('Continue');
  await visit.waitForText('This is not the control token.');
  await visit.fill('Control token', controlToken);
  await visit.press('Continue');
  await visit.waitForText('No call was made yet.');
  await visit.page.reload();
  await visit.waitForText('No call was made yet.');
  await visit.press('Add fault');
  await visit.waitForText('The fault is set.');
});

it.each([{ isDark: false }, { isDark: true }])('simulator page is usable on a phone: %o', async ({ isDark }) => {
  const simulator = await start();
  const client = await TestClient.login(simulator.url);
  await client.accept(exampleEntry({ number: 'SIM-INVALID-CV302-1', set: { [supplierName]: longName } }));
  await control(simulator.url, 'faults', [{ when: { api: 'submit', referenceId: longName }, fault: 'late' }]);
  const visit = await open(simulator, { isPhone: true, isDark });
  await visit.press('SIM-INVALID-CV302-1');
  await visit.waitForText(longName);
  await visit.page.getByRole('region', { name: 'Content of the document' }).waitFor();
  await visit.expectFit();
  await visit.expectUsable();
});
