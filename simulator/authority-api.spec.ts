import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiName, apiNames } from './api-names.js';
import { type Simulator, startSimulator } from './simulator.js';
import { TestClient, control, parseError, send } from './testing/test-client.js';

type AuthorizedApi = Exclude<ApiName, 'token'>;

/** One call of each API with the expected status when the requested object does not exist. */
const calls: Record<AuthorizedApi, [method: string, path: string, status: number]> = {
  submit: ['POST', 'documentsubmissions', 400],
  getSubmission: ['GET', 'documentsubmissions/X', 404],
  details: ['GET', 'documents/X/details', 404],
  raw: ['GET', 'documents/X/raw', 404],
  cancel: ['PUT', 'documents/state/X/state', 400],
  validateTin: ['GET', 'taxpayer/validate/C1234567890?idType=BRN&idValue=201901234567', 200],
  search: ['GET', 'documents/search', 400],
  recent: ['GET', 'documents/recent', 200],
  searchTin: ['GET', 'taxpayer/search/tin?taxpayerName=ABC', 200],
  qrCode: ['GET', 'taxpayers/qrcodeinfo/4e1bc907-25b7-45b1-9620-2d671a6f9cae', 200],
  documentTypes: ['GET', 'documenttypes', 200],
  documentType: ['GET', 'documenttypes/1', 200],
  documentTypeVersion: ['GET', 'documenttypes/1/versions/10', 200],
  notifications: ['GET', 'notifications/taxpayer', 200],
};

/** Published limits in calls per minute. APIs without a published limit use 60. */
const limits: Record<AuthorizedApi, string> = {
  submit: '100',
  getSubmission: '300',
  details: '125',
  raw: '60',
  cancel: '12',
  validateTin: '60',
  search: '12',
  recent: '12',
  searchTin: '60',
  qrCode: '60',
  documentTypes: '60',
  documentType: '60',
  documentTypeVersion: '60',
  notifications: '60',
};

describe('authority API', () => {
  let simulator: Simulator;
  let client: TestClient;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  beforeEach(async () => {
    await control(simulator.url, 'reset');
    client = await TestClient.login(simulator.url);
  });
  afterAll(() => simulator.close());

  const rows = apiNames
    .filter((api) => api !== 'token')
    .map((api) => ({ api, method: calls[api][0], path: calls[api][1], status: calls[api][2] }));

  it.each(rows)('rejects $api without a token', async ({ method, path }) => {
    const response = await send(`${simulator.url}/api/v1.0/${path}`, { method });
    expect([response.status, parseError(response).code]).toEqual([401, 'Unauthorized']);
  });

  it.each(rows)('logs $api calls and applies faults and rate limits to them', async (row) => {
    const { api, method, path, status } = row;
    await control(simulator.url, 'faults', [{ when: { api }, fault: 'http-503' }]);
    expect((await client.call(path, method)).status).toBe(503);
    await control(simulator.url, 'settings', { rateFactor: 1 });
    const response = await client.call(path, method);
    expect([response.status, response.headers.get('x-rate-limit-limit')]).toEqual([status, limits[api]]);
    await control(simulator.url, 'settings', { rateFactor: 0.001 });
    expect((await client.call(path, method)).status).toBe(429);
    const log = (await send(`${simulator.url}/_control/calls?after=1`)).json() as object[];
    expect(log).toMatchObject([
      { api, status: 503, fault: 'http-503' },
      { api, status, fault: null },
      { api, status: 429, fault: null },
    ]);
  });
});
