import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry, newNumber } from './testing/example-documents.js';
import { type DocumentRow, type SubmitResponse, TestClient, control, parseError, send } from './testing/test-client.js';

interface SearchAnswer {
  result: DocumentRow[];
  metadata: { totalPages: number; totalCount: number };
}

interface SubmissionAnswer {
  documentCount: number;
  overallStatus: string;
  documentSummary: DocumentRow[];
}

describe('read API', () => {
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

  async function submitted(...numbers: string[]): Promise<string> {
    const response = await client.submit(...numbers.map((number) => exampleEntry({ number })));
    return (response.json() as SubmitResponse).submissionUid ?? '';
  }

  async function readSubmission(uid: string): Promise<SubmissionAnswer> {
    return (await client.call(`documentsubmissions/${uid}?pageNo=1&pageSize=100`)).json() as SubmissionAnswer;
  }

  it('responds to Get Submission with 404 until the submission is visible', async () => {
    const uid = await submitted(newNumber());
    expect((await client.call(`documentsubmissions/${uid}`)).status).toBe(404);
    await advance(1.5);
    expect((await client.call(`documentsubmissions/${uid}`)).status).toBe(200);
  });

  it('returns the documents of a submission with the captured members', async () => {
    const number = newNumber();
    const uid = await submitted(number);
    await advance(2);
    const submission = await readSubmission(uid);
    expect(submission).toMatchObject({ submissionUid: uid, documentCount: 1, overallStatus: 'Valid' });
    expect(submission.documentSummary).toMatchObject([
      {
        submissionUid: uid,
        internalId: number,
        typeName: 'Invoice',
        typeVersionName: 'Version 1',
        issuerTin: 'C1234567890',
        receiverId: 'C9876543210',
        receiverName: 'Pembeli Contoh Sdn Bhd',
        totalPayableAmount: 195.2,
        totalExcludingTax: 180,
        totalDiscount: 10,
        totalNetAmount: 190,
        status: 'Valid',
        cancelDateTime: null,
      },
    ]);
  });

  it.each([
    [['SIM-INVALID-CV302-1', 'SIM-INVALID-CV302-2'], 'Invalid'],
    [['SIM-INVALID-CV302-1', 'V-1'], 'Partially Valid'],
    [['SIM-STUCK-1', 'V-1'], 'InProgress'],
    [['V-1', 'V-2'], 'Valid'],
  ])('summarizes %j as %s', async (numbers, overallStatus) => {
    const uid = await submitted(...numbers);
    await advance(2);
    expect((await readSubmission(uid)).overallStatus).toBe(overallStatus);
  });

  it('returns a submission and its documents only to the client and taxpayer that submitted them', async () => {
    const uid = await submitted(newNumber());
    await advance(2);
    const uuid = (await readSubmission(uid)).documentSummary[0]?.uuid ?? '';
    for (const other of [
      await TestClient.login(simulator.url, 'C2222222220'),
      await TestClient.login(simulator.url, 'C1234567890', 'other'),
    ]) {
      expect((await other.call(`documentsubmissions/${uid}`)).status).toBe(404);
      expect((await other.call(`documents/${uuid}/details`)).status).toBe(404);
      expect((await other.call(`documents/${uuid}/raw`)).status).toBe(404);
      expect(((await other.searchAround(Date.now())).json() as SearchAnswer).result).toEqual([]);
    }
  });

  it('returns the raw text of a document unless it is invalid', async () => {
    const entry = exampleEntry();
    const uuid = await client.accept(entry);
    const invalid = await client.accept(exampleEntry({ number: 'SIM-INVALID-CV302-1' }));
    await advance(2);
    const raw = (await client.call(`documents/${uuid}/raw`)).json() as { document: string };
    expect(raw.document).toBe(Buffer.from(entry.document, 'base64').toString('utf8'));
    expect((await client.call(`documents/${invalid}/raw`)).status).toBe(404);
  });

  it('serves the shared page only for the correct long id', async () => {
    const uuid = await client.accept(exampleEntry({ number: 'A<b>' }));
    await advance(2);
    const { longId } = await client.details(uuid);
    const page = await send(`${simulator.url}/${uuid}/share/${longId}`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).toContain('A&lt;b&gt;');
    expect((await send(`${simulator.url}/${uuid}/share/${longId}X`)).status).toBe(404);
  });

  describe('search', () => {
    it('returns the issuer as issuer and as supplier', async () => {
      await client.accept(exampleEntry({ number: 'ISSUED1' }));
      const found = await client.searchAround(Date.now(), { searchQuery: 'ISSUED1' });
      expect((found.json() as SearchAnswer).result).toMatchObject([
        { issuerName: 'Kedai Contoh Sdn Bhd', supplierName: 'Kedai Contoh Sdn Bhd' },
      ]);
    });

    it('returns documents by number in pages, newest first', async () => {
      for (const number of ['ABC1', 'ABC2', 'ABC3', 'XYZ1']) await client.accept(exampleEntry({ number }));
      const found = (
        await client.searchAround(Date.now(), { searchQuery: 'abc', pageSize: '2' })
      ).json() as SearchAnswer;
      expect(found.metadata).toEqual({ totalPages: 2, totalCount: 3 });
      expect(found.result.map(({ internalId }) => internalId)).toEqual(['ABC3', 'ABC2']);
      const rest = await client.searchAround(Date.now(), { searchQuery: 'abc', pageSize: '2', pageNo: '2' });
      expect((rest.json() as SearchAnswer).result.map(({ internalId }) => internalId)).toEqual(['ABC1']);
    });

    it('filters by status, type, uuid, direction and issue date', async () => {
      const valid = await client.accept(exampleEntry());
      const stuck = await client.accept(exampleEntry({ number: 'SIM-STUCK-1' }));
      await advance(2);
      const now = Date.now();
      const searchUuids = async (parameters: Record<string, string>) =>
        ((await client.searchAround(now, parameters)).json() as SearchAnswer).result.map(({ uuid }) => uuid);
      expect(await searchUuids({ status: 'Valid' })).toEqual([valid]);
      expect(await searchUuids({ status: 'Submitted' })).toEqual([stuck]);
      expect(await searchUuids({ uuid: stuck })).toEqual([stuck]);
      expect(await searchUuids({ documentType: '02' })).toEqual([]);
      expect(await searchUuids({ invoiceDirection: 'Sent' })).toHaveLength(2);
      expect(await searchUuids({ invoiceDirection: 'Received' })).toEqual([]);
      const early = { issueDateFrom: '2020-01-01T00:00:00Z', issueDateTo: '2020-01-02T00:00:00Z' };
      expect(await searchUuids(early)).toEqual([]);
    });

    it('omits a document until the search lag has passed', async () => {
      await control(simulator.url, 'settings', { searchLagMs: 30_000 });
      await client.accept(exampleEntry());
      expect(((await client.searchAround(Date.now())).json() as SearchAnswer).metadata.totalCount).toBe(0);
      await advance(30);
      expect(((await client.searchAround(Date.now())).json() as SearchAnswer).metadata.totalCount).toBe(1);
    });

    const from = '2026-01-01T00:00:00Z';
    it.each<[string, Record<string, string>]>([
      ['no dates', {}],
      ['only one of a pair of dates', { submissionDateFrom: from }],
      ['dates in the wrong order', { submissionDateFrom: from, submissionDateTo: from }],
      ['more than 31 days', { submissionDateFrom: from, submissionDateTo: '2026-02-01T00:00:01Z' }],
      ['a date without a time', { submissionDateFrom: '2026-01-01', submissionDateTo: '2026-01-02' }],
      ['a page size of 101', { issueDateFrom: from, issueDateTo: '2026-01-02T00:00:00Z', pageSize: '101' }],
      ['special characters', { issueDateFrom: from, issueDateTo: '2026-01-02T00:00:00Z', searchQuery: 'INV-1' }],
      ['an unknown status', { issueDateFrom: from, issueDateTo: '2026-01-02T00:00:00Z', status: 'Done' }],
    ])('rejects %s', async (_title, parameters) => {
      const response = await client.search(parameters);
      expect(response.status).toBe(400);
      expect(parseError(response).code).toBe('BadArgument');
    });

    it('accepts a period of exactly 31 days', async () => {
      const span = { submissionDateFrom: from, submissionDateTo: '2026-02-01T00:00:00Z' };
      expect((await client.search(span)).status).toBe(200);
    });
  });
});
