import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeApi } from '../../src/openapi.js';
import { TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

it('openapi.json is what the code says; "npm run openapi" writes it anew', async () => {
  const description = describeApi(service.api);
  await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot('../../openapi.json');
});
