import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { EInvoiceError, hasCode } from '../../clients/typescript/src/index.js';
import { expectConsistentCredits } from '../support/audit.js';
import { accept, countTenantRows, createTenant, issue, readBalance, readStatus } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { stopClockAtWindowStart } from '../rate-limits/replicas.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';
import { connect, invoices, startFileProxy, TestClock, thrownBy } from './harness.js';

const service = await startFileService();
const limited = await startFileService({ environment: { RATE_LIMIT_SUBMITS_PER_MINUTE: '2' } });
const proxy = await startFileProxy(service);
const tenant = await createTenant(service, { credits: 10_000 });
afterEach(() => expectConsistentCredits(service.owner));

const request = (count = 1) => ({ submission_type: 'non-consolidated' as const, documents: invoices(count) });
const lastRequests = (count: number) => proxy.requests.slice(-count);

describe('client', () => {
  it('handles a document from dry run to cancellation', async () => {
    const clock = new TestClock(() => service.settle());
    const client = connect(service, tenant, { clock });
    const { recipient } = invoices(1)[0];
    const checked = await client.validateTaxpayerTin(recipient?.tin ?? '', {
      idType: 'BRN',
      idValue: recipient?.brn ?? '',
    });
    expect(checked).toMatchObject({ tin: recipient?.tin, valid: true, cached: false });

    const documents = request(2);
    const balance = await readBalance(service, tenant);
    const preview = await client.dryRun(documents);
    expect(preview).toMatchObject({ dryRun: true, requiredCredits: 2 });
    expect(await readBalance(service, tenant)).toBe(balance);

    const submitted = await client.submit(documents);
    expect(submitted).toMatchObject({
      creditsCharged: 2,
      creditsRemaining: balance - 2,
      isReplayed: false,
      warnings: [],
    });
    const outcome = await client.waitForOutcome(submitted.submissionBatchId);
    expect(outcome).toMatchObject({ status: 'Valid', terminal: true, counts: { valid: 2 } });
    expect(outcome.documents.map(({ totals }) => totals)).toEqual(preview.documents.map(({ totals }) => totals));

    const [{ documentId }] = outcome.documents;
    const cancelled = await client.cancel({ documentId, cancellationReason: 'Wrong buyer' });
    expect(cancelled).toMatchObject({ documentId, creditsCharged: 1, creditsRemaining: balance - 3 });
    const after = await client.waitForOutcome(submitted.submissionBatchId);
    expect(after.documents[0]).toMatchObject({ authorityStatus: 'Cancelled', cancellation: { reason: 'Wrong buyer' } });
  });

  it("uses the caller's key or a new key per call", async () => {
    const client = connect(proxy, tenant);
    const documents = request();
    const first = await client.submit(documents, { idempotencyKey: 'of-the-caller' });
    const replay = await client.submit(documents, { idempotencyKey: 'of-the-caller' });
    expect(replay).toMatchObject({ isReplayed: true, creditsCharged: 0, submissionBatchId: first.submissionBatchId });
    const made = [await client.submit(request()), await client.submit(request())].map((one) => one.idempotencyKey);
    expect(new Set([...made, 'of-the-caller']).size).toBe(3);
    expect(lastRequests(2).map(({ headers }) => headers['idempotency-key'])).toEqual(made);
  });

  it('runs a strict dry run on request', async () => {
    const documents = [{ ...invoices(1)[0], lineItem: [] }];
    const submission = { submission_type: 'non-consolidated' as const, documents };
    const client = connect(service, tenant);
    expect((await client.dryRun(submission)).warnings).toMatchObject([{ rule: 'member_unknown' }]);
    const error = await thrownBy(EInvoiceError, client.dryRun(submission, { isStrict: true }));
    expect(error.code).toBe('validation_failed');
  });
});

describe('lost response', () => {
  it.each(['lost', 'cut', 'torn'] as const)(
    'charges a submit once, because the key recovers it (%s)',
    async (fault) => {
      const documents = request(3);
      const balance = await readBalance(service, tenant);
      proxy.plan(fault, fault, 'cut');
      const clock = new TestClock();
      const submitted = await connect(proxy, tenant, { clock }).submit(documents);
      expect(submitted.isReplayed).toBe(true);
      expect(clock.waits).toHaveLength(3);
      const sent = lastRequests(4).map(({ headers, body }) => `${String(headers['idempotency-key'])} ${body}`);
      expect(new Set(sent).size).toBe(1);
      expect(await readBalance(service, tenant)).toBe(balance - 3);
      const { documents: known } = await readStatus(service, tenant, submitted.submissionBatchId);
      expect(known.map(({ referenceId }) => referenceId)).toEqual(
        documents.documents.map(({ referenceId }) => referenceId),
      );
    },
  );

  it.each(['lost', 'cut', 'torn'] as const)(
    'charges a cancel once, because the key recovers it (%s)',
    async (fault) => {
      const [{ documentId }] = (await issue(service, tenant, invoice())).documents;
      const balance = await readBalance(service, tenant);
      proxy.plan(fault, 'cut');
      const cancelled = await connect(proxy, tenant).cancel({ documentId });
      expect(cancelled).toMatchObject({ documentId, isReplayed: true });
      expect(await readBalance(service, tenant)).toBe(balance - 1);
    },
  );

  it('makes the client repeat a status call', async () => {
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    proxy.plan('lost', 'torn');
    const { status } = await connect(proxy, tenant).readStatus(submissionBatchId);
    expect(status).toMatchObject({ submissionBatchId, status: 'Queued' });
  });

  it('throws an error with the key after the last attempt', async () => {
    const documents = request();
    proxy.plan('cut', 'lost', 'lost');
    const client = connect(proxy, tenant, { attemptsMax: 3 });
    const error = await thrownBy(EInvoiceError, client.submit(documents));
    expect(error).toMatchObject({ code: 'response_lost', status: null, isOutcomeUnknown: true });
    const { idempotencyKey } = error;
    const submitted = await client.submit(documents, { idempotencyKey: idempotencyKey ?? '' });
    expect(submitted.isReplayed).toBe(true);
  });

  it('remains in doubt until a response after the key check', async () => {
    const refuse = (status: number, code: string) => ({ status, body: JSON.stringify({ message: 'No', code }) });
    const client = connect(proxy, tenant);
    proxy.plan('cut', refuse(401, 'api_key_revoked'));
    expect((await thrownBy(EInvoiceError, client.submit(request()))).isOutcomeUnknown).toBe(true);
    proxy.plan('lost', refuse(402, 'insufficient_credits'));
    expect((await thrownBy(EInvoiceError, client.submit(request()))).isOutcomeUnknown).toBe(false);
    proxy.plan(refuse(401, 'api_key_revoked'));
    expect((await thrownBy(EInvoiceError, client.submit(request()))).isOutcomeUnknown).toBe(false);
  });

  it('is abandoned after the timeout of an attempt, including the body', async () => {
    const hang: typeof fetch = (_, init) =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            start: (body) => init?.signal?.addEventListener('abort', () => body.error(init.signal?.reason)),
          }),
        ),
      );
    const client = connect(service, tenant, { fetch: hang, attemptsMax: 2, attemptTimeoutSeconds: 0.05 });
    const error = await thrownBy(EInvoiceError, client.submit(request()));
    expect(error).toMatchObject({ code: 'response_lost', isOutcomeUnknown: true });
    expect(error.message).toContain('did not respond within 0.05 s');
  });
});

describe('temporary error', () => {
  it('with 429 is retried after Retry-After', async () => {
    const owner = await createTenant(limited);
    await stopClockAtWindowStart(limited);
    // The API reads the new time in its next report.
    const clock = new TestClock(async (milliseconds) => {
      if (clock.waits.length === 1) await limited.advance(Math.ceil(milliseconds / 1_000));
      await delay(50);
    });
    const client = connect(limited, owner, { clock, attemptsMax: 100 });
    const balance = await readBalance(limited, owner);
    for (let count = 0; count < 4; count += 1) await client.submit(request());
    expect(clock.waits.length).toBeGreaterThan(0);
    for (const milliseconds of clock.waits) expect(milliseconds).toBeGreaterThanOrEqual(1_000);
    expect(await readBalance(limited, owner)).toBe(balance - 4);
  });

  it('with 503 is retried after Retry-After, and 502 from a proxy after the backoff', async () => {
    const body = JSON.stringify({ message: 'Busy', code: 'service_unavailable', requestId: 'r' });
    proxy.plan({ status: 503, headers: { 'Retry-After': '30' }, body }, { status: 502, body: '<html>' });
    const clock = new TestClock();
    const submitted = await connect(proxy, tenant, { clock, random: () => 0 }).submit(request());
    expect(submitted.isReplayed).toBe(false);
    expect(clock.waits).toEqual([30_000, 500]);
  });

  it('with 409 for a concurrent request returns the response to that request', async () => {
    const documents = request();
    const holder = service.owner.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE', [tenant.tenantId]);
    const first = connect(service, tenant).submit(documents, { idempotencyKey: 'under-way' });
    await service.blockedBy(holder);
    const clock = new TestClock(async () => {
      if (holder.isTransactionActive) await holder.rollbackTransaction();
      await first;
    });
    const second = await connect(service, tenant, { clock }).submit(documents, { idempotencyKey: 'under-way' });
    await holder.release();
    expect(clock.waits[0]).toBeGreaterThanOrEqual(1_000);
    expect(second).toMatchObject({ isReplayed: true, submissionBatchId: (await first).submissionBatchId });
  });

  it('is not retried if Retry-After is one hour', async () => {
    proxy.plan({ status: 429, headers: { 'Retry-After': '3600' } });
    const clock = new TestClock();
    const error = await thrownBy(EInvoiceError, connect(proxy, tenant, { clock }).submit(request()));
    expect(error).toMatchObject({ code: 'response_unexpected', status: 429, retryAfterSeconds: 3600 });
    expect(clock.waits).toEqual([]);
  });
});

describe('error', () => {
  it('has the body of its code', async () => {
    const client = connect(service, tenant);
    const invalid = await thrownBy(
      EInvoiceError,
      client.submit({ ...request(), documents: invoices(2, { document_date: '2026-02-30' }) }),
    );
    if (!hasCode(invalid, 'validation_failed')) throw invalid;
    expect(invalid.body.details.map(({ documentIndex }) => documentIndex)).toEqual([0, 1]);

    const { submissionBatchId } = await accept(service, tenant, [invoice({ referenceId: 'TWICE' })]);
    const duplicate = await thrownBy(
      EInvoiceError,
      client.submit({ ...request(), documents: invoices(1, { referenceId: 'TWICE' }) }),
    );
    if (!hasCode(duplicate, 'duplicate_document')) throw duplicate;
    expect(duplicate.body.details.map((one) => one.submissionBatchId)).toEqual([submissionBatchId]);

    const poor = connect(service, await createTenant(service, { credits: 1 }));
    const short = await thrownBy(EInvoiceError, poor.submit(request(3)));
    if (!hasCode(short, 'insufficient_credits')) throw short;
    expect(short.body).toMatchObject({
      requiredCredits: 3,
      remainingCredits: 1,
      shortBy: 2,
      requestId: short.requestId,
    });

    const reused = client
      .submit(request(), { idempotencyKey: 'used' })
      .then(() => client.submit(request(), { idempotencyKey: 'used' }));
    expect(await thrownBy(EInvoiceError, reused)).toMatchObject({
      code: 'idempotency_key_reused',
      isOutcomeUnknown: false,
    });
  });

  it.each([
    ['api_key_invalid', 401, () => connect(service, { apiKey: 'guess' }).dryRun(request())],
    ['document_not_found', 404, () => connect(service, tenant).cancel({ documentId: randomUUID() })],
    ['submission_batch_not_found', 404, () => connect(service, tenant).readStatus(randomUUID())],
    ['submission_batch_id_invalid', 400, () => connect(service, tenant).waitForOutcome('a/b')],
    ['taxpayer_id_required', 400, () => connect(service, tenant).validateTaxpayerTin('C1111111110')],
    ['route_not_found', 404, () => connect({ url: `${service.url}/api` }, tenant).dryRun(request())],
  ])('%s is thrown after one attempt', async (code, status, call) => {
    const error = await thrownBy(EInvoiceError, call());
    expect(error).toMatchObject({ name: 'EInvoiceError', code, status, idempotencyKey: error.idempotencyKey });
    expect(error.requestId).toMatch(/./);
  });

  it('contains baseUrl when another server responds, and does not send the key elsewhere', async () => {
    const elsewhere = await startFileProxy(service);
    proxy.plan({ status: 307, headers: { Location: elsewhere.url } }, { status: 404, body: '<html>' });
    const client = connect(proxy, tenant);
    for (const status of [307, 404]) {
      const error = await thrownBy(EInvoiceError, client.dryRun(request()));
      expect(error).toMatchObject({ code: 'response_unexpected', status, body: null });
      expect(error.message).toContain('check baseUrl');
    }
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('abort signal', () => {
  it('ends a running call without a retry', async () => {
    const controller = new AbortController();
    const holder = service.owner.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT FROM credit_account WHERE tenant_id = $1 FOR UPDATE', [tenant.tenantId]);
    const before = proxy.requests.length;
    const call = connect(proxy, tenant).submit(request(), { signal: controller.signal });
    await service.blockedBy(holder);
    controller.abort(new Error('Enough'));
    await expect(call).rejects.toThrow('Enough');
    await holder.rollbackTransaction();
    await holder.release();
    expect(proxy.requests).toHaveLength(before + 1);
  });

  it('ends the wait between two attempts', async () => {
    const controller = new AbortController();
    proxy.plan({ status: 503, headers: { 'Retry-After': '60' } });
    const before = proxy.requests.length;
    const call = connect(proxy, tenant, { clock: undefined }).submit(request(), { signal: controller.signal });
    await until('the first attempt', () => proxy.requests.length > before);
    controller.abort(new Error('Enough'));
    await expect(call).rejects.toThrow('Enough');
    expect(proxy.requests).toHaveLength(before + 1);
  });

  it('prevents the request if it is aborted before the call', async () => {
    const holdings = await countTenantRows(service, tenant);
    await expect(
      connect(service, tenant).submit(request(), { signal: AbortSignal.abort(new Error('Enough')) }),
    ).rejects.toThrow('Enough');
    expect(await countTenantRows(service, tenant)).toEqual(holdings);
  });
});

describe('waitForOutcome', () => {
  it('polls with the ETag and a held response, not before nextPollAfterSeconds', async () => {
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    const settled: Promise<void>[] = [];
    const clock = new TestClock(() => {
      // The second poll is held until the document changes.
      if (settled.length > 0) return;
      const isHeld = until('a held poll', () => proxy.requests.length === before + 2);
      settled.push(isHeld.then(() => service.settle()));
    });
    const before = proxy.requests.length;
    const seen: string[] = [];
    const outcome = await connect(proxy, tenant, { clock }).waitForOutcome(submissionBatchId, {
      onChange: ({ status }) => seen.push(status),
    });
    await Promise.all(settled);
    expect(outcome.status).toBe('Valid');
    expect([seen[0], seen.at(-1)]).toEqual(['Queued', 'Valid']);
    const [first, ...held] = proxy.requests.slice(before).map(({ headers }) => headers);
    expect([first['if-none-match'], first.prefer]).toEqual([undefined, undefined]);
    expect(held.length).toBeGreaterThan(0);
    for (const headers of held)
      expect([headers['if-none-match'], headers.prefer]).toEqual([expect.stringMatching(/./), 'wait=20']);
    expect(clock.waits[0]).toBeGreaterThan(1_900);
    expect(clock.waits[0]).toBeLessThanOrEqual(2_000);
  });

  it('waits for Retry-After even if an unchanged response is not held', async () => {
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    const unchanged = { status: 304, headers: { 'Retry-After': '7', ETag: 'W/"x"' } };
    const clock = new TestClock(async () => {
      if (clock.waits.length === 1) proxy.plan(unchanged, unchanged);
      if (clock.waits.length === 3) await service.settle();
    });
    await connect(proxy, tenant, { clock }).waitForOutcome(submissionBatchId);
    const seconds = clock.waits.slice(1, 3).map((milliseconds) => Math.round(milliseconds / 1_000));
    expect(seconds).toEqual([7, 7]);
  });

  it('ends after the timeout with the latest status', async () => {
    const { submissionBatchId } = await accept(service, tenant, [invoice()]);
    const clock = new TestClock();
    const wait = connect(service, tenant, { clock }).waitForOutcome(submissionBatchId, { timeoutSeconds: 5 });
    const error = await thrownBy(EInvoiceError, wait);
    expect(error).toMatchObject({ code: 'outcome_timeout', message: expect.stringContaining('is Queued after 5 s') });
    expect(clock.waits.reduce((sum, milliseconds) => sum + milliseconds, 0)).toBeLessThan(5_000);
  });
});

it('client calls the global fetch in a way that browsers allow', async () => {
  const original = globalThis.fetch;
  const { submissionBatchId } = await accept(service, tenant, [invoice()]);
  globalThis.fetch = function (this: unknown, ...parameters: Parameters<typeof fetch>) {
    if (this !== globalThis && this !== undefined) throw new TypeError('Illegal invocation');
    return original(...parameters);
  };
  try {
    const { status } = await connect(service, tenant, { attemptsMax: 1 }).readStatus(submissionBatchId);
    expect(status?.status).toBe('Queued');
  } finally {
    globalThis.fetch = original;
  }
});
