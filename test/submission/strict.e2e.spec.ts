import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTenant, post, refused, submit } from '../support/client.js';
import { invoice, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const STRICT = { Prefer: 'handling=strict' };

const service = await startFileService();
const tenant = await createTenant(service);

describe('strict handling', () => {
  it('rejects an unknown field without storing or charging', async () => {
    const documents = [invoice({ referenceId: 'S-1', foo: 1, recipient: { ...recipient, postcode: '1' } })];
    const response = await refused(service, tenant, () => submit(service, tenant, documents, { headers: STRICT }));
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'validation_failed', message: response.body.errors[0] });
    expect(response.body.errors).toEqual([
      'documents[0].recipient.postcode must be 5 digits',
      'documents[0].foo is not a known field',
    ]);
    expect(response.body.details[1]).toMatchObject({
      pointer: '/documents/0/foo',
      documentIndex: 0,
      referenceId: 'S-1',
      rule: 'member_unknown',
    });
  });

  it('rejects a repeated field without storing or charging', async () => {
    const document = JSON.stringify(invoice({ referenceId: 'S-2' })).replace('{', '{"totalDiscountAmount":5,');
    const body = `{"submission_type":"non-consolidated","documents":[${document.replace('{', '{"totalDiscountAmount":5,')}]}`;
    const response = await refused(service, tenant, () =>
      post(service, tenant, { path: '/v1/einvoice/submit', body, headers: STRICT }),
    );
    expect(response.status).toBe(400);
    expect(response.body.details).toEqual([
      {
        pointer: '/documents/0/totalDiscountAmount',
        documentIndex: 0,
        referenceId: 'S-2',
        rule: 'member_repeated',
        message: 'is repeated with the same value',
        hint: 'send it once',
      },
    ]);
  });

  it('still replays the stored response for a key', async () => {
    const key = randomUUID();
    const documents = [invoice({ foo: 1 })];
    const first = await submit(service, tenant, documents, { key });
    const replay = await submit(service, tenant, documents, { key, headers: STRICT });
    expect(replay.status).toBe(200);
    expect(replay.text).toBe(first.text);
  });
});

it.each(['handling=lenient', 'wait=5', 'strict'])(
  'unknown field causes only a warning with Prefer: %s',
  async (Prefer) => {
    const response = await submit(service, tenant, [invoice({ foo: 1 })], { headers: { Prefer } });
    expect(response.status).toBe(200);
    expect(response.body.warnings).toHaveLength(1);
  },
);
