import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry, newNumber } from './testing/example-documents.js';
import { type DocumentRow, TestClient, control, parseError, supplierTin } from './testing/test-client.js';

interface RecentAnswer {
  result: DocumentRow[];
  metadata: { totalPages: number; totalCount: number };
}

const dayS = 24 * 60 * 60;

describe('recent documents', () => {
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
  const recent = (parameters: Record<string, string> = {}, caller = client) =>
    caller.call(`documents/recent?${new URLSearchParams(parameters).toString()}`);
  const listRecentNumbers = async (parameters?: Record<string, string>, caller?: TestClient) =>
    ((await recent(parameters, caller)).json() as RecentAnswer).result.map(({ internalId }) => internalId);

  it('are listed in pages, newest first, with the same rows as in Search', async () => {
    for (const number of ['A1', 'A2', 'A3']) await client.accept(exampleEntry({ number }));
    expect(await listRecentNumbers()).toEqual(['A3', 'A2', 'A1']);
    expect(await listRecentNumbers({ pageSize: '2', pageNo: '2' })).toEqual(['A1']);
    const { result, metadata } = (await recent({ pageSize: '2' })).json() as RecentAnswer;
    expect(metadata).toEqual({ totalPages: 2, totalCount: 3 });
    const found = (await client.searchAround(Date.now(), { pageSize: '2' })).json() as RecentAnswer;
    expect(result).toEqual(found.result);
  });

  it('are limited to the last 31 days regardless of the requested period', async () => {
    const issuedAt = Date.now() - 60_000;
    await client.accept(exampleEntry({ number: 'OLD', issuedAt }));
    const issued = {
      issueDateFrom: new Date(issuedAt - 1000).toISOString(),
      issueDateTo: new Date(issuedAt + 1000).toISOString(),
    };
    await control(simulator.url, 'settings', { tokenSeconds: 40 * dayS });
    client = await TestClient.login(simulator.url);
    await advance(31 * dayS - 120);
    expect(await listRecentNumbers()).toEqual(['OLD']);
    await advance(120);
    expect(await listRecentNumbers()).toEqual([]);
    expect(await listRecentNumbers(issued)).toEqual([]);
    expect(((await client.search(issued)).json() as RecentAnswer).metadata.totalCount).toBe(1);
  });

  it('are visible only to the client and taxpayer that submitted them', async () => {
    await client.accept(exampleEntry());
    expect(await listRecentNumbers({}, await TestClient.login(simulator.url, 'C2222222220'))).toEqual([]);
    expect(await listRecentNumbers({}, await TestClient.login(simulator.url, supplierTin, 'other'))).toEqual([]);
    expect(await listRecentNumbers({}, await TestClient.login(simulator.url))).toHaveLength(1);
  });

  it('are filtered by dates, direction, status, type and receiver', async () => {
    await client.accept(exampleEntry({ number: 'A1' }));
    await client.accept(exampleEntry({ number: 'SIM-STUCK-1' }));
    await advance(2);
    // Starts a millisecond later, because the range includes documents of the current millisecond.
    const [now, later] = [1, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const sent = { InvoiceDirection: 'Sent' };
    const both = ['SIM-STUCK-1', 'A1'];
    for (const [parameters, numbers] of [
      [{ status: 'Valid' }, ['A1']],
      [{ documentType: '01' }, both],
      [{ documentType: '02' }, []],
      [sent, both],
      [{ InvoiceDirection: 'Received' }, []],
      [{ InvoiceDirection: 'Received', issuerTin: 'C9876543210' }, []],
      [{ ...sent, receiverTin: 'C9876543210' }, both],
      [{ ...sent, receiverTin: supplierTin }, []],
      [{ ...sent, receiverIdType: 'BRN', receiverId: '202001234567' }, both],
      [{ ...sent, receiverIdType: 'NRIC', receiverId: '202001234567' }, []],
      [{ ...sent, receiverIdType: 'BRN', receiverId: '202001234568' }, []],
      [{ issueDateFrom: now, issueDateTo: later }, []],
      [{ submissionDateFrom: now, submissionDateTo: later }, []],
    ] as [Record<string, string>, string[]][]) {
      expect([parameters, await listRecentNumbers(parameters)]).toEqual([parameters, numbers]);
    }
  });

  it("are filtered by the type of the receiver's id", async () => {
    const id = 'AccountingCustomerParty.0.Party.0.PartyIdentification.1.ID.0';
    await client.accept(exampleEntry({ number: 'BRN1' }));
    await client.accept(
      exampleEntry({ number: 'NRIC1', set: { [`${id}.schemeID`]: 'NRIC', [`${id}._`]: '770625015324' } }),
    );
    const sent = { InvoiceDirection: 'Sent' };
    expect(await listRecentNumbers({ ...sent, receiverIdType: 'NRIC' })).toEqual(['NRIC1']);
    expect(await listRecentNumbers({ ...sent, receiverIdType: 'BRN' })).toEqual(['BRN1']);
  });

  it('appear after the search lag', async () => {
    await control(simulator.url, 'settings', { searchLagMs: 30_000 });
    await client.accept(exampleEntry());
    expect(await listRecentNumbers()).toEqual([]);
    await advance(30);
    expect(await listRecentNumbers()).toHaveLength(1);
  });

  it('start at page 0 or page 1', async () => {
    const number = newNumber();
    await client.accept(exampleEntry({ number }));
    for (const pageNo of ['0', '1']) expect(await listRecentNumbers({ pageNo })).toEqual([number]);
    expect(await listRecentNumbers({ pageNo: '2' })).toEqual([]);
  });

  const from = '2026-01-01T00:00:00Z';
  it.each<[string, Record<string, string>, string]>([
    ['only one of a pair of dates', { issueDateFrom: from }, 'issueDate'],
    ['a date without a time', { submissionDateFrom: '2026-01-01', submissionDateTo: from }, 'submissionDateFrom'],
    ['more than 31 days', { issueDateFrom: from, issueDateTo: '2026-02-01T00:00:01Z' }, 'issueDateTo'],
    ['a page size of 101', { pageSize: '101' }, 'pageSize'],
    ['a negative page number', { pageNo: '-1' }, 'pageNo'],
    ['a page size of 0', { pageSize: '0' }, 'pageSize'],
    ['an unknown direction', { InvoiceDirection: 'Both' }, 'InvoiceDirection'],
    ['an unknown type', { documentType: '05' }, 'documentType'],
    ['a receiver without a direction', { receiverTin: supplierTin }, 'receiverTin'],
    ['a receiver for received documents', { InvoiceDirection: 'Received', receiverTin: supplierTin }, 'receiverTin'],
    ['an issuer for sent documents', { InvoiceDirection: 'Sent', issuerTin: supplierTin }, 'issuerTin'],
    ['an id without its type', { InvoiceDirection: 'Sent', receiverId: '1' }, 'receiverIdType'],
    ['an unknown id type', { InvoiceDirection: 'Sent', receiverIdType: 'TAX' }, 'receiverIdType'],
  ])('reject %s', async (_title, parameters, target) => {
    const response = await recent(parameters);
    expect(response.status).toBe(400);
    expect(parseError(response)).toMatchObject({ code: 'BadArgument', target });
  });

  it('require the view permission', async () => {
    await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed: true, permissions: ['submit'] });
    const response = await recent();
    expect([response.status, parseError(response).code]).toEqual([403, 'Forbidden']);
  });
});
