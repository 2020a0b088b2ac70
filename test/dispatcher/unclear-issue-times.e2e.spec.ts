import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accept, createTenant, readStatus, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { AuthorityProxy } from './authority-proxy.js';

let proxy: AuthorityProxy;
let tenant: TestTenant;
beforeEach(async () => {
  proxy = await AuthorityProxy.start();
  tenant = await createTenant(proxy.service);
});
afterEach(() => proxy.stop());

describe('A document under the uuid of its response', () => {
  it.each([
    ['has no issue time', /"dateTimeIssued":"[^"]*",/g, ''],
    ['has null as its issue time', /"dateTimeIssued":"[^"]*"/g, '"dateTimeIssued":null'],
    ['has an issue time without seconds', /"dateTimeIssued":"([^"]*):\d\d(\.\d+)?Z"/g, '"dateTimeIssued":"$1:00Z"'],
  ])('becomes Valid when it %s', async (_, pattern, replacement) => {
    proxy.rewrite = (text) => text.replace(pattern, replacement);
    const { submissionBatchId } = await accept(proxy.service, tenant, [invoice()]);
    await proxy.service.tick('submit');
    await proxy.service.advance(61);
    await proxy.service.tick('poll');
    const { documents } = await readStatus(proxy.service, tenant, submissionBatchId);
    expect(documents).toMatchObject([{ authorityStatus: 'Valid' }]);
  });
});
