import { beforeAll, describe, expect, it } from 'vitest';
import { describeDashboardApi } from '../../src/dashboard-api/dashboard-openapi.js';
import { createTenant, get } from '../support/client.js';
import type { Browser } from '../support/dashboard.js';
import { createOperator, organisation, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';

// The dashboard's own description is walked: an operation that is added later is tried without being named here.

const service = await startFileService();
const operations = Object.entries(describeDashboardApi(service.api).paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
);

let owner: Browser;
let operator: Browser;
let tenantId: string;
beforeAll(async () => {
  ({ browser: owner, tenantId } = await organisation(service));
  ({ browser: operator } = await createOperator(service));
});

describe('a query parameter that is not known', () => {
  it.each(operations)('is refused by its name: $method $path', async ({ method, path }) => {
    const browser = path.includes('/operator/') ? operator : owner;
    const address = path
      .replace('/api/dashboard', '')
      .replace('{tenantId}', tenantId)
      .replace('{environment}', 'sandbox')
      .replaceAll(/\{\w+\}/g, '01a1fc06-aaf7-7598-a650-5bdb926736ac');
    const query = '?serach=x&from_a~b/c=1';
    const { status, body, text } = await browser.call<Problem>(
      method,
      address + query,
      method === 'GET' ? undefined : {},
    );
    expect(status, text).toBe(400);
    const told = { message: 'is not a known parameter', hint: expect.stringMatching(/./) };
    expect(body.details).toMatchObject([
      { pointer: '/serach', ...told },
      { pointer: '/from_a~0b~1c', ...told },
    ]);
  });

  it('is not looked at before it is known who asks', async () => {
    const stranger = await organisation(service);
    const { status } = await stranger.browser.get(`/organisations/${tenantId}/sandbox/transactions?serach=x`);
    expect(status).toBe(404);
  });

  it('of the endpoints for API keys is ignored as before', async () => {
    const tenant = await createTenant(service);
    const batch = '01a1fc06-aaf7-7598-a650-5bdb926736ac';
    expect((await get(service, tenant, `/v1/saas/submissions/${batch}/status?serach=x`)).status).toBe(404);
  });
});
