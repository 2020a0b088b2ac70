import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { type ExampleEntry, exampleEntry } from './testing/example-documents.js';
import {
  type SubmitResponse,
  TestClient,
  control,
  parseError,
  requestToken,
  send,
  supplierTin,
} from './testing/test-client.js';

describe('simulator fault', () => {
  let simulator: Simulator;
  let client: TestClient;
  beforeAll(async () => {
    simulator = await startSimulator({ settings: { lateAnswerMs: 100 } });
  });
  beforeEach(async () => {
    await control(simulator.url, 'reset');
    client = await TestClient.login(simulator.url);
  });
  afterAll(() => simulator.close());

  const addFault = (fault: string, when: object = { api: 'submit' }, times?: number) =>
    control(simulator.url, 'faults', [{ when, fault, times }]);

  async function submitForRetryAfter(fault: string): Promise<string | null> {
    await addFault(fault);
    return (await client.submit(exampleEntry())).headers.get('retry-after');
  }

  async function acceptedNumbers(...entries: ExampleEntry[]): Promise<string[]> {
    const { acceptedDocuments } = (await client.submit(...entries)).json() as SubmitResponse;
    return acceptedDocuments.map(({ invoiceCodeNumber }) => invoiceCodeNumber);
  }

  async function wireLogLength(): Promise<number> {
    return ((await (await fetch(`${simulator.url}/_control/wire-log?after=0`)).json()) as unknown[]).length;
  }

  it.each([
    ['drop-before', 0],
    ['drop-after', 1],
  ])('cuts the connection for %s after accepting %i documents', async (fault, taken) => {
    await addFault(fault);
    await expect(client.submit(exampleEntry())).rejects.toThrow('fetch failed');
    expect(await wireLogLength()).toBe(taken);
  });

  it.each([
    ['http-500-before', 500, 0],
    ['http-500-after', 500, 1],
    ['http-503', 503, 0],
    ['html-403', 403, 0],
    ['html-503', 503, 0],
    ['401', 401, 0],
    ['429-bare', 429, 0],
    ['late', 202, 1],
    ['stuck', 202, 1],
  ])('responds to %s with %i after accepting %i documents', async (fault, status, taken) => {
    await addFault(fault);
    expect((await client.submit(exampleEntry())).status).toBe(status);
    expect(await wireLogLength()).toBe(taken);
  });

  it.each(['html-403', 'html-503'])('responds to %s with an HTML page', async (fault) => {
    await addFault(fault);
    const response = await client.submit(exampleEntry());
    expect(response.headers.get('content-type')).toContain('text/html');
  });

  it('accepts the documents and sends half of the body for truncated-json', async () => {
    await addFault('truncated-json');
    const response = await client.submit(exampleEntry());
    expect(response.status).toBe(202);
    expect(() => response.json()).toThrow(SyntaxError);
    expect(await wireLogLength()).toBe(1);
  });

  it('supports every form of Retry-After with 429', async () => {
    expect(await submitForRetryAfter('429-seconds')).toBe('3');
    expect(await submitForRetryAfter('429-date')).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
    expect(await submitForRetryAfter('429-bare')).toBeNull();
  });

  it('sends only X-Rate-Limit-Reset for 429-reset', async () => {
    await addFault('429-reset');
    const { status, headers } = await client.submit(exampleEntry());
    expect([status, headers.get('retry-after')]).toEqual([429, null]);
    expect(headers.get('x-rate-limit-reset')).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{7}Z$/);
  });

  it.each([
    ['login-403', 403, '"code":"Forbidden"'],
    ['login-403-empty', 403, ''],
    ['login-unauthorised-client', 400, '"error":"unauthorised_client"'],
  ])('rejects a login for %s with %i', async (fault, status, text) => {
    await addFault(fault, { api: 'token' });
    const refused = await requestToken(simulator.url);
    expect(refused.status).toBe(status);
    expect(refused.text === '').toBe(text === '');
    expect(refused.text).toContain(text);
    expect((await requestToken(simulator.url)).status).toBe(200);
  });

  it.each([
    ['tin-mismatch', 'The authenticated TIN and documents TIN is not matching '],
    ['submitter-refused', 'The submitter has no permission to submit for this taxpayer'],
  ])('rejects the whole submission for %s', async (fault, message) => {
    await addFault(fault);
    const response = await client.submit(exampleEntry());
    expect(response.status).toBe(400);
    expect(response.json()).toMatchObject({ error: { details: [{ code: 'submission', message }] } });
    expect(await wireLogLength()).toBe(0);
  });

  it('removes the reasons from Details for not-found, no-results and error-as-text', async () => {
    const uuid = await client.accept(exampleEntry({ number: 'SIM-INVALID-CV302-1' }));
    await control(simulator.url, 'clock', { advanceSeconds: 60 });
    for (const fault of ['not-found', 'no-results', 'error-as-text']) await addFault(fault, { api: 'details' });
    const details = () => client.call(`documents/${uuid}/details`);
    expect((await details()).status).toBe(404);
    const bare = (await details()).json() as object;
    expect(bare).toMatchObject({ uuid, status: 'Invalid' });
    expect(bare).not.toHaveProperty('validationResults');
    const { validationResults } = (await details()).json() as {
      validationResults: { validationSteps: { error?: unknown }[] };
    };
    const errors = validationResults.validationSteps.flatMap(({ error }) => (error === undefined ? [] : [error]));
    expect(errors).toEqual([expect.stringMatching(/\w/)]);
  });

  it('keeps the documents of a stuck call Submitted', async () => {
    await addFault('stuck');
    const stuck = await client.accept(exampleEntry());
    const other = await client.accept(exampleEntry());
    await control(simulator.url, 'clock', { advanceSeconds: 60 });
    expect([await client.readStatus(stuck), await client.readStatus(other)]).toEqual(['Submitted', 'Valid']);
  });

  it('returns 200 for cancel-200-with-error without cancelling the document', async () => {
    await addFault('cancel-200-with-error', { api: 'cancel' });
    const uuid = await client.accept(exampleEntry());
    await control(simulator.url, 'clock', { advanceSeconds: 2 });
    const response = await client.changeState(uuid, 'cancelled');
    expect(response.status).toBe(200);
    expect(parseError(response).code).toBe('UpdateFailed');
    expect(await client.readStatus(uuid)).toBe('Valid');
  });

  it('sends the body of slow-body over lateAnswerMs', async () => {
    await addFault('slow-body');
    const answer = await client.submit(exampleEntry());
    expect(answer.status).toBe(202);
    expect((answer.json() as SubmitResponse).acceptedDocuments).toHaveLength(1);
    await control(simulator.url, 'settings', { lateAnswerMs: 600_000 });
    await addFault('slow-body');
    const response = await fetch(`${simulator.url}/api/v1.0/documentsubmissions`, {
      method: 'POST',
      headers: client.headers,
      body: JSON.stringify({ documents: [exampleEntry()] }),
    });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBe(1);
    await reader?.cancel();
    expect(await wireLogLength()).toBe(2);
  });

  it('responds to huge-answer with valid JSON of more than 16 MiB', async () => {
    await addFault('huge-answer');
    const response = await client.submit(exampleEntry());
    expect(response.text.length).toBeGreaterThan(16 * 1024 * 1024);
    expect((response.json() as SubmitResponse).acceptedDocuments).toHaveLength(1);
  });

  it('sends JSON as text/html for wrong-content-type', async () => {
    await addFault('wrong-content-type');
    const response = await client.submit(exampleEntry());
    expect(response.headers.get('content-type')).toBe('text/html');
    expect((response.json() as SubmitResponse).acceptedDocuments).toHaveLength(1);
  });

  it('accepts the documents and responds with an HTML page for html-504-after', async () => {
    await addFault('html-504-after');
    const response = await client.submit(exampleEntry());
    expect([response.status, response.text.startsWith('<html>'), await wireLogLength()]).toEqual([504, true, 1]);
  });

  it('logs a client that follows a redirect with its token', async () => {
    await addFault('redirect');
    expect((await client.submit(exampleEntry())).status).toBe(200);
    expect(await wireLogLength()).toBe(0);
    const calls = (await send(`${simulator.url}/_control/calls?after=1`)).json();
    expect(calls).toMatchObject([
      { sequence: 2, api: 'submit', status: 307, fault: 'redirect' },
      { sequence: 3, api: 'canary', status: 200, taxpayerTin: supplierTin },
    ]);
  });

  it('accepts the last document but omits it from the response for partial-answer', async () => {
    const entries = [exampleEntry(), exampleEntry()];
    await addFault('partial-answer');
    expect(await acceptedNumbers(...entries)).toEqual([entries[0]?.codeNumber]);
    expect(await wireLogLength()).toBe(2);
  });

  it('reverses the lists of the response for out-of-order', async () => {
    const entries = [exampleEntry(), exampleEntry(), exampleEntry()];
    await addFault('out-of-order');
    expect(await acceptedNumbers(...entries)).toEqual(entries.map(({ codeNumber }) => codeNumber).toReversed());
    await addFault('out-of-order', { api: 'recent' });
    const { result } = (await client.call('documents/recent')).json() as { result: { internalId: string }[] };
    expect(result.map(({ internalId }) => internalId)).toEqual(entries.map(({ codeNumber }) => codeNumber));
  });

  it('repeats the uuid of another document for duplicate-uuid', async () => {
    await addFault('duplicate-uuid', { api: 'submit' }, 2);
    const several = (await client.submit(exampleEntry(), exampleEntry())).json() as SubmitResponse;
    expect(several.acceptedDocuments[1]?.uuid).toBe(several.acceptedDocuments[0]?.uuid);
    const alone = (await client.submit(exampleEntry())).json() as SubmitResponse;
    const log = (await send(`${simulator.url}/_control/wire-log?after=0`)).json() as { uuid: string }[];
    expect(alone.acceptedDocuments[0]?.uuid).toBe(log[1]?.uuid);
    expect(new Set(log.map(({ uuid }) => uuid)).size).toBe(3);
  });

  it('accepts the whole payload again after partial-accept', async () => {
    const entries = [exampleEntry(), exampleEntry(), exampleEntry()];
    await addFault('partial-accept');
    await expect(client.submit(...entries)).rejects.toThrow('fetch failed');
    expect(await wireLogLength()).toBe(1);
    expect((await client.submit(...entries)).status).toBe(202);
  });

  it.each([
    ['rejected', 'CF321', null],
    ['rejected-as-duplicate', 'DS302', 'UUID: {earlier}'],
  ])('rejects every document for %s with %s', async (fault, code, text) => {
    const entry = exampleEntry();
    const earlier = await client.accept(entry);
    await addFault(fault);
    const { acceptedDocuments, rejectedDocuments } = (await client.submit(entry)).json() as SubmitResponse;
    expect(acceptedDocuments).toEqual([]);
    expect(rejectedDocuments).toMatchObject([{ error: { details: [{ code }] } }]);
    expect(JSON.stringify(rejectedDocuments)).toContain(text?.replace('{earlier}', earlier) ?? '');
    expect(await wireLogLength()).toBe(1);
  });

  async function readIds(fault: string, ...entries: ExampleEntry[]): Promise<SubmitResponse> {
    await addFault(fault);
    return (await client.submit(...entries)).json() as SubmitResponse;
  }

  async function readWireLog(): Promise<{ number: string; uuid: string; submissionUid: string }[]> {
    return (await send(`${simulator.url}/_control/wire-log?after=0`)).json() as Awaited<ReturnType<typeof readWireLog>>;
  }

  it('swaps the uuids of the first and the last document for swapped-uuids', async () => {
    const { acceptedDocuments } = await readIds('swapped-uuids', exampleEntry(), exampleEntry(), exampleEntry());
    const uuids = (await readWireLog()).map(({ uuid }) => uuid);
    expect(acceptedDocuments.map(({ uuid }) => uuid)).toEqual([uuids[2], uuids[1], uuids[0]]);
  });

  it('returns a nonexistent uuid for unknown-uuid', async () => {
    const { acceptedDocuments } = await readIds('unknown-uuid', exampleEntry(), exampleEntry());
    const [first, last] = await readWireLog();
    expect(acceptedDocuments[0]?.uuid).toBe(first?.uuid);
    expect(acceptedDocuments[1]?.uuid).not.toBe(last?.uuid);
    expect((await client.call(`documents/${acceptedDocuments[1]?.uuid}/details`)).status).toBe(404);
  });

  it("returns the uuid of another taxpayer's latest document for foreign-uuid", async () => {
    const other = await TestClient.login(simulator.url, 'C2222222220');
    const foreign = await other.accept(
      exampleEntry({ rewrite: (text) => text.replaceAll(supplierTin, 'C2222222220') }),
    );
    const { acceptedDocuments } = await readIds('foreign-uuid', exampleEntry());
    expect(acceptedDocuments[0]?.uuid).toBe(foreign);
  });

  it('returns a nonexistent submission uid for unknown-submission-uid', async () => {
    const { submissionUid } = await readIds('unknown-submission-uid', exampleEntry());
    const [{ submissionUid: actual } = { submissionUid: '' }] = await readWireLog();
    expect(submissionUid).not.toBe(actual);
    await control(simulator.url, 'clock', { advanceSeconds: 60 });
    expect((await client.call(`documentsubmissions/${submissionUid}`)).status).toBe(404);
  });

  it("returns the uid of the taxpayer's previous submission for other-submission-uid", async () => {
    await client.accept(exampleEntry());
    const { submissionUid } = await readIds('other-submission-uid', exampleEntry());
    const [first, second] = await readWireLog();
    expect([submissionUid === first?.submissionUid, submissionUid === second?.submissionUid]).toEqual([true, false]);
  });

  it('applies to every n-th matching call until it is removed', async () => {
    const rule = { when: { api: 'submit' }, fault: 'http-503', times: 100, every: 3 };
    await control(simulator.url, 'faults', [rule]);
    const statuses = [];
    for (let call = 0; call < 6; call += 1) statuses.push((await client.submit(exampleEntry())).status);
    expect(statuses).toEqual([202, 202, 503, 202, 202, 503]);
    const faults = `${simulator.url}/_control/faults`;
    expect((await send(faults)).json()).toEqual([{ api: 'submit', fault: 'http-503', times: 98, every: 3 }]);
    expect((await send(faults, { method: 'DELETE' })).json()).toEqual([]);
    expect((await send(faults)).json()).toEqual([]);
  });

  it('applies to the requested number of calls', async () => {
    await addFault('http-503', { api: 'submit' }, 2);
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await client.submit(exampleEntry())).status);
    expect(statuses).toEqual([503, 503, 202]);
  });

  it('applies only to matching calls of its rule', async () => {
    await addFault('http-503', { api: 'details' });
    await addFault('http-503', { api: 'submit', referenceId: 'A-1' });
    await addFault('http-503', { api: 'token', supplierTin });
    expect((await client.submit(exampleEntry({ number: 'A-2' }))).status).toBe(202);
    expect((await client.submit(exampleEntry({ number: 'A-1' }))).status).toBe(503);
    expect((await requestToken(simulator.url, 'C2222222220')).status).toBe(200);
    expect((await requestToken(simulator.url)).status).toBe(503);
  });

  it.each([['getSubmission'], ['details'], ['cancel']])('matches the document number of %s', async (api) => {
    const response = await client.submit(exampleEntry({ number: 'B-1' }));
    const { submissionUid, acceptedDocuments } = response.json() as {
      submissionUid: string;
      acceptedDocuments: { uuid: string }[];
    };
    const uuid = acceptedDocuments[0]?.uuid ?? '';
    const calls: Record<string, () => Promise<{ status: number }>> = {
      getSubmission: () => client.call(`documentsubmissions/${submissionUid}`),
      details: () => client.call(`documents/${uuid}/details`),
      cancel: () => client.changeState(uuid, 'cancelled'),
    };
    await addFault('http-503', { api, referenceId: 'B-2' });
    expect((await calls[api]?.())?.status).not.toBe(503);
    await addFault('http-503', { api, referenceId: 'B-1' });
    expect((await calls[api]?.())?.status).toBe(503);
  });

  it.each([
    ['an unknown fault', { when: { api: 'submit' }, fault: 'explode' }, 'drop-before'],
    ['an unknown call', { when: { api: 'pay' }, fault: '401' }, 'getSubmission'],
    ['an unknown condition', { when: { api: 'submit', tin: 'C1' }, fault: '401' }, 'supplierTin'],
    ['no call', { fault: '401' }, 'when.api'],
    ['an unknown field', { when: { api: 'submit' }, fault: '401', time: 2 }, 'times'],
    ['zero times', { when: { api: 'submit' }, fault: '401', times: 0 }, 'times'],
    ['a fault that the call does not support', { when: { api: 'search' }, fault: 'stuck' }, 'submit'],
    ['a list fault for a call without lists', { when: { api: 'cancel' }, fault: 'out-of-order' }, 'getSubmission'],
  ])('rejects a rule with %s', async (_title, rule, text) => {
    const response = await control(simulator.url, 'faults', [rule]);
    expect(response.status).toBe(400);
    expect(response.text).toContain(text);
  });
});
