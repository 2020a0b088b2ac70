import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, control, errorOf, requestToken, supplierTin } from './testing/test-client.js';

describe('faults', () => {
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

  async function retryAfterOf(fault: string): Promise<string | null> {
    await addFault(fault);
    return (await client.submit(exampleEntry())).headers.get('retry-after');
  }

  async function wireLogLength(): Promise<number> {
    return ((await (await fetch(`${simulator.url}/_control/wire-log?after=0`)).json()) as unknown[]).length;
  }

  it.each([
    ['drop-before', 0],
    ['drop-after', 1],
  ])('%s cuts the connection with %i documents taken', async (fault, taken) => {
    await addFault(fault);
    await expect(client.submit(exampleEntry())).rejects.toThrow('fetch failed');
    expect(await wireLogLength()).toBe(taken);
  });

  it.each([
    ['http-500-before', 500, 0],
    ['http-500-after', 500, 1],
    ['http-503', 503, 0],
    ['html-403', 403, 0],
    ['401', 401, 0],
    ['429-bare', 429, 0],
    ['late', 202, 1],
    ['stuck', 202, 1],
  ])('%s answers %i with %i documents taken', async (fault, status, taken) => {
    await addFault(fault);
    expect((await client.submit(exampleEntry())).status).toBe(status);
    expect(await wireLogLength()).toBe(taken);
  });

  it('html-403 is a page, not JSON', async () => {
    await addFault('html-403');
    const answer = await client.submit(exampleEntry());
    expect(answer.headers.get('content-type')).toContain('text/html');
  });

  it('truncated-json takes the documents and answers half a body', async () => {
    await addFault('truncated-json');
    const answer = await client.submit(exampleEntry());
    expect(answer.status).toBe(202);
    expect(() => answer.json()).toThrow(SyntaxError);
    expect(await wireLogLength()).toBe(1);
  });

  it('429 comes with seconds, with a date or bare', async () => {
    expect(await retryAfterOf('429-seconds')).toBe('3');
    expect(await retryAfterOf('429-date')).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
    expect(await retryAfterOf('429-bare')).toBeNull();
  });

  it('stuck leaves the documents of the call Submitted', async () => {
    await addFault('stuck');
    const stuck = await client.accept(exampleEntry());
    const other = await client.accept(exampleEntry());
    await control(simulator.url, 'clock', { advanceSeconds: 60 });
    expect([await client.statusOf(stuck), await client.statusOf(other)]).toEqual(['Submitted', 'Valid']);
  });

  it('cancel-200-with-error answers 200 and cancels nothing', async () => {
    await addFault('cancel-200-with-error', { api: 'cancel' });
    const uuid = await client.accept(exampleEntry());
    await control(simulator.url, 'clock', { advanceSeconds: 2 });
    const answer = await client.changeState(uuid, 'cancelled');
    expect(answer.status).toBe(200);
    expect(errorOf(answer).code).toBe('UpdateFailed');
    expect(await client.statusOf(uuid)).toBe('Valid');
  });

  it('strikes as often as it was asked to', async () => {
    await addFault('http-503', { api: 'submit' }, 2);
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await client.submit(exampleEntry())).status);
    expect(statuses).toEqual([503, 503, 202]);
  });

  it('strikes only the call, the number and the taxpayer it is bound to', async () => {
    await addFault('http-503', { api: 'details' });
    await addFault('http-503', { api: 'submit', referenceId: 'A-1' });
    await addFault('http-503', { api: 'token', supplierTin });
    expect((await client.submit(exampleEntry({ number: 'A-2' }))).status).toBe(202);
    expect((await client.submit(exampleEntry({ number: 'A-1' }))).status).toBe(503);
    expect((await requestToken(simulator.url, 'C2222222220')).status).toBe(200);
    expect((await requestToken(simulator.url)).status).toBe(503);
  });

  it.each([['getSubmission'], ['details'], ['cancel']])('binds %s to a document number', async (api) => {
    const answer = await client.submit(exampleEntry({ number: 'B-1' }));
    const { submissionUid, acceptedDocuments } = answer.json() as {
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
    ['no times', { when: { api: 'submit' }, fault: '401', times: 0 }, 'times'],
    ['a fault of another call', { when: { api: 'search' }, fault: 'stuck' }, 'submit'],
  ])('refuses %s and says what is known', async (_title, rule, text) => {
    const answer = await control(simulator.url, 'faults', [rule]);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(text);
  });
});
