import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTenant, get, issue, submit, type TestTenant } from '../support/client.js';
import { Browser, signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { rawRequest } from '../support/raw-http.js';

// Prevents browsers from guessing content types and caches from storing an organisation's data.

const service = await startFileService();
const root = service.url.replace(/\/api$/, '');
let tenant: TestTenant;
let statusPath: string;
let reader: Browser;
let tenantId: string;

beforeAll(async () => {
  tenant = await createTenant(service);
  const { submissionBatchId } = await issue(service, tenant, invoice());
  statusPath = `/v1/saas/submissions/${submissionBatchId}/status`;
  ({ browser: reader, tenantId } = await signUp(service));
});

function readProtection({ headers }: { headers: Headers }): (string | null)[] {
  return ['X-Content-Type-Options', 'Cache-Control'].map((name) => headers.get(name));
}

const PROTECTED = ['nosniff', 'no-store'];

describe('response prevents content type sniffing and caching', () => {
  it.each([
    ['POST', '/api/v1/einvoice/submit', 415],
    ['POST', '/api/v1/einvoice/cancel', 415],
    ['GET', '/api/v1/einvoice/validate-taxpayer-tin/EI00000000010', 200],
    ['GET', '/api/v1/saas/submissions/00000000-0000-4000-8000-000000000000/status', 404],
    ['GET', '/api/health/ready', 200],
    ['GET', '/api/nowhere', 404],
    ['GET', `/api/${'x'.repeat(300)}`, 404],
    ['GET', '/api/v1/%zz', 400],
    ['GET', '/', 302],
  ])('for %s %s', async (method, path, expected) => {
    const response = await rawRequest(service, { method, path, headers: [['X-API-Key', tenant.apiKey]] });
    expect([response.status, ...readProtection(response)]).toEqual([expected, ...PROTECTED]);
  });

  it('for a request without a key and for malformed HTTP', async () => {
    const refused = await rawRequest(service, { method: 'GET', path: `/api${statusPath}` });
    expect([refused.status, ...readProtection(refused)]).toEqual([401, ...PROTECTED]);
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
    const malformed = await text(socket);
    expect(malformed).toMatch(/^HTTP\/1\.1 400 /);
    expect(malformed).toMatch(/\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n/);
  });

  it('for an accepted submit', async () => {
    const response = await submit(service, tenant, [invoice()]);
    expect([response.status, ...readProtection(response)]).toEqual([200, ...PROTECTED]);
  });

  it('for the dashboard and its files', async () => {
    const session = await reader.get('/session');
    expect([session.status, ...readProtection(session)]).toEqual([200, ...PROTECTED]);
    const file = await reader.get(`/organisations/${tenantId}/members.csv`);
    expect([file.status, ...readProtection(file)]).toEqual([200, ...PROTECTED]);
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  });
});

it('cached status is revalidated by ETag before each use', async () => {
  const first = await get(service, tenant, statusPath);
  expect([first.status, ...readProtection(first)]).toEqual([200, 'nosniff', 'private, no-cache']);
  const again = await get(service, tenant, statusPath, { 'If-None-Match': first.headers.get('ETag') ?? '' });
  expect([again.status, ...readProtection(again)]).toEqual([304, 'nosniff', 'private, no-cache']);
});

describe('docs site', () => {
  const readPolicy = (headers: Headers): Map<string, string[]> =>
    new Map(
      (headers.get('Content-Security-Policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...values] = directive.split(' ');
        return [name, values];
      }),
    );

  it.each(['/docs', '/docs/', '/docs/reference/submit', '/docs/quickstart.md', '/docs/assets/site.js'])(
    'serves %s with only its own scripts and without framing',
    async (path) => {
      const response = await fetch(root + path);
      const page = await response.text();
      const { status, headers } = response;
      expect([status, headers.get('X-Frame-Options')]).toEqual([200, 'DENY']);
      const policy = readPolicy(headers);
      expect(policy.get('default-src')).toEqual(["'none'"]);
      expect(policy.get('script-src')).toEqual(["'self'"]);
      expect(policy.get('style-src')).toEqual(["'self'"]);
      expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
      expect([...policy.values()].flat().filter((value) => /:\/\/|^\*/.test(value))).toEqual([]);
      if (path.includes('.')) return;
      expect(page).toContain('<main');
      expect(page).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+="/);
    },
  );

  it('serves llms.txt at the root', async () => {
    const response = await fetch(`${root}/llms.txt`);
    expect([response.status, await response.text()]).toEqual([
      200,
      await (await fetch(`${root}/docs/llms.txt`)).text(),
    ]);
  });

  it('returns 304 for an unchanged page', async () => {
    const first = await fetch(`${root}/docs/errors`);
    await first.text();
    const entityTag = first.headers.get('ETag') ?? '';
    const again = await fetch(`${root}/docs/errors`, { headers: { 'If-None-Match': entityTag } });
    expect([first.status, again.status]).toEqual([200, 304]);
    const other = await fetch(`${root}/docs/rules`, { headers: { 'If-None-Match': entityTag } });
    expect((await other.text()).length).toBeGreaterThan(1_000);
  });

  it('describes only the four endpoints and the health checks', async () => {
    const { paths } = (await (await fetch(`${service.url}/docs-json`)).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => !/^\/(?:v1|health)\//.test(path))).toEqual([]);
    for (const path of [
      '/api/docs/dashboard',
      '/api/docs/dashboard-json',
      '/docs/dashboard-api',
      '/docs/..%2fbuild-site.js',
    ]) {
      expect((await fetch(root + path)).status, path).toBe(404);
    }
  });
});
