import { beforeAll, describe, expect, it } from 'vitest';
import type {
  TransactionPageDto,
  StatusCountsDto,
} from '../../src/dashboard-api/transactions/dto/transaction-row.dto.js';
import { createTenant, submit, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { creditNote, invoice, line, recipient, today } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import type { Problem } from '../support/people.js';
import { insertKey } from '../support/tenants.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });
let tenant: TestTenant;
let viewer: Browser;
let basePath: string;

const TODAY = today();
const YESTERDAY = shiftDay(-1);
const INVALID = 'SIM-INVALID-CF358-q1';

/** Documents of one organisation in order of acceptance. */
const DOCUMENTS = [
  sold('INV-Q-001', { name: 'Kedai Runcit Ah Seng', tin: 'C1111111110', amount: 1_234.56, date: YESTERDAY }),
  sold('inv-q-002', { name: 'Syarikat Maju Jaya Sdn. Bhd.', tin: 'C2222222220', amount: 50, date: YESTERDAY }),
  sold('INV-R-003', { name: "D'Seng & Anak/Cucu", tin: 'C2222222220', amount: 1_000, date: TODAY }),
  sold('１００４', { name: '陈记 Trading', tin: 'IG33333333333', amount: 1_004, date: TODAY }),
  sold(INVALID, { name: 'Kedai Buku', tin: 'C4444444440', amount: 7, date: TODAY }),
];

beforeAll(async () => {
  tenant = await createTenant(service);
  viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  basePath = `/organisations/${tenant.tenantId}/sandbox`;
  for (const document of DOCUMENTS) await accepted(document);
  await service.settle();
});

interface Sale {
  readonly name: string;
  readonly tin: string;
  readonly amount: number;
  readonly date: string;
}

function sold(referenceId: string, { name, tin, amount, date }: Sale): Record<string, unknown> {
  const individual = { ...recipient, brn: undefined, entity_type: 'individual', nric: '900101145678' };
  const buyer = tin.startsWith('IG') ? individual : recipient;
  const item = { ...line, quantity: 1, discount: 0, taxAmount: 0, unitPrice: amount, lineTotal: amount };
  return invoice({ referenceId, document_date: date, recipient: { ...buyer, name, tin }, lineItems: [item] });
}

function shiftDay(days: number): string {
  return new Date(Date.parse(`${TODAY}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

const toText = (query: Record<string, string>): string => new URLSearchParams(query).toString();

async function accepted(document: object, caller = tenant): Promise<string> {
  const response = await submit(service, caller, [document]);
  expect(response.status, response.text).toBe(200);
  return response.body.submissionBatchId as string;
}

async function listed(query: Record<string, string>): Promise<TransactionPageDto> {
  const response = await viewer.get<TransactionPageDto>(`${basePath}/transactions?${toText(query)}`);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

async function find(query: Record<string, string>): Promise<string[]> {
  return (await listed(query)).items.map(({ referenceId }) => referenceId);
}

async function counted(query: Record<string, string> = {}): Promise<Record<string, number>> {
  const { status, body, text } = await viewer.get<StatusCountsDto>(`${basePath}/transaction-counts?${toText(query)}`);
  expect(status, text).toBe(200);
  expect(body.counts.filter(({ hasMore }) => hasMore)).toEqual([]);
  return Object.fromEntries(
    body.counts.filter(({ documents }) => documents > 0).map((one) => [one.status, one.documents]),
  );
}

describe('document search', () => {
  it.each([
    ['INV-Q', ['inv-q-002', 'INV-Q-001'], 'the beginning of numbers, in any case'],
    ['inv-q-001', ['INV-Q-001'], 'a whole number'],
    ['  inv-r ', ['INV-R-003'], 'what is typed with spaces around it'],
    ['1004', ['１００４'], 'a number in full width, and an amount'],
    ['seng', ['INV-R-003', 'INV-Q-001'], 'a word of the name'],
    ['AH sen', ['INV-Q-001'], 'several words, the last one begun'],
    ['seng kedai', ['INV-Q-001'], 'words in another order'],
    ['bhd maju', ['inv-q-002'], 'words next to full stops'],
    ['cucu', ['INV-R-003'], 'a word behind a slash'],
    ['陈', ['１００４'], 'a word of another script'],
    ['eng', [], 'no part from inside a word'],
    ['C2222222220', ['INV-R-003', 'inv-q-002'], 'a TIN'],
    ['c22222', ['INV-R-003', 'inv-q-002'], 'the beginning of a TIN, in any case'],
    ['RM 1,234.56', ['INV-Q-001'], 'an amount'],
    ['1234.56', ['INV-Q-001'], 'an amount without its currency'],
    ['rm1000', ['INV-R-003'], 'an amount without sen'],
    ['RM 900 - 1,100', ['１００４', 'INV-R-003'], 'a range of amounts'],
    ['RM 1234.57', [], 'no amount next to it'],
    ['%', [], 'a percent sign as a sign'],
    ['_NV', [], 'an underscore as a sign'],
    ['INV-Q-001 Kedai', [], 'no mix of number and name'],
  ])('for %s finds %j: %s', async (q, expected) => {
    expect(await find({ q })).toEqual(expected);
    const file = await viewer.get(`${basePath}/transactions.csv?${toText({ q })}`);
    expect(file.text.trim().split('\r\n').length - 1).toBe(expected.length);
    const counts = await counted({ q });
    expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(expected.length);
  });

  it('finds a document by each of its ids', async () => {
    const [row] = (await listed({ q: 'INV-Q-001' })).items;
    const { authorityUuid, documentId, transactionId, submissionBatchId } = row;
    expect(authorityUuid).toMatch(/^[0-9A-Z]{26}$/);
    for (const id of [
      authorityUuid ?? '',
      (authorityUuid ?? '').toLowerCase(),
      documentId,
      transactionId.toUpperCase(),
    ]) {
      expect(await find({ q: id }), id).toEqual(['INV-Q-001']);
    }
    expect(await find({ q: submissionBatchId })).toEqual(['INV-Q-001']);
    expect(await find({ q: '01a1fc06-aaf7-7598-a650-5bdb926736ac' })).toEqual([]);
  });

  it('combines with every other filter', async () => {
    expect(await find({ q: 'kedai', status: 'Invalid' })).toEqual([INVALID]);
    expect(await find({ q: 'kedai', type: 'credit_note' })).toEqual([]);
    expect(await find({ q: 'kedai', dated_to: YESTERDAY })).toEqual(['INV-Q-001']);
    expect(await find({ q: 'kedai', reference: INVALID })).toEqual([INVALID]);
    expect(await find({ q: 'kedai', action: 'needed' })).toEqual([INVALID]);
    const keys = await service.owner.query<{ id: string }[]>('SELECT id FROM api_key WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(await find({ q: 'kedai', by: `key:${keys[0].id}` })).toEqual([INVALID, 'INV-Q-001']);
    expect(await find({ q: 'kedai', by: 'key:01a1fc06-aaf7-7598-a650-5bdb926736ac' })).toEqual([]);
    expect(
      await find({ q: 'kedai', status: 'Valid', dated_from: YESTERDAY, dated_to: YESTERDAY, sort: 'amount' }),
    ).toEqual(['INV-Q-001']);
  });

  it('lists a document exactly once, whatever its state', async () => {
    const referenceId = 'SIM-INVALID-CF358-moving';
    const seen: string[] = [];
    const look = async (): Promise<void> => {
      const { items } = await listed({ q: referenceId.toLowerCase() });
      expect(items).toHaveLength(1);
      seen.push(`${items[0].attempt} ${items[0].status}`);
    };
    await accepted(invoice({ referenceId }));
    await look();
    await service.settle();
    await look();
    await accepted(invoice({ referenceId }));
    await look();
    await service.settle();
    await look();
    expect(seen).toEqual(['1 Queued', '1 Invalid', '2 Queued', '2 Invalid']);
    expect(await find({ q: referenceId, attempts: 'all' })).toEqual([referenceId, referenceId]);
  });

  it('finds a corrected document by its new amount and name', async () => {
    const referenceId = 'SIM-INVALID-CF358-corrected';
    const before = { name: 'Lama Enterprise', tin: 'C5555555550', amount: 11.11, date: YESTERDAY };
    await accepted(sold(referenceId, before));
    await service.settle();
    await accepted(sold(referenceId, { ...before, name: 'Baharu Enterprise', amount: 22.22, date: TODAY }));
    expect(await find({ q: 'baharu' })).toEqual([referenceId]);
    expect(await find({ q: 'RM 22.22' })).toEqual([referenceId]);
    expect(await find({ q: 'RM 11.11' })).toEqual([]);
    expect(await find({ q: 'lama' })).toEqual([]);
    expect(await find({ q: 'enterprise', dated_to: YESTERDAY })).toEqual([]);
    expect(await find({ q: 'RM 11.11', attempts: 'all' })).toEqual([referenceId]);
    expect(await find({ q: 'enterprise', attempts: 'all', dated_to: YESTERDAY })).toEqual([referenceId]);
    expect(await find({ reference: referenceId, attempts: 'all', dated_to: YESTERDAY })).toEqual([referenceId]);
    expect(await find({ attempts: 'all', dated_to: YESTERDAY })).toContain(referenceId);
    await service.settle();
  });

  it("finds consolidated documents by the general public's TIN", async () => {
    const referenceId = 'SUM-OF-SALES';
    const { status, text } = await submit(service, tenant, [invoice({ referenceId, recipient: undefined })], {
      submissionType: 'consolidated',
    });
    expect(status, text).toBe(200);
    for (const q of ['EI00000000010', 'ei0000']) {
      expect(await find({ q }), q).toEqual([referenceId]);
      expect(await find({ q, sort: 'amount' }), q).toEqual([referenceId]);
    }
    await service.settle();
  });

  it('never lists documents of another environment or organisation', async () => {
    const stranger = await createTenant(service);
    await accepted(
      sold('INV-Q-009', { name: 'Kedai Asing', tin: 'C1111111110', amount: 1_234.56, date: YESTERDAY }),
      stranger,
    );
    const key = await insertKey(service.owner, tenant.tenantId, 'production');
    const production = viewer.get<TransactionPageDto>(
      `/organisations/${tenant.tenantId}/production/transactions?q=kedai`,
    );
    expect((await production).body.items).toEqual([]);
    expect(key).toMatch(/^eisk_live/);
    for (const q of ['inv-q', 'kedai', 'C1111111110', 'RM 1,234.56']) {
      expect(await find({ q }), q).not.toContain('INV-Q-009');
      const other = await signUpInto(service, stranger.tenantId, 'viewer');
      const path = `/organisations/${stranger.tenantId}/sandbox/transactions?${toText({ q })}`;
      const { items } = (await other.get<TransactionPageDto>(path)).body;
      expect(
        items.map(({ referenceId }) => referenceId),
        q,
      ).toEqual(['INV-Q-009']);
    }
  });
});

describe('transaction list by transactionIds', () => {
  async function readIds(numbers: readonly string[]): Promise<string[]> {
    const { items } = await listed({});
    return numbers.map(
      (number) => items.find(({ referenceId }) => referenceId === number)?.transactionId ?? expect.fail(number),
    );
  }

  it('lists each attempt once across pages in the requested order', async () => {
    const ids = await readIds(['INV-Q-001', INVALID, 'INV-R-003']);
    const transactionIds = [...ids, ids[0].toUpperCase()].join(',');
    expect(await find({ transactionIds })).toEqual([INVALID, 'INV-R-003', 'INV-Q-001']);
    expect(await find({ transactionIds, sort: '-amount' })).toEqual(['INV-Q-001', 'INV-R-003', INVALID]);
    expect(await find({ transactionIds, status: 'Valid' })).toEqual(['INV-R-003', 'INV-Q-001']);
    expect(await counted({ transactionIds })).toEqual({ Valid: 2, Invalid: 1 });
    const { items, next } = await listed({ transactionIds, limit: '2' });
    expect(items.map(({ referenceId }) => referenceId)).toEqual([INVALID, 'INV-R-003']);
    expect(await find({ transactionIds, limit: '2', cursor: next ?? '' })).toEqual(['INV-Q-001']);
  });

  it('never lists attempts of another organisation or environment', async () => {
    const stranger = await signUpInto(service, (await createTenant(service)).tenantId, 'owner');
    const [id] = await readIds(['INV-Q-001']);
    for (const [browser, path] of [
      [stranger, `/organisations/${stranger.session?.organisations[0].tenantId}/sandbox`],
      [viewer, `/organisations/${tenant.tenantId}/production`],
    ] as const) {
      const { status, body } = await browser.get<TransactionPageDto>(`${path}/transactions?transactionIds=${id}`);
      expect([status, body.items]).toEqual([200, []]);
    }
  });

  it.each([
    ['what is no id', 'INV-Q-001'],
    ['none at all', ''],
    ['an empty one', '0190a1b2-0000-7000-8000-000000000000,'],
    ['more than a hundred', Array.from({ length: 101 }, () => '0190a1b2-0000-7000-8000-000000000000').join(',')],
  ])('rejects %s', async (_, transactionIds) => {
    const { status, body } = await viewer.get<Problem>(`${basePath}/transactions?${toText({ transactionIds })}`);
    expect([status, body.details?.map(({ pointer }) => pointer)]).toEqual([400, ['/transactionIds']]);
  });
});

describe('sorted transaction list', () => {
  it.each([
    ['amount', [INVALID, 'inv-q-002', 'INV-R-003', '１００４', 'INV-Q-001']],
    ['-amount', ['INV-Q-001', '１００４', 'INV-R-003', 'inv-q-002', INVALID]],
    ['date', ['INV-Q-001', 'inv-q-002', 'INV-R-003', '１００４', INVALID]],
    ['-date', [INVALID, '１００４', 'INV-R-003', 'inv-q-002', 'INV-Q-001']],
    ['-accepted', [INVALID, '１００４', 'INV-R-003', 'inv-q-002', 'INV-Q-001']],
  ])('lists each document once across pages by %s', async (sort, expected) => {
    for (const q of ['', 'RM 1 - 5,000']) {
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null;) {
        const page: TransactionPageDto = await listed({ sort, q, limit: '2', cursor: next });
        expect(page.items.length).toBeLessThanOrEqual(2);
        seen.push(...page.items.map(({ referenceId }) => referenceId));
        ({ next } = page);
      }
      expect(
        seen.filter((one) => expected.includes(one)),
        q,
      ).toEqual(expected);
    }
  });

  it('sorts by document date with a date filter', async () => {
    expect(await find({ dated_from: YESTERDAY, dated_to: YESTERDAY })).toEqual(['inv-q-002', 'INV-Q-001']);
    expect((await find({ dated_from: TODAY })).slice(-2)).toEqual(['１００４', 'INV-R-003']);
    expect(await find({ dated_to: shiftDay(-2) })).toEqual([]);
    expect(await find({ dated_from: YESTERDAY, dated_to: YESTERDAY, sort: 'amount' })).toEqual([
      'inv-q-002',
      'INV-Q-001',
    ]);
  });

  it('filters failed documents by error code', async () => {
    const [row] = (await listed({ q: INVALID })).items;
    const [{ cause }] = await service.owner.query<{ cause: string }[]>(
      'SELECT cause FROM failed_document WHERE transaction_id = $1',
      [row.transactionId],
    );
    const error = cause.split(':')[0];
    expect(await find({ error })).toContain(INVALID);
    expect(await find({ error, sort: 'amount' })).toEqual([
      INVALID,
      ...(await find({ error, sort: 'amount' })).slice(1),
    ]);
    expect(await find({ error, action: 'dismissed' })).toEqual([]);
    expect(await find({ error: 'no_such_error' })).toEqual([]);
  });
});

describe('counts per status', () => {
  it('ignore the status filter of the list', async () => {
    const all = await counted();
    expect(all).toEqual(await counted({ status: 'Valid' }));
    expect(all).toEqual(await counted({ sort: 'amount' }));
    expect(all.Valid).toBe((await listed({ status: 'Valid' })).items.length);
    expect(await counted({ q: 'kedai' })).toEqual({ Valid: 1, Invalid: 1 });
    expect(await counted({ type: 'credit_note' })).toEqual({});
    expect(await counted({ dated_from: YESTERDAY, dated_to: YESTERDAY })).toEqual({ Valid: 2 });
  });

  it('include only current attempts by default', async () => {
    const total = async (query: Record<string, string>) =>
      Object.values(await counted(query)).reduce((sum, one) => sum + one, 0);
    expect(await total({})).toBe((await listed({})).items.length);
    expect(await total({ attempts: 'all' })).toBe((await listed({ attempts: 'all' })).items.length);
    expect(await total({ attempts: 'all' })).toBeGreaterThan(await total({}));
  });
});

describe('transaction list', () => {
  it.each([
    [{ q: 'x'.repeat(101) }, 'q'],
    [{ q: ' ' }, 'q'],
    [{ sort: 'name' }, 'sort'],
    [{ sort: 'amount', attempts: 'all' }, 'sort'],
    [{ dated_from: '2026-02-30' }, 'dated_from'],
    [{ dated_to: '0000-01-01' }, 'dated_to'],
    [{ dated_from: '2026-02-02', dated_to: '2026-02-01' }, 'dated_to'],
    [{ error: 'a b' }, 'error'],
    [{ sort: 'amount', cursor: Buffer.from('2026-01-01:x').toString('base64url') }, 'cursor'],
  ])('rejects an invalid parameter: %j', async (query, parameter) => {
    for (const list of ['transactions', 'transaction-counts']) {
      if (parameter === 'cursor' && list !== 'transactions') continue;
      const address = `${basePath}/${list}?${toText(query)}`;
      const { status, body } = await viewer.get<Problem>(address);
      expect(status).toBe(400);
      expect(body.details?.map(({ pointer }) => pointer)).toEqual([`/${parameter}`]);
    }
  });

  it('rejects a cursor from a different sort order', async () => {
    const { next } = await listed({ sort: 'amount', limit: '1' });
    for (const sort of ['date', '-accepted']) {
      const { status, body } = await viewer.get<Problem>(`${basePath}/transactions?sort=${sort}&cursor=${next}`);
      expect([status, body.details?.[0]?.pointer], sort).toEqual([400, '/cursor']);
    }
  });
});

it('credit notes are found by number and buyer', async () => {
  await accepted(
    creditNote(
      { referenceId: 'INV-Q-001' },
      { referenceId: 'CN-Q-001', recipient: { ...recipient, name: 'Kedai Runcit Ah Seng', tin: 'C1111111110' } },
    ),
  );
  expect(await find({ q: 'cn-q' })).toEqual(['CN-Q-001']);
  expect(await find({ q: 'runcit', type: 'credit_note' })).toEqual(['CN-Q-001']);
});
