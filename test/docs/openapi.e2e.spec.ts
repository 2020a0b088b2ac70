import { expect, it } from 'vitest';
import { describeDashboardApi } from '../../src/dashboard-api/dashboard-openapi.js';
import { describeApi } from '../../src/processes/openapi.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

it('openapi.json is what the code says; "npm run openapi" writes it again', async () => {
  const description = describeApi(service.api);
  await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot('../../openapi.json');
});

it("dashboard/openapi.json is what the code says of the dashboard's own API", async () => {
  const description = describeDashboardApi(service.api);
  await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot('../../dashboard/openapi.json');
});

it("nothing of the dashboard's API is in the client teams' description, and the reverse", () => {
  const own = Object.keys(describeDashboardApi(service.api).paths);
  expect(own.length).toBeGreaterThan(5);
  expect(own.filter((path) => !path.startsWith('/api/dashboard/'))).toEqual([]);
  expect(Object.keys(describeApi(service.api).paths).filter((path) => path.startsWith('/api/dashboard'))).toEqual([]);
});
