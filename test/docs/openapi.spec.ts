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

it('every error answer of the four endpoints has its body', () => {
  const { paths } = describeApi(service.api);
  for (const [path, methods] of Object.entries(paths).filter(([path]) => path.includes('/v1/'))) {
    for (const operation of Object.values(methods) as { responses: Record<string, { content?: object }> }[]) {
      const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
      expect(
        errors.map(([status]) => status),
        path,
      ).toEqual(expect.arrayContaining(['401', '500']));
      for (const [status, answer] of errors) expect(answer.content, `${path} ${status}`).toBeDefined();
    }
  }
});
