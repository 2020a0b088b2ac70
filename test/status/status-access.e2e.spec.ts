import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accept, createKey, createTenant, expectProblem, get, readStatus } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// docs/rules.md#status-response

const service = await startFileService({ environments: ['sandbox', 'production'] });

const path = (submissionBatchId: string): string => `/v1/saas/submissions/${submissionBatchId}/status`;

it("an unknown batch and another tenant's batch have the same 404", async () => {
  const tenant = await createTenant(service);
  const { submissionBatchId } = await accept(service, tenant, [invoice()]);
  const stranger = await createTenant(service);
  const production = { ...tenant, apiKey: await createKey(service, tenant.tenantId, 'production') };
  const responses = [
    await get(service, stranger, path(submissionBatchId)),
    await get(service, production, path(submissionBatchId)),
    await get(service, tenant, path(randomUUID())),
  ];
  for (const response of responses) {
    expectProblem(response);
    expect(response.status).toBe(404);
    expect({ ...response.body, requestId: '' }).toEqual({ ...responses[0].body, requestId: '' });
    expect(Object.keys(response.body).sort()).toEqual(['code', 'helpUrl', 'message', 'requestId']);
    expect(response.headers.get('etag')).toBeNull();
  }
});

it('every key of the tenant and environment can read a batch', async () => {
  const tenant = await createTenant(service);
  const { submissionBatchId } = await accept(service, tenant, [invoice()]);
  const other = { ...tenant, apiKey: await createKey(service, tenant.tenantId) };
  expect((await readStatus(service, other, submissionBatchId)).environment).toBe('sandbox');
});

it("another tenant does not receive a 304 for the batch's ETag", async () => {
  const tenant = await createTenant(service);
  const { submissionBatchId } = await accept(service, tenant, [invoice()]);
  const stranger = await createTenant(service);
  const tag = (await get(service, tenant, path(submissionBatchId))).headers.get('etag') ?? '';
  for (const header of [tag, '*']) {
    const response = await get(service, stranger, path(submissionBatchId), {
      'If-None-Match': header,
      Prefer: 'wait=20',
    });
    expect(response.status).toBe(404);
  }
});

describe('the batch id', () => {
  it.each(['1', 'null', 'not-a-uuid', `${randomUUID()}0`, randomUUID().replaceAll('-', ''), `{${randomUUID()}}`])(
    'is rejected with 400 if it is %s',
    async (id) => {
      const response = await get(service, await createTenant(service), path(encodeURIComponent(id)));
      expectProblem(response);
      expect(response.status).toBe(400);
      expect(response.body.code).toBe('submission_batch_id_invalid');
    },
  );
});
