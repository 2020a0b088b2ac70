import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, control, parseError, supplierTin } from './testing/test-client.js';

interface Notification {
  notificationId: string;
  typeId: string;
  receivedDateTime: string;
  finalMessage: string;
}

interface NotificationsAnswer {
  result: Notification[];
  metadata: { hasNext: boolean };
}

describe('notifications', () => {
  let simulator: Simulator;
  let client: TestClient;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  beforeEach(async () => {
    await control(simulator.url, 'reset');
    client = await TestClient.login(simulator.url);
  });
  afterAll(() => simulator.close());

  const advance = (advanceSeconds: number) => control(simulator.url, 'clock', { advanceSeconds });
  const notifications = (parameters: Record<string, string> = {}, caller = client) =>
    caller.call(`notifications/taxpayer?${new URLSearchParams(parameters).toString()}`);
  const read = async (parameters?: Record<string, string>, caller?: TestClient) =>
    (await notifications(parameters, caller)).json() as NotificationsAnswer;
  const messages = async (parameters?: Record<string, string>, caller?: TestClient) =>
    (await read(parameters, caller)).result.map(({ finalMessage }) => finalMessage);

  /** Creates a valid document that is requested for rejection and then cancelled, and an invalid document. */
  async function makeHistory(): Promise<void> {
    const uuid = await client.accept(exampleEntry({ number: 'A1' }));
    await advance(1);
    await client.accept(exampleEntry({ number: 'SIM-INVALID-CV302-1' }));
    await advance(10);
    await control(simulator.url, 'portal', { uuid, action: 'reject' });
    await advance(10);
    await client.changeState(uuid, 'cancelled', 'Wrong buyer');
  }

  const history = [
    'Document A1 was cancelled: Wrong buyer',
    'Document A1 is to be rejected by request of the buyer',
    'Document SIM-INVALID-CV302-1 is Invalid',
    'Document A1 is Valid',
  ];

  it('list document events, newest first', async () => {
    expect((await read()).result).toEqual([]);
    await makeHistory();
    expect(await messages()).toEqual(history);
    const { result } = await read();
    expect(result.map(({ typeId }) => typeId)).toEqual(['8', '15', '7', '7']);
    expect(new Set(result.map(({ notificationId }) => notificationId)).size).toBe(4);
    expect(result[0]).toMatchObject({
      receiverName: 'Kedai Contoh Sdn Bhd',
      notificationSubject: 'Document cancelled',
      typeName: 'Document cancelled',
      language: 'en',
      status: 'delivered',
      deliveryAttempts: [{ status: 'delivered' }],
    });
  });

  it('state on each page whether there is a next page', async () => {
    await makeHistory();
    expect(await messages({ pageSize: '3' })).toEqual(history.slice(0, 3));
    expect((await read({ pageSize: '3' })).metadata).toEqual({ hasNext: true });
    expect(await messages({ pageSize: '3', pageNo: '2' })).toEqual(history.slice(3));
    expect((await read({ pageSize: '3', pageNo: '2' })).metadata).toEqual({ hasNext: false });
    expect((await read({ pageSize: '4' })).metadata).toEqual({ hasNext: false });
  });

  it('are filtered by date, type, language and status', async () => {
    await makeHistory();
    const requested = Date.parse((await read({ type: '15' })).result[0]?.receivedDateTime ?? '');
    const afterValidation = new Date(requested - 1000).toISOString();
    for (const [parameters, expected] of [
      [{ dateFrom: afterValidation }, history.slice(0, 2)],
      [{ dateTo: afterValidation }, history.slice(2)],
      [{ type: '15' }, history.slice(1, 2)],
      [{ type: '33' }, []],
      [{ language: 'en', status: '4' }, history],
      [{ language: 'ms' }, []],
      [{ status: '5' }, []],
      [{ channel: 'push' }, history],
    ] as [Record<string, string>, string[]][]) {
      expect([parameters, await messages(parameters)]).toEqual([parameters, expected]);
    }
  });

  it('are visible only to the client and taxpayer that submitted the documents', async () => {
    await makeHistory();
    for (const other of [
      await TestClient.login(simulator.url, 'C2222222220'),
      await TestClient.login(simulator.url, supplierTin, 'other'),
    ]) {
      expect(await messages({}, other)).toEqual([]);
    }
  });

  it.each<[string, Record<string, string>, string]>([
    ['an unknown type', { type: '1' }, 'type'],
    ['an unknown status', { status: '6' }, 'status'],
    ['an unknown language', { language: 'fr' }, 'language'],
    ['a date without a time', { dateFrom: '2026-01-01' }, 'dateFrom'],
    ['dates in the wrong order', { dateFrom: '2026-01-02T00:00:00Z', dateTo: '2026-01-01T00:00:00Z' }, 'dateFrom'],
    ['a page size of 101', { pageSize: '101' }, 'pageSize'],
  ])('reject %s', async (_title, parameters, target) => {
    const response = await notifications(parameters);
    expect(response.status).toBe(400);
    expect(parseError(response)).toMatchObject({ code: 'BadArgument', target });
  });

  it('require the view permission', async () => {
    await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed: true, permissions: ['submit'] });
    const response = await notifications();
    expect([response.status, parseError(response).code]).toEqual([403, 'Forbidden']);
  });
});
