import { describe, expect, it } from 'vitest';
import { createTenant, expectProblem, request } from '../support/client.js';
import { rawRequest } from '../support/raw-http.js';
import { startFileService } from '../support/file-service.js';

// Routes without an API key.
const PUBLIC = /^\/(?:$|docs(?:$|\/)|llms\.txt$|api\/(?:health\/(?:live|ready)|docs(?:$|-.*))$)/;

const service = await startFileService();

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Parses the routes in Fastify's tree, such as `│   ├── /status (GET, HEAD)`. */
function registeredRoutes(): Route[] {
  const ancestors: string[] = [];
  const routes: Route[] = [];
  for (const line of service.api.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, segment, methods] = /^([│ ]*)[├└]── (\S+)(?: \(([^)]+)\))?$/.exec(line) ?? [];
    if (segment === undefined) continue;
    const depth = indent.length / 4;
    ancestors.splice(depth, Infinity, segment);
    const path = ancestors.join('').replaceAll(/:\w+/g, 'x').replace(/\/?\*/, '/x');
    for (const method of methods?.split(', ') ?? []) routes.push({ method, path });
  }
  return routes;
}

const OF_DASHBOARD = /^\/(?:api\/)?dashboard(?:\/|$)/;

// Dashboard routes without a session.
const OPEN_IN_DASHBOARD = [
  'POST /api/dashboard/invitations/look-up',
  'POST /api/dashboard/invitations/sign-up',
  'POST /api/dashboard/password-links/look-up',
  'POST /api/dashboard/password-links/use',
  'POST /api/dashboard/sign-in',
  'POST /api/dashboard/sign-up',
];

describe('without a session', () => {
  it('every protected dashboard route returns 401', async () => {
    const closed = registeredRoutes()
      .filter(({ path }) => path.startsWith('/api/dashboard/'))
      .filter(({ method, path }) => !OPEN_IN_DASHBOARD.includes(`${method} ${path}`));
    expect(closed.length).toBeGreaterThan(20);
    for (const { method, path } of closed) {
      const response = await rawRequest(service, { method, path });
      expect(response.status, `${method} ${path}`).toBe(401);
      if (method !== 'HEAD') expect(response.body.code).toBe('session_required');
    }
  });
});

describe('without a key', () => {
  it.each(['GET', 'HEAD'])('%s / redirects to the dashboard', async (method) => {
    const response = await fetch(new URL('/', service.url), { method, redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/dashboard/');
  });

  it('every route except health, docs and dashboard returns 401', async () => {
    const closed = registeredRoutes().filter(({ path }) => !PUBLIC.test(path) && !OF_DASHBOARD.test(path));
    expect(closed.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /api/v1/einvoice/validate-taxpayer-tin/x',
      'GET /api/v1/saas/submissions/x/status',
      'HEAD /api/v1/einvoice/validate-taxpayer-tin/x',
      'HEAD /api/v1/saas/submissions/x/status',
      'POST /api/v1/einvoice/cancel',
      'POST /api/v1/einvoice/submit',
      'POST /api/v1/einvoice/submit/dry-run',
    ]);
    for (const { method, path } of closed) {
      const response = await rawRequest(service, { method, path });
      expect(response.status, `${method} ${path}`).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      if (method !== 'HEAD') expect(response.body.code).toBe('api_key_missing');
    }
  });

  it.each(['/health/live', '/health/ready', '/docs-json', '/docs-yaml'])('%s returns 200', async (path) => {
    expect((await request(service, path)).status).toBe(200);
  });

  it.each([
    ['/api/docs/../v1/einvoice/submit', 'POST'],
    ['/api/docs/..%2fv1%2feinvoice%2fsubmit', 'POST'],
    ['/api/docs-json/v1/einvoice/submit', 'POST'],
    ['/api//v1/einvoice/submit', 'POST'],
    ['/api/v1/einvoice/submit/', 'POST'],
    ['/api/v1/einvoice/submit?docs=1', 'POST'],
    ['/API/docs', 'GET'],
  ])('%s returns 401 or 404', async (path, method) => {
    const response = await rawRequest(service, { method, path });
    expectProblem(response);
    expect([401, 404]).toContain(response.status);
  });

  it('an unknown route returns 404 even with a wrong key', async () => {
    for (const headers of [{}, { 'X-API-Key': 'nonsense' }] as Record<string, string>[]) {
      const response = await request(service, '/v1/einvoice/unknown', { headers });
      expectProblem(response);
      expect(response.status).toBe(404);
      expect(response.body.code).toBe('route_not_found');
    }
  });
});

describe('with a trailing slash', () => {
  const addresses: [method: string, path: string, status: number][] = [
    ['GET', '/api/v1/einvoice/validate-taxpayer-tin/EI00000000010', 200],
    ['GET', '/api/v1/saas/submissions/x/status', 400],
    ['POST', '/api/v1/einvoice/submit', 400],
    ['POST', '/api/v1/einvoice/cancel', 400],
    ['GET', '/api/health/ready', 200],
    ['GET', '/api/docs-json', 200],
    ['GET', '/api/nowhere', 404],
  ];

  it.each(addresses)('%s %s returns the same response as without it', async (method, path, expected) => {
    const { apiKey } = await createTenant(service);
    const headers: [string, string][] = [
      ['X-API-Key', apiKey],
      ['Content-Type', 'application/json'],
    ];
    for (const address of [path, `${path}/`]) {
      const sent = { path: address, headers };
      const response = await rawRequest(service, { ...sent, method, ...(method === 'POST' ? { body: '{' } : {}) });
      expect(response.status, response.text).toBe(expected);
      if (method !== 'GET') continue;
      const head = await rawRequest(service, { ...sent, method: 'HEAD' });
      expect(head.status).toBe(expected);
      expect(head.text).toBe('');
      expect(head.headers.get('content-type')).toBe(response.headers.get('content-type'));
    }
  });
});

it('health responses do not contain tenant data', async () => {
  const tenant = await createTenant(service);
  const response = await request(service, '/health/ready');
  expect(response.body).toEqual({ status: 'ok', database: 'ok', migrations: 'ok', oldestQueuedSeconds: null });
  expect(response.text).not.toContain(tenant.tenantId);
});
