import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accept, type ApiResponse, createTenant, refused, submit, type TestTenant } from '../support/client.js';
import { creditNote, invoice, today } from '../support/documents.js';
import { rawRequest } from '../support/raw-http.js';
import { startFileService } from '../support/file-service.js';

// The first error in a request determines the response (docs/rules.md#order-of-checks).

const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** In the order of docs/rules.md#order-of-checks. */
const FAULTS = [
  { fault: 'route', status: 404, code: 'route_not_found' },
  { fault: 'key', status: 401, code: 'api_key_invalid' },
  { fault: 'size', status: 413, code: 'body_too_large' },
  { fault: 'mediaType', status: 415, code: 'unsupported_media_type' },
  { fault: 'syntax', status: 400, code: 'malformed_json' },
  { fault: 'header', status: 400, code: 'idempotency_key_invalid' },
  { fault: 'rules', status: 400, code: 'validation_failed' },
  { fault: 'keyReused', status: 409, code: 'idempotency_key_reused' },
  { fault: 'profile', status: 400, code: 'supplier_profile_incomplete' },
  { fault: 'verification', status: 400, code: 'supplier_not_verified' },
  { fault: 'parents', status: 400, code: 'validation_failed' },
  { fault: 'duplicates', status: 409, code: 'duplicate_document' },
  { fault: 'credits', status: 402, code: 'insufficient_credits' },
] as const;
type Fault = (typeof FAULTS)[number]['fault'];

const service = await startFileService();
/** Has no credits. */
const tenant = await createTenant(service, { credits: 1 });
const existing = invoice();
const usedKey = randomUUID();

await accept(service, tenant, [existing], { key: usedKey });

async function requestWith(faults: ReadonlySet<Fault>): Promise<ApiResponse> {
  await setPhone(tenant, faults.has('profile') ? null : '+60312345678');
  await setVerified(tenant, !faults.has('verification'));
  const headers: [string, string][] = [
    ['X-API-Key', faults.has('key') ? 'eisk_test_nobody' : tenant.apiKey],
    ['Content-Type', faults.has('mediaType') ? 'text/plain' : 'application/json'],
  ];
  if (!faults.has('header')) headers.push(['idempotency-key', faults.has('keyReused') ? usedKey : randomUUID()]);
  const path = faults.has('route') ? '/api/v1/einvoice/submitted' : '/api/v1/einvoice/submit';
  return rawRequest(service, { path, headers, body: bodyWith(faults) });
}

function bodyWith(faults: ReadonlySet<Fault>): string {
  const documents = [invoice(faults.has('rules') ? { lineItems: [] } : {})];
  if (faults.has('parents')) documents.push(creditNote({ referenceId: 'NEVER-SENT' }));
  if (faults.has('duplicates')) documents.push(existing);
  const text = JSON.stringify({ submission_type: 'non-consolidated', documents });
  const whole = faults.has('syntax') ? text.slice(0, -1) : text;
  return faults.has('size') ? whole.padEnd(BODY_BYTES_MAX + 1) : whole;
}

function setPhone({ tenantId }: TestTenant, phone: string | null): Promise<unknown> {
  return service.owner.query('UPDATE tenant SET phone = $2 WHERE tenant_id = $1', [tenantId, phone]);
}

function setVerified({ tenantId }: TestTenant, isVerified: boolean): Promise<unknown> {
  return service.owner.query(
    `UPDATE taxpayer_verification SET status = $2, decided_by = CASE $2 WHEN 'verified' THEN 'test' END
      WHERE tenant_id = $1`,
    [tenantId, isVerified ? 'verified' : 'waiting'],
  );
}

describe('request with several errors returns the first error', () => {
  // docs/rules.md#order-of-checks specifies no order for size and media type. A stored response takes precedence and is
  // tested below.
  const notTogether: Partial<Record<Fault, Fault>> = { size: 'mediaType', rules: 'keyReused' };

  it.each(FAULTS.map((expected, index) => ({ ...expected, index })))('$fault: $status', async (expected) => {
    const { fault, status, code, index } = expected;
    const faults = new Set<Fault>(FAULTS.slice(index).map((later) => later.fault));
    const apart = notTogether[fault];
    if (apart !== undefined) faults.delete(apart);
    const response = await refused(service, tenant, () => requestWith(faults));
    expect(response.status, response.text).toBe(status);
    expect(response.body.code).toBe(code);
    if (fault === 'rules') expect(response.body.details[0].rule).toBe('line_items_min_items');
    if (fault === 'parents') expect(response.body.details[0].rule).toBe('related_invoice_unknown');
  });
});

describe('idempotency key with a stored response', () => {
  it('replays the response even if the body would now be rejected', async () => {
    const late = await createTenant(service);
    const key = randomUUID();
    await moveClock(2 * 86_400);
    const documents = [invoice({ document_date: dayAfter(today(), 2) })];
    const first = await submit(service, late, documents, { key });
    expect(first.status).toBe(200);
    await moveClock(-2 * 86_400);
    // The date comes from the lookup of the key, which is cached for half a second.
    await expect.poll(async () => (await submit(service, late, documents)).status).toBe(400);
    const replay = await submit(service, late, documents, { key });
    expect(replay.status).toBe(200);
    expect(replay.text).toBe(first.text);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
  });

  it('replays the response without a complete profile and credits', async () => {
    const poor = await createTenant(service, { credits: 1 });
    const key = randomUUID();
    const documents = [invoice()];
    const first = await submit(service, poor, documents, { key });
    await setPhone(poor, null);
    const replay = await submit(service, poor, documents, { key });
    expect(replay.status).toBe(200);
    expect(replay.text).toBe(first.text);
  });

  it('returns 409 for another body that violates the rules', async () => {
    const response = await refused(service, tenant, () => requestWith(new Set<Fault>(['rules', 'keyReused'])));
    expect(response.status).toBe(409);
    expect(response.body.code).toBe('idempotency_key_reused');
  });
});

function moveClock(seconds: number): Promise<unknown> {
  return service.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
}

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}
