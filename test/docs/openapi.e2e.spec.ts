import { expect, it } from 'vitest';
import { describeDashboardApi } from '../../src/dashboard-api/dashboard-openapi.js';
import { describeApi } from '../../src/processes/openapi.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();

it('openapi.json matches the code (update with "npm run openapi")', async () => {
  const description = describeApi(service.api);
  await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot('../../openapi.json');
});

it('dashboard/openapi.json matches the code', async () => {
  const description = describeDashboardApi(service.api);
  await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot('../../dashboard/openapi.json');
});

it('API descriptions have no path in common', () => {
  const own = Object.keys(describeDashboardApi(service.api).paths);
  expect(own.length).toBeGreaterThan(5);
  expect(own.filter((path) => !path.startsWith('/api/dashboard/'))).toEqual([]);
  expect(Object.keys(describeApi(service.api).paths).filter((path) => path.startsWith('/api/dashboard'))).toEqual([]);
});
