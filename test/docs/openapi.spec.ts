import { expect, it } from 'vitest';
import { describeApi } from '../../src/openapi.js';
import { serviceOfFile } from '../support/service-of-file.js';

const service = await serviceOfFile();

it('openapi.json is what the code says; "npm run openapi" writes it anew', async () => {
  const description = describeApi(service.api);
  await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot('../../openapi.json');
});
