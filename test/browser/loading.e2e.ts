import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { issue } from '../support/client.js';
import { completeProfile } from '../support/people.js';
import { insertKey } from '../support/tenants.js';
import { Site, type Visit } from './site.js';

const RECEIVED_KB_MAX = 420;
const REQUESTS_MAX = 20;

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.stop());

/** Opens the overview with an empty browser cache. */
async function openOverview(): Promise<{ visit: Visit; path: string }> {
  const { email, tenantId } = await signUp(site.service);
  await completeProfile(site.service, tenantId);
  await issue(site.service, { tenantId, apiKey: await insertKey(site.service.owner, tenantId) }, invoice());
  const path = `/o/${tenantId}/sandbox/overview`;
  const visit = await site.open(path);
  await visit.signIn(email);
  await visit.waitUntilSettled();
  return { visit, path };
}

describe('overview page', () => {
  it('loads with at most 420 kB and 20 requests on an empty cache', async () => {
    const { visit, path } = await openOverview();
    const network = await visit.context.newCDPSession(visit.page);
    await network.send('Network.enable');
    await network.send('Network.clearBrowserCache');
    const requests: string[] = [];
    let bytes = 0;
    network.on('Network.requestWillBeSent', ({ request }) => requests.push(request.url));
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await visit.go(path);
    await visit.waitUntilSettled();
    await visit.page.locator('.recharts-surface').first().waitFor();
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(REQUESTS_MAX);
    expect(bytes / 1000).toBeLessThanOrEqual(RECEIVED_KB_MAX);
    // The lower bound proves that nothing came from a cache.
    expect(bytes / 1000).toBeGreaterThan(RECEIVED_KB_MAX / 2);
    await visit.close();
  });

  it('is compressed, unlike the session response', async () => {
    const { visit } = await openOverview();
    const codings: Record<string, string | undefined> = {};
    visit.page.on('response', (response) => {
      const [, name] = /\/api\/dashboard\/.*?(session|overview)(?:\?|$)/.exec(response.url()) ?? [];
      if (name !== undefined) codings[name] = response.headers()['content-encoding'] ?? 'none';
    });
    await visit.page.reload();
    await visit.waitUntilSettled();
    expect(codings).toEqual({ session: 'none', overview: 'br' });
    await visit.close();
  });
});

describe('page shell', () => {
  it('is painted before any script or stylesheet arrives', async () => {
    const { visit, path } = await openOverview();
    let letThrough = (): void => {};
    const arrived = new Promise<void>((resolve) => (letThrough = resolve));
    await visit.page.route('**/assets/**', async (route) => {
      await arrived;
      await route.continue();
    });
    await visit.page.goto(site.toAddress(path), { waitUntil: 'commit' });
    await visit.page.getByRole('status').getByText('Loading …').waitFor();
    const isPainted = `performance.getEntriesByName('first-contentful-paint').length === 1`;
    await expect.poll(() => visit.page.evaluate<boolean>(isPainted)).toBe(true);
    letThrough();
    await visit.waitUntilSettled();
    expect(await visit.page.locator('#starting').count()).toBe(0);
    await visit.expectUsable();
    await visit.close();
  });
});

describe('static files', () => {
  it.each([
    ['br', 'gzip, deflate, br'],
    ['gzip', 'gzip, deflate'],
    [null, 'identity'],
  ])('are sent as %s to a client that accepts "%s", and are cacheable indefinitely', async (coding, accepted) => {
    const page = await (await fetch(site.toAddress('/'))).text();
    const files = [...page.matchAll(/(?:src|href)="\/dashboard(\/assets\/[^"]+)"/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const response = await fetch(site.toAddress(file), { headers: { 'Accept-Encoding': accepted } });
      expect([response.status, response.headers.get('content-encoding')], file).toEqual([200, coding]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('vary')).toMatch(/accept-encoding/i);
      const plain = await fetch(site.toAddress(file), { headers: { 'Accept-Encoding': 'identity' } });
      expect(await response.text()).toBe(await plain.text());
    }
  });

  it.each([
    ['a compressed form', (script: string) => `${script}.br`],
    ['a file of another version', () => '/assets/index-Other000.js'],
  ])('do not include %s, whose 404 response is not cacheable', async (_, toPath) => {
    const page = await (await fetch(site.toAddress('/'))).text();
    const [, script = ''] = /src="\/dashboard(\/assets\/[^"]+)"/.exec(page) ?? [];
    const response = await fetch(site.toAddress(toPath(script)));
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      404,
      'text/plain; charset=utf-8',
      'no-store',
    ]);
    expect(await response.text()).toBe('This file belongs to another version of the dashboard: reload the page');
  });
});
