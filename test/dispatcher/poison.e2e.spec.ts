import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DocumentStatusDto } from '../../src/status/dto/submission-status.dto.js';
import { accept, createTenant, readBalance, readStatus, type TestTenant } from '../support/client.js';
import { invoice, reference } from '../support/documents.js';
import { AuthorityProxy } from './authority-proxy.js';

// A rejected call is halved until the document that causes the rejection is alone. After three rejections it fails with
// the reason (docs/rules.md#refused-calls). The other documents are accepted once each.

const DOCUMENTS = 20;
/**
 * Calls of 20, 10, 5, 3, 2 and 1 documents until one is alone. If both halves are rejected in turn, each size
 * occurs twice.
 */
const CALLS_MAX = 16;
const REFUSALS = 3;
const REFUSAL_PAUSE_SECONDS = 60;
/** Includes the trials with one document that follow each firewall page. */
const FIREWALL_CALLS_MAX = 40;
const ROUNDS_MAX = 80;
const ROUND_SECONDS = 12;

const STRUCTURE = {
  status: 400,
  contentType: 'application/json',
  body: JSON.stringify({
    error: {
      code: 'ValidationError',
      message: null,
      target: null,
      details: [{ code: 'submission', target: 'submission', message: 'Invalid structured submission.' }],
    },
  }),
};
const TOO_LARGE = {
  status: 413,
  contentType: 'application/json',
  body: JSON.stringify({ error: { code: 'MaximumSizeExceeded', message: 'Too large', target: 'submission' } }),
};
const FIREWALL = { status: 403, contentType: 'text/html', body: '<html><h1>Under maintenance</h1></html>' };

let proxy: AuthorityProxy;
let tenant: TestTenant;
beforeAll(async () => {
  proxy = await AuthorityProxy.start();
  tenant = await createTenant(proxy.service);
});
afterAll(() => proxy.stop());

async function readDocuments(batchId: string): Promise<DocumentStatusDto[]> {
  return (await readStatus(proxy.service, tenant, batchId)).documents;
}

async function listTaken(referenceIds: readonly string[]): Promise<string[]> {
  const numbers = (await proxy.service.wireLog()).map(({ number }) => number);
  return numbers.filter((number) => referenceIds.includes(number));
}

describe('a document that makes the authority reject its call', () => {
  it.each([
    ['400', STRUCTURE, 'Invalid structured submission.'],
    ['413', TOO_LARGE, 'Too large'],
  ])('fails after three rejections (%s) without failing other documents', async (_, response, text) => {
    const referenceIds = Array.from({ length: DOCUMENTS }, () => reference());
    const poison = referenceIds[13];
    proxy.refuse(poison, response);
    const before = proxy.calls.length;
    const { submissionBatchId } = await accept(
      proxy.service,
      tenant,
      referenceIds.map((referenceId) => invoice({ referenceId })),
    );
    const credits = await readBalance(proxy.service, tenant);
    await proxy.service.settle();

    for (const document of await readDocuments(submissionBatchId)) {
      if (document.referenceId !== poison) {
        expect(document).toMatchObject({ submissionStatus: 'Submitted', authorityStatus: 'Valid', waiting: null });
        continue;
      }
      expect(document).toMatchObject({ submissionStatus: 'SubmitFailed', authorityStatus: null });
      expect(document.errors[0]).toMatchObject({
        code: expect.stringMatching(/^[a-z_]+$/),
        hint: expect.stringMatching(/./),
        authorityMessage: expect.stringContaining(text),
      });
    }
    expect((await listTaken(referenceIds)).sort()).toEqual(referenceIds.filter((each) => each !== poison).sort());
    const calls = proxy.listCalls('submit', before);
    const alone = calls.filter(({ referenceIds: [first, ...rest] }) => first === poison && rest.length === 0);
    expect(alone).toHaveLength(REFUSALS);
    expect(calls.length).toBeLessThanOrEqual(CALLS_MAX);
    expect(await readBalance(proxy.service, tenant), 'nothing is refunded').toBe(credits);
  });
});

describe('a document that was rejected alone', () => {
  it('is retried after a minute', async () => {
    const referenceId = reference();
    proxy.refuse(referenceId, STRUCTURE);
    const before = proxy.calls.length;
    await accept(proxy.service, tenant, [invoice({ referenceId })]);
    const countTrials = async (): Promise<number> => {
      await proxy.service.tick('submit');
      return proxy.listCalls('submit', before).length;
    };
    expect(await countTrials()).toBe(1);
    await proxy.service.advance(REFUSAL_PAUSE_SECONDS - 5);
    expect(await countTrials()).toBe(1);
    await proxy.service.advance(5);
    expect(await countTrials()).toBe(2);
    await proxy.service.settle();
  });
});

it('sends full calls while a document that must be sent alone waits', async () => {
  const owner = await createTenant(proxy.service);
  const documents = Array.from({ length: 11 }, () => invoice());
  const { submissionBatchId } = await accept(proxy.service, owner, documents);
  // Documents of one batch are queued in the order of their ids, which differs from their order in the batch.
  await proxy.service.owner.query(
    `UPDATE document_transaction SET call_size_max = 1 WHERE id = (
       SELECT id FROM document_transaction WHERE submission_batch_id = $1 ORDER BY due_at, id OFFSET 5 LIMIT 1)`,
    [submissionBatchId],
  );
  const before = proxy.calls.length;
  await proxy.service.settle();
  expect((await readStatus(proxy.service, owner, submissionBatchId)).status).toBe('Valid');
  expect(proxy.listCalls('submit', before).map(({ referenceIds }) => referenceIds.length)).toEqual([10, 1]);
});

describe('an HTML page in response to a call', () => {
  it('fails a document if it affects only the calls of this document', async () => {
    const other = await createTenant(proxy.service);
    const referenceIds = Array.from({ length: DOCUMENTS }, () => reference());
    const poison = referenceIds[13];
    proxy.refuse(poison, FIREWALL);
    const before = proxy.calls.length;
    const { submissionBatchId } = await accept(
      proxy.service,
      tenant,
      referenceIds.map((referenceId) => invoice({ referenceId })),
    );
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await accept(proxy.service, other, [invoice()]);
      while ((await proxy.service.tick('submit')) > 0);
      if ((await readDocuments(submissionBatchId))[13].submissionStatus === 'SubmitFailed') break;
      await proxy.service.advance(ROUND_SECONDS);
    }
    await proxy.service.settle();
    for (const document of await readDocuments(submissionBatchId)) {
      const isPoison = document.referenceId === poison;
      expect(document).toMatchObject({ submissionStatus: isPoison ? 'SubmitFailed' : 'Submitted' });
      if (isPoison) expect(document.errors[0].authorityMessage).toContain('a page in place of a response');
    }
    expect((await listTaken(referenceIds)).sort()).toEqual(referenceIds.filter((each) => each !== poison).sort());
    const calls = proxy
      .listCalls('submit', before)
      .filter((call) => call.referenceIds.some((id) => referenceIds.includes(id)));
    expect(calls.length).toBeLessThanOrEqual(FIREWALL_CALLS_MAX);
  });

  it('fails no document during maintenance', async () => {
    await proxy.service.control('faults', [{ when: { api: 'submit' }, fault: 'html-403', times: 12 }]);
    const owner = await createTenant(proxy.service);
    const { submissionBatchId } = await accept(proxy.service, owner, [invoice(), invoice(), invoice(), invoice()]);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      while ((await proxy.service.tick('submit')) > 0);
      await proxy.service.advance(ROUND_SECONDS);
    }
    await proxy.service.settle();
    expect((await readStatus(proxy.service, owner, submissionBatchId)).status).toBe('Valid');
  });
});
