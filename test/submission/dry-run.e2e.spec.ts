import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  accept,
  type ApiResponse,
  createTenant,
  countTenantRows,
  issue,
  refused,
  request,
  submit,
  type TestTenant,
  tenantTables,
} from '../support/client.js';
import { creditNote, invoice, line, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

const service = await startFileService();
const tenant = await createTenant(service);

interface DryRunOptions {
  readonly of?: TestTenant;
  readonly submissionType?: string;
  readonly headers?: Record<string, string>;
  /** Query parameter of a submit that replaces the dry-run operation. */
  readonly query?: string;
}

/** Sends no idempotency-key. */
function dryRun(documents: unknown, options: DryRunOptions = {}): Promise<ApiResponse> {
  const { query } = options;
  return request(service, `/v1/einvoice/submit${query === undefined ? '/dry-run' : `?${query}`}`, {
    method: 'POST',
    headers: { 'X-API-Key': (options.of ?? tenant).apiKey, 'Content-Type': 'application/json', ...options.headers },
    body: JSON.stringify({ submission_type: options.submissionType ?? 'non-consolidated', documents }),
  });
}

/** Reads every row of every table except the time of a key's last use. */
async function readEverything(): Promise<Record<string, unknown>> {
  const tables = await service.owner.query<{ name: string }[]>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  );
  const contents: Record<string, unknown> = {};
  for (const { name } of tables) {
    const rows = await service.owner.query<{ row: Record<string, unknown> }[]>(
      `SELECT to_jsonb(t) - 'last_used_at' AS row FROM "${name}" t ORDER BY to_jsonb(t)::text`,
    );
    contents[name] = rows.map(({ row }) => row);
  }
  return contents;
}

describe('dry run', () => {
  it('returns totals, cost and available credits without an idempotency-key', async () => {
    const payer = await createTenant(service, { credits: 9 });
    const documents = [
      invoice({ referenceId: 'D-1', totalDiscountAmount: 10, totalRoundingAmount: -0.05 }),
      creditNote({ referenceId: 'P', authorityUuid: 'F9D425P6DS7D8IU0123456789A' }, { referenceId: 'D-2' }),
    ];
    const response = await dryRun(documents, { of: payer });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      dryRun: true,
      requiredCredits: 2,
      documents: [
        {
          documentType: 'invoice',
          referenceId: 'D-1',
          totals: {
            totalExcludingTax: 180,
            totalTaxAmount: 15.2,
            totalIncludingTax: 195.2,
            totalPayableAmount: 195.15,
          },
        },
        {
          documentType: 'credit_note',
          referenceId: 'D-2',
          totals: { totalExcludingTax: 190, totalTaxAmount: 15.2, totalIncludingTax: 205.2, totalPayableAmount: 205.2 },
        },
      ],
      warnings: [],
    });
    expect(response.headers.get('x-credits-charged')).toBe('0');
    expect(response.headers.get('x-credits-remaining')).toBe('9');
    expect(response.headers.get('idempotent-replayed')).toBeNull();
  });

  it('returns the same response as a submit with dryRun=true', async () => {
    const documents = [invoice({ foo: 1 })];
    const [response, other] = [await dryRun(documents), await dryRun(documents, { query: 'dryRun=true' })];
    expect([other.status, other.body]).toEqual([200, response.body]);
    expect(other.headers.get('x-credits-charged')).toBe('0');
  });

  it.each([undefined, 'dryRun=true'])('changes no row in any table (%s)', async (query) => {
    const payer = await createTenant(service, { credits: 9 });
    await issue(service, payer, invoice({ referenceId: 'PARENT' }));
    const before = await readEverything();
    expect(await tenantTables(service)).toEqual(
      expect.arrayContaining(['document', 'credit_lot', 'idempotency_record']),
    );
    const documents = [invoice(), creditNote({ referenceId: 'PARENT' })];
    const response = await dryRun(documents, { query, of: payer, headers: { 'idempotency-key': randomUUID() } });
    expect(response.status).toBe(200);
    expect(await readEverything()).toEqual(before);
  });

  it('leaves its documents and its key available for a submit', async () => {
    const key = randomUUID();
    const documents = [invoice()];
    await dryRun(documents, { headers: { 'idempotency-key': key } });
    const response = await submit(service, tenant, documents, { key });
    expect(response.status).toBe(200);
    expect(response.headers.get('idempotent-replayed')).toBeNull();
  });

  it('ignores even a malformed idempotency-key', async () => {
    const response = await dryRun([invoice()], { headers: { 'idempotency-key': 'k'.repeat(300) } });
    expect(response.status).toBe(200);
  });

  it('warns about unknown fields and rejects them in strict mode', async () => {
    const documents = [invoice({ foo: 1 })];
    expect((await dryRun(documents)).body.warnings).toMatchObject([{ rule: 'member_unknown' }]);
    const strict = await refused(service, tenant, () => dryRun(documents, { headers: { Prefer: 'handling=strict' } }));
    expect(strict.body.details).toMatchObject([{ rule: 'member_unknown' }]);
  });
});

describe('rejected dry run', () => {
  it('returns the same 400 as a submit for an invalid body', async () => {
    const response = await refused(service, tenant, () =>
      dryRun([invoice({ recipient: { ...recipient, postcode: '1' } })]),
    );
    expect(response.body.errors).toEqual(['documents[0].recipient.postcode must be 5 digits']);
  });

  it('returns the same 400 as a submit for an incomplete supplier profile', async () => {
    const of = await createTenant(service, { profile: { phone: null } });
    const response = await refused(service, of, () => dryRun([invoice()], { of }));
    expect(response.body.code).toBe('supplier_profile_incomplete');
  });

  it('returns the same 400 as a submit for a wrong parent', async () => {
    const response = await refused(service, tenant, () => dryRun([creditNote({ referenceId: 'NEVER' })]));
    expect(response.body.details).toMatchObject([{ rule: 'related_invoice_unknown' }]);
  });

  it('returns the same 409 as a submit for duplicates', async () => {
    const document = invoice();
    await accept(service, tenant, [document]);
    const response = await refused(service, tenant, () => dryRun([document]));
    expect(response.status).toBe(409);
    expect(response.body.code).toBe('duplicate_document');
  });

  it('returns the same 402 as a submit with the same amounts', async () => {
    const poor = await createTenant(service, { credits: 1 });
    const documents = [invoice(), invoice()];
    const response = await refused(service, poor, () => dryRun(documents, { of: poor }));
    const real = await refused(service, poor, () => submit(service, poor, documents));
    expect(response.status).toBe(402);
    expect({ ...response.body, requestId: null }).toEqual({ ...real.body, requestId: null });
    expect(response.body).toMatchObject({ requiredCredits: 2, remainingCredits: 1, shortBy: 1, documentCount: 2 });
    expect(response.headers.get('x-credits-remaining')).toBe('1');
  });

  it('ignores expired credits in a 402', async () => {
    const late = await createTenant(service, { credits: 5 });
    await service.owner.query(`UPDATE credit_lot SET expires_at = service_now() WHERE tenant_id = $1`, [late.tenantId]);
    const response = await refused(service, late, () => dryRun([invoice()], { of: late }));
    expect(response.body).toMatchObject({ requiredCredits: 1, remainingCredits: 0 });
  });
});

describe('query parameter dryRun', () => {
  it('submits the documents if false', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const without = await refused(service, tenant, () => dryRun([invoice()], { query: 'dryRun=false' }));
    expect(without.body.code).toBe('idempotency_key_invalid');
    const before = await countTenantRows(service, tenant);
    const response = await dryRun([invoice()], { query: 'dryRun=false', headers });
    expect(response.body).toHaveProperty('submissionBatchId');
    expect(await countTenantRows(service, tenant)).toMatchObject({ document: before.document + 1 });
  });

  it.each(['dryRun=', 'dryRun', 'dryRun=1', 'dryRun=TRUE', 'dryRun=yes', 'dryRun=true&dryRun=true', 'dryRun=true%20'])(
    'rejects %s',
    async (query) => {
      const headers = { 'idempotency-key': randomUUID() };
      const response = await refused(service, tenant, () => dryRun([invoice()], { query, headers }));
      expect(response.status).toBe(400);
      expect(response.body.message).toBe('the query parameter dryRun must be true or false');
      expect(response.body.errors).toEqual([response.body.message]);
    },
  );

  it('suggests the correct spelling of a misspelled name', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const response = await refused(service, tenant, () => dryRun([invoice()], { query: 'dryrun=true', headers }));
    expect(response.body.details).toMatchObject([{ pointer: '/dryrun', hint: 'did you mean dryRun?' }]);
  });
});

describe('document size limit', () => {
  // Each line has a description of 1,200 bytes.
  const lines = (count: number): object[] =>
    Array.from({ length: count }, () => ({ ...line, description: '字'.repeat(300) }));

  it("depends on the issuer's profile", async () => {
    const long = '字'.repeat(300);
    const wordy = await createTenant(service, {
      profile: { name: long, activity: long, address_line1: '字'.repeat(150) },
    });
    // The maximum number of lines for this tenant's short texts.
    let count = 150;
    while ((await dryRun([invoice({ lineItems: lines(count + 1) })])).status === 200) count += 1;
    const lineItems = lines(count);
    expect(count).toBeGreaterThan(150);
    const response = await refused(service, wordy, () => dryRun([invoice(), invoice({ lineItems })], { of: wordy }));
    expect(response.body.details).toMatchObject([{ pointer: '/documents/1', documentIndex: 1, rule: 'document_size' }]);
    expect(response.body.message).toMatch(
      /^documents\[1\] must be at most 300,000 bytes .*, here 30\d,\d{3} with its signature; the first 1\d\d of its \d{3} lines fit$/,
    );
    const real = await refused(service, wordy, () => submit(service, wordy, [invoice({ lineItems })]));
    expect(real.body.details).toMatchObject([{ rule: 'document_size' }]);
  });
});
