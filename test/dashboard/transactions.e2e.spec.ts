import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import type { BatchPageDto } from '../../src/dashboard-api/batches/dto/batch.dto.js';
import type { TransactionPageDto } from '../../src/dashboard-api/transactions/dto/transaction-row.dto.js';
import type { TransactionDto } from '../../src/dashboard-api/transactions/dto/transaction.dto.js';
import { CAUSES } from '../../src/dashboard-api/transactions/timeline.js';
import { createTenant, readBalance, request, submit, type TestTenant } from '../support/client.js';
import { type Browser, signUpInto } from '../support/dashboard.js';
import { creditNote, invoice, line, recipient, reference } from '../support/documents.js';
import { type Problem } from '../support/people.js';
import { replaceCode } from '../support/replace-code.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService({ environments: ['sandbox', 'production'] });
let tenant: TestTenant;
let viewer: Browser;
let basePath: string;
beforeEach(async () => {
  tenant = await createTenant(service);
  viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  basePath = `/organisations/${tenant.tenantId}/sandbox`;
});

async function accepted(...documents: object[]): Promise<string> {
  const response = await submit(service, tenant, documents);
  expect(response.status, response.text).toBe(200);
  return response.body.submissionBatchId as string;
}

async function listed(query = ''): Promise<TransactionPageDto> {
  const response = await viewer.get<TransactionPageDto>(`${basePath}/transactions${query}`);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

async function references(query = ''): Promise<string[]> {
  return (await listed(query)).items.map(({ referenceId }) => referenceId);
}

async function one(referenceId: string): Promise<TransactionDto> {
  const [row] = (await listed(`?reference=${referenceId}`)).items;
  const response = await viewer.get<TransactionDto>(`${basePath}/transactions/${row.transactionId}`);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

describe('list of attempts', () => {
  it('contains one row per document, newest first', async () => {
    await accepted(invoice({ referenceId: 'L-1' }));
    await accepted(invoice({ referenceId: 'L-2' }));
    const { items, next } = await listed();
    expect(items.map(({ referenceId }) => referenceId)).toEqual(['L-2', 'L-1']);
    expect(next).toBeNull();
    expect(items[0]).toMatchObject({
      documentType: 'invoice',
      status: 'Queued',
      attempt: 1,
      isSuperseded: false,
      buyerName: recipient.name,
      buyerTin: recipient.tin,
      totalPayableAmount: 205.2,
      errorCount: 0,
      firstError: null,
    });
  });

  it('contains only current attempts by default, with every filter', async () => {
    const referenceId = 'SIM-INVALID-CF358-40';
    const first = await accepted(invoice({ referenceId }));
    await service.settle();
    await accepted(invoice({ referenceId }));
    const [{ id }] = await service.owner.query<{ id: string }[]>(`SELECT id FROM api_key WHERE tenant_id = $1`, [
      tenant.tenantId,
    ]);
    const filters = ['', 'status=Invalid', 'type=invoice&status=Invalid', `reference=${referenceId}`];
    for (const filter of [...filters, `batch=${first}`, `by=key:${id}`, `by=key:${id}&status=Invalid`]) {
      const statuses = async (attempts = '') =>
        (await listed(`?${filter}${attempts}`)).items.map(({ attempt, status }) => `${attempt} ${status}`);
      expect(await statuses(), filter).not.toContain('1 Invalid');
      expect(await statuses('&attempts=current'), filter).toEqual(await statuses());
      expect(await statuses('&attempts=all'), filter).toEqual([...(await statuses()), '1 Invalid']);
      const file = await viewer.get<null>(`${basePath}/transactions.csv?${filter}`);
      expect(file.text.trim().split('\r\n').length - 1, filter).toBe((await statuses()).length);
    }
    expect(await references()).toEqual([referenceId]);
  });

  it('combines all filters', async () => {
    const valid = reference();
    const first = await accepted(invoice({ referenceId: valid }), invoice({ referenceId: 'SIM-INVALID-CF358-1' }));
    await service.settle();
    const second = await accepted(
      invoice({ referenceId: 'F-1' }),
      creditNote({ referenceId: valid }, { referenceId: 'F-2' }),
    );
    expect(await references('?status=Valid')).toEqual([valid]);
    expect(await references('?status=Invalid')).toEqual(['SIM-INVALID-CF358-1']);
    expect(await references('?type=credit_note')).toEqual(['F-2']);
    expect(await references('?type=invoice&status=Queued')).toEqual(['F-1']);
    expect((await references(`?batch=${first}`)).toSorted()).toEqual([valid, 'SIM-INVALID-CF358-1'].toSorted());
    expect(await references(`?batch=${first}&status=Invalid`)).toEqual(['SIM-INVALID-CF358-1']);
    expect(await references('?reference=F-1')).toEqual(['F-1']);
    expect(await references('?reference=f-1')).toEqual([]);
    expect(await references(`?reference=F-1&batch=${first}`)).toEqual([]);
    expect(await references(`?reference=F-1&batch=${second}&type=invoice&status=Queued`)).toEqual(['F-1']);
    expect(await references(`?reference=F-1&status=Valid`)).toEqual([]);
  });

  it('interprets dates in Malaysian time', async () => {
    await service.advanceToNoon();
    await accepted(invoice({ referenceId: 'D-1' }));
    await service.advance(2 * 86_400);
    await accepted(invoice({ referenceId: 'D-2' }));
    viewer = await signUpInto(service, tenant.tenantId, 'viewer');
    const [{ days }] = await service.owner.query<{ days: string[] }[]>(
      `SELECT array_agg(to_char(service_now() AT TIME ZONE 'Asia/Kuala_Lumpur' - make_interval(days => ago),
                                'YYYY-MM-DD') ORDER BY ago) AS days FROM generate_series(0, 3) ago`,
    );
    const [today, yesterday, before] = days;
    expect(await references(`?from=${today}`)).toEqual(['D-2']);
    expect(await references(`?to=${yesterday}`)).toEqual(['D-1']);
    expect(await references(`?from=${before}&to=${today}`)).toEqual(['D-2', 'D-1']);
    expect(await references(`?from=${yesterday}&to=${yesterday}&status=Queued`)).toEqual([]);
    const [row] = await service.owner.query<{ id: string; created_at: Date }[]>(
      `SELECT id, created_at FROM document_transaction WHERE tenant_id = $1 AND reference_id = 'D-2'`,
      [tenant.tenantId],
    );
    expect(parseInt(row.id.replaceAll('-', '').slice(0, 12), 16)).toBe(row.created_at.getTime());
  });

  it.each(['', '&status=Queued', '&type=invoice&status=Queued', '&from=2020-01-01'])(
    'lists each row once across pages%s while new documents are accepted',
    async (filter) => {
      const all: string[] = [];
      for (let batch = 0; batch < 3; batch += 1) {
        const documents = [1, 2, 3].map((number) => invoice({ referenceId: `P-${batch}-${number}` }));
        all.push(...documents.map(({ referenceId }) => String(referenceId)));
        await accepted(...documents);
      }
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null;) {
        const page: TransactionPageDto = await listed(`?limit=2${filter}${next === '' ? '' : `&cursor=${next}`}`);
        expect(page.items.length).toBeLessThanOrEqual(2);
        seen.push(...page.items.map(({ referenceId }) => referenceId));
        await accepted(invoice());
        ({ next } = page);
      }
      expect(seen.toSorted()).toEqual(all.toSorted());
    },
  );

  it('reports every invalid parameter', async () => {
    const query = '?type=receipt&status=Done&from=2026-02-30&to=soon&batch=7&limit=0&reference=%00';
    const response = await viewer.get<Problem>(`${basePath}/transactions${query}`);
    expect(response.status).toBe(400);
    expect(response.body.errors?.map((text) => text.split(' ')[0])).toEqual([
      'type',
      'status',
      'reference',
      'batch',
      'from',
      'to',
    ]);
    const turned = await viewer.get<Problem>(`${basePath}/transactions?from=2026-02-02&to=2026-02-01`);
    expect([turned.status, turned.body.message]).toEqual([400, 'to must not be before from']);
    const twice = await viewer.get<Problem>(`${basePath}/transactions?status=Valid&status=Invalid`);
    expect(twice.status).toBe(400);
  });

  it('exports the whole filtered list as CSV', async () => {
    await accepted(...Array.from({ length: 7 }, (_, number) => invoice({ referenceId: `=C-${number}` })));
    const response = await viewer.get(`${basePath}/transactions.csv?type=invoice`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = response.text.trim().split('\r\n');
    expect(lines).toHaveLength(8);
    expect(lines[1]).toContain("'=C-");
    expect((await viewer.get(`${basePath}/transactions.csv?status=Valid`)).text.trim().split('\r\n')).toHaveLength(1);
    expect((await viewer.get(`${basePath}/transactions.csv?status=x`)).status).toBe(400);
  });

  it('is limited to one organisation and environment', async () => {
    await accepted(invoice());
    const stranger = await createTenant(service);
    const other = await signUpInto(service, stranger.tenantId, 'owner');
    const production = `/organisations/${tenant.tenantId}/production/transactions`;
    expect((await viewer.get<TransactionPageDto>(production)).body.items).toEqual([]);
    const own = `/organisations/${stranger.tenantId}/sandbox/transactions`;
    expect((await other.get<TransactionPageDto>(own)).body.items).toEqual([]);
    for (const path of ['transactions', 'transactions.csv', 'batches', 'batches.csv', 'overview']) {
      const response = await other.get<Problem>(`${basePath}/${path}`);
      expect([response.status, response.body.code], path).toEqual([404, 'organisation_not_found']);
    }
  });
});

describe('list of batches', () => {
  it('contains each batch with its status and counts, newest first', async () => {
    const first = await accepted(invoice(), invoice({ referenceId: 'SIM-INVALID-CF358-2' }));
    await service.settle();
    const second = await accepted(invoice());
    const page = await viewer.get<BatchPageDto>(`${basePath}/batches?limit=1`);
    expect(page.body.items).toEqual([
      expect.objectContaining({ submissionBatchId: second, status: 'Queued', documentCount: 1 }),
    ]);
    const next = await viewer.get<BatchPageDto>(`${basePath}/batches?limit=1&cursor=${page.body.next}`);
    expect(next.body).toMatchObject({
      items: [
        {
          submissionBatchId: first,
          status: 'PartiallyValid',
          submissionType: 'non-consolidated',
          counts: { queued: 0, processing: 0, submitted: 0, valid: 1, invalid: 1, cancelled: 0, submitFailed: 0 },
        },
      ],
      next: null,
    });
    expect((await viewer.get(`${basePath}/batches.csv`)).text.trim().split('\r\n')).toHaveLength(3);
    expect((await viewer.get<BatchPageDto>(`${basePath}/batches?to=2020-01-01`)).body.items).toEqual([]);
    expect((await viewer.get(`${basePath}/batches?from=x`)).status).toBe(400);
  });

  it('counts resubmitted documents as replaced', async () => {
    const failing = 'SIM-INVALID-CF358-3';
    const mixed = await accepted(invoice(), invoice({ referenceId: failing }));
    const alone = await accepted(invoice({ referenceId: `${failing}1` }));
    await service.settle();
    const again = await accepted(invoice({ referenceId: failing }), invoice({ referenceId: `${failing}1` }));
    const { items } = (await viewer.get<BatchPageDto>(`${basePath}/batches`)).body;
    const shown = items.map(({ submissionBatchId, status, counts, replacedCount }) => ({
      submissionBatchId,
      status,
      failed: counts.invalid,
      replacedCount,
    }));
    expect(shown).toEqual([
      { submissionBatchId: again, status: 'Queued', failed: 0, replacedCount: 0 },
      { submissionBatchId: alone, status: 'Replaced', failed: 0, replacedCount: 1 },
      { submissionBatchId: mixed, status: 'Valid', failed: 0, replacedCount: 1 },
    ]);
    const [titles, ...lines] = (await viewer.get(`${basePath}/batches.csv`)).text.trim().split('\r\n');
    expect(titles).toMatch(/,Batch id,.*,Cancelled,Replaced$/);
    expect(lines.map((line) => line.split(',').at(-1))).toEqual(['0', '1', '1']);
  });
});

describe('attempt details', () => {
  it('show the validation link, history and cancellation deadline of a valid document', async () => {
    const referenceId = reference();
    await accepted(invoice({ referenceId }));
    await service.settle();
    const page = await one(referenceId);
    expect(page).toMatchObject({
      status: 'Valid',
      environment: 'sandbox',
      attempt: 1,
      isCurrent: true,
      mayResubmit: false,
      totals: { totalPayableAmount: 205.2 },
      buyer: { name: recipient.name, tin: recipient.tin, idType: 'BRN', idValue: recipient.brn },
      cancel: { isPossible: true, reason: null },
      errors: [],
    });
    expect(page.validationUrl).toContain(`/${page.authorityUuid}/share/${page.authorityLongId}`);
    expect(page.timeline.map(({ text, status }) => [text, status])).toEqual([
      ['Accepted and queued', 'Queued'],
      ['Being sent to the tax authority', 'Processing'],
      ['Accepted by the tax authority for validation', 'Submitted'],
      ['Found valid by the tax authority', 'Valid'],
    ]);
    const { status } = await request(service, `/v1/saas/submissions/${page.submissionBatchId}/status`, {
      headers: { 'X-API-Key': tenant.apiKey },
    });
    expect(status).toBe(200);
  });

  it('show each error with its field, fix and original message', async () => {
    await accepted(invoice(), invoice({ referenceId: 'SIM-INVALID-CF358-3' }));
    await service.settle();
    const page = await one('SIM-INVALID-CF358-3');
    expect(page).toMatchObject({ status: 'Invalid', mayResubmit: true });
    expect(page.errors[0]).toMatchObject({ pointer: '/documents/1/recipient/tin', field: 'Buyer’s TIN' });
    expect(page.errors[0]).toMatchObject({ hint: expect.any(String), authorityMessage: expect.any(String) });
    expect(page.cancel).toEqual({
      isPossible: false,
      reason: 'Only a Valid document can be cancelled; this one is Invalid',
    });
  });

  it('show the field and sent value of each error', async () => {
    const batch = await accepted(
      invoice({ referenceId: 'V-1', lineItems: [line, { ...line, unitCode: 'KGM' }] }),
      invoice({ referenceId: 'SIM-REJECT-CF349-7' }),
    );
    await replaceCode(service, batch, ['lineItems', '1', 'unitCode'], 'X'.repeat(300));
    await service.settle();
    expect((await one('V-1')).errors).toMatchObject([
      { field: 'Line 2, unit', sentValue: `${'X'.repeat(200)}…`, hint: expect.stringMatching(/^Send unitCode as /) },
    ]);
    expect((await one('SIM-REJECT-CF349-7')).errors).toMatchObject([{ field: 'Buyer’s phone', sentValue: '' }]);
  });

  it('show the sent profile value, even after the profile is corrected', async () => {
    const { owner } = service;
    const { tenantId } = tenant;
    await owner.query("UPDATE tenant SET state_code = 'XX' WHERE tenant_id = $1", [tenantId]);
    await accepted(invoice({ referenceId: 'P-1' }));
    await owner.query("UPDATE tenant SET state_code = '10' WHERE tenant_id = $1", [tenantId]);
    await service.settle();
    expect((await one('P-1')).errors).toMatchObject([
      {
        pointer: null,
        field: 'Organisation’s profile, State',
        sentValue: 'XX',
        hint: expect.stringMatching(/^Correct "State" in the organisation's profile /),
      },
    ]);
  });

  it('show every optional field that was sent', async () => {
    const referenceId = reference();
    const paymentTerms = '30 days, then 1 % a month';
    await accepted(invoice({ referenceId, totalDiscountAmount: 1, totalRoundingAmount: -0.02, paymentTerms }));
    expect((await one(referenceId)).otherFields).toEqual([
      { name: 'Discount on the document', value: 'RM 1.00' },
      { name: 'Rounding', value: '-RM 0.02' },
      { name: 'Payment terms', value: paymentTerms },
    ]);
    const plain = reference();
    await accepted(invoice({ referenceId: plain }));
    expect((await one(plain)).otherFields).toEqual([]);
  });

  it('show the parent of a held credit note', async () => {
    await accepted(invoice({ referenceId: 'H-1' }), creditNote({ referenceId: 'H-1' }, { referenceId: 'H-2' }));
    const page = await one('H-2');
    expect(page).toMatchObject({ status: 'Queued', waiting: { code: 'held' }, heldFor: { referenceId: 'H-1' } });
    expect(page.timeline[0].text).toBe('Accepted; held until its parent invoice is Valid');
  });

  it('offer no actions for a replaced attempt', async () => {
    const referenceId = 'SIM-INVALID-CF358-4';
    await accepted(invoice({ referenceId }));
    await service.settle();
    await accepted(invoice({ referenceId }));
    const { items } = await listed(`?reference=${referenceId}&attempts=all`);
    expect(items.map(({ attempt, status, isSuperseded }) => [attempt, status, isSuperseded])).toEqual([
      [2, 'Queued', false],
      [1, 'Invalid', true],
    ]);
    const { body } = await viewer.get<TransactionDto>(`${basePath}/transactions/${items[1].transactionId}`);
    expect(body.attempts.map(({ attempt, status }) => [attempt, status])).toEqual([
      [2, 'Queued'],
      [1, 'Invalid'],
    ]);
    expect(body).toMatchObject({ isCurrent: false, mayResubmit: false, cancel: { isPossible: false } });
  });

  it('return the exact bytes of the built document', async () => {
    const referenceId = reference();
    await accepted(invoice({ referenceId }));
    const { transactionId } = await one(referenceId);
    const path = `${basePath}/transactions/${transactionId}/document.json`;
    const early = await viewer.get<Problem>(path);
    expect([early.status, early.body.code]).toEqual([404, 'not_found_here']);
    await service.settle();
    const { builtDocument } = await one(referenceId);
    const response = await fetch(`${service.url}/dashboard${path}`, { headers: { Cookie: viewer.cookie ?? '' } });
    const bytes = Buffer.from(await response.arrayBuffer());
    const [row] = await service.owner.query<{ bytes: Buffer }[]>(
      'SELECT bytes FROM authority_document WHERE transaction_id = $1',
      [transactionId],
    );
    expect(bytes.equals(row.bytes)).toBe(true);
    expect(builtDocument).toMatchObject({ bytes: bytes.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="${referenceId}-attempt-1-document.json"`,
    );
  });

  const bodies: Record<string, Record<string, unknown>> = {
    company: invoice({
      totalRoundingAmount: -0.02,
      totalDiscountAmount: 5,
      paymentTerms: 'Half now,\nhalf in 30 days',
    }),
    'person with an NRIC': invoice({
      recipient: { ...recipient, brn: undefined, entity_type: 'individual', nric: '880101-14-5678', addressLine2: 'B' },
    }),
    'foreigner with a passport': invoice({
      recipient: {
        ...recipient,
        brn: undefined,
        entity_type: 'individual',
        passport: 'A12345678',
        country: 'SGP',
        state: 'Central',
        postcode: '018956',
        phone: '+1234567890123456789',
        email: 'a@b.example',
        sstNumber: 'W10-1808-32000001',
      },
    }),
    'foreigner without a state': invoice({ recipient: { ...recipient, country: 'SGP', state: undefined } }),
    'credit note of an invoice from elsewhere': creditNote({
      referenceId: 'ELSEWHERE-1',
      authorityUuid: 'F9D425P6DS7D8IU8T5Q2X9VE10',
    }),
    'taxes by unit': invoice({
      lineItems: [
        { description: 'Room', quantity: 3, unitPrice: 115.5, taxType: '03', taxPerUnit: 10 },
        { description: 'Stay', quantity: 1, unitPrice: 346.5, taxType: '03', taxPerUnit: 2.5, taxUnitCount: 12 },
      ],
    }),
    'line with everything': invoice({
      lineItems: [
        {
          description: 'Exempt',
          quantity: 1.5,
          unitPrice: 3.33333,
          taxType: 'E',
          taxExemptionReason: 'Order 2018',
          classification: '022',
          unitCode: 'KGM',
        },
      ],
    }),
  };

  it.each(Object.entries(bodies))('return the stored request exactly as it was sent: %s', async (_, document) => {
    const referenceId = reference('RT');
    const kept = async (): Promise<object> => {
      const [{ payload }] = await service.owner.query<{ payload: object }[]>(
        `SELECT payload FROM document_transaction WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1`,
        [tenant.tenantId],
      );
      return payload;
    };
    await accepted({ ...document, referenceId });
    const { transactionId } = await one(referenceId);
    const { body } = await viewer.get<{ documents: object[] }>(
      `${basePath}/transactions/${transactionId}/request.json`,
    );
    const original = await kept();
    const again = await submit(service, tenant, [{ ...body.documents[0], referenceId: `${referenceId}-2` }]);
    expect(again.status, again.text).toBe(200);
    expect(again.body.warnings ?? []).toEqual([]);
    expect(await kept()).toEqual({ ...original, referenceId: `${referenceId}-2` });
  });

  it('describe every cause of a status change', () => {
    const folder = new URL('../../src/dispatcher/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const sources = files.map((name) => readFileSync(new URL(name, folder), 'utf8'));
    const outcomes = readFileSync(new URL('../../src/authority/outcomes.ts', import.meta.url), 'utf8');
    const named = [...sources.join('\n').matchAll(/cause(?::| =)[^'`;\n]*'([a-z_]+)'/g)].map(([, cause]) => cause);
    const notTaken = ['unavailable', 'throttled', 'unauthorized', 'forbidden', 'not-appointed', 'client-refused'];
    for (const kind of notTaken) expect(outcomes).toContain(`kind: '${kind}'`);
    const causes = [...named, ...notTaken.map((kind) => `submit_${kind.replace('-', '_')}`)];
    expect(causes.length).toBeGreaterThan(12);
    expect([...new Set(causes)].filter((cause) => CAUSES[cause] === undefined && cause !== 'edge')).toEqual([]);
  });

  it('return 404 in another environment', async () => {
    const referenceId = reference();
    await accepted(invoice({ referenceId }));
    const { transactionId } = await one(referenceId);
    for (const end of ['', '/request.json', '/document.json']) {
      const path = `/organisations/${tenant.tenantId}/production/transactions/${transactionId}${end}`;
      const response = await viewer.get<Problem>(path);
      expect([response.status, response.body.code], end).toEqual([404, 'not_found_here']);
    }
  });
});

describe('cancellation', () => {
  const cancel = (browser: Browser, documentId: string, key = uuidv7(), body: object = {}) =>
    browser.post<Problem & { transactionId: string }>(`${basePath}/documents/${documentId}/cancel`, body, {
      headers: { 'idempotency-key': key },
    });

  async function validDocument(): Promise<TransactionDto> {
    const referenceId = reference();
    await accepted(invoice({ referenceId }));
    await service.settle();
    return one(referenceId);
  }

  it('rejects a misspelled body field like the API', async () => {
    const member = await signUpInto(service, tenant.tenantId, 'member');
    const { documentId, referenceId } = await validDocument();
    const response = await cancel(member, documentId, uuidv7(), { cancelationReason: 'Wrong buyer' });
    expect(response.status, response.text).toBe(400);
    expect(response.text).toContain('did you mean cancellationReason?');
    expect((await one(referenceId)).cancellation).toBeNull();
  });

  it('is charged once and returns the same response for the same key', async () => {
    const member = await signUpInto(service, tenant.tenantId, 'member');
    const { documentId, referenceId } = await validDocument();
    const before = await readBalance(service, tenant);
    const key = uuidv7();
    const response = await cancel(member, documentId, key, { cancellationReason: 'Wrong buyer' });
    expect(response.status, response.text).toBe(202);
    expect(response.headers.get('x-credits-charged')).toBe('1');
    const replayed = await cancel(member, documentId, key, { cancellationReason: 'Wrong buyer' });
    expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([response.text, 'true']);
    expect(await readBalance(service, tenant)).toBe(before - 1);
    const entries = await service.owner.query(
      `SELECT action, actor, subject, details FROM audit_entry WHERE tenant_id = $1 ORDER BY id`,
      [tenant.tenantId],
    );
    expect(entries).toEqual([
      {
        action: 'document.cancellation_requested',
        actor: member.session?.user.email,
        subject: documentId,
        details: { environment: 'sandbox', transactionId: response.body.transactionId, referenceId },
      },
    ]);
    await service.settle();
    const page = await one(referenceId);
    expect(page).toMatchObject({
      status: 'Cancelled',
      mayResubmit: true,
      cancellation: { status: 'Completed', reason: 'Wrong buyer' },
    });
    expect(
      page.timeline
        .map(({ text }) => text)
        .slice(-3)
        .toSorted(),
    ).toEqual([
      'Cancellation requested',
      'Cancelled at the tax authority, as requested',
      'The tax authority confirmed the cancellation',
    ]);
  });

  it('adds a missing audit entry on retry', async () => {
    const member = await signUpInto(service, tenant.tenantId, 'member');
    const { documentId } = await validDocument();
    const key = uuidv7();
    // Simulates a crash between acceptance and the audit entry.
    const direct = await request(service, '/v1/einvoice/cancel', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': tenant.apiKey, 'idempotency-key': key },
      body: JSON.stringify({ documentId }),
    });
    expect(direct.status).toBe(202);
    expect((await cancel(member, documentId, key)).status).toBe(202);
    const [{ entries }] = await service.owner.query<{ entries: number }[]>(
      'SELECT count(*)::int AS entries FROM audit_entry WHERE tenant_id = $1 AND id = $2',
      [tenant.tenantId, direct.body.transactionId],
    );
    expect(entries).toBe(1);
  });

  it('is rejected for the reason shown on the page', async () => {
    const { documentId, referenceId } = await validDocument();
    await service.advance(73 * 3_600);
    const member = await signUpInto(service, tenant.tenantId, 'member');
    viewer = member;
    const page = await one(referenceId);
    const closed = await cancel(member, documentId);
    expect([closed.status, closed.body.code]).toEqual([409, 'cancellation_window_closed']);
    expect(page.cancel).toEqual({ isPossible: false, reason: closed.body.message });
    const keyless = await member.post<Problem>(`${basePath}/documents/${documentId}/cancel`, {});
    expect([keyless.status, keyless.body.code]).toEqual([400, 'idempotency_key_invalid']);
    const long = await cancel(member, documentId, uuidv7(), { cancellationReason: 'x'.repeat(301) });
    expect([long.status, long.body.code]).toEqual([400, 'validation_failed']);
    expect(await readBalance(service, tenant)).toBe(999);
  });
});
