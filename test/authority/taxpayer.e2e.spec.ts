import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi } from '../../src/processes/api-application.js';
import { createKey } from '../../src/accounts/api-keys/keys.js';
import type { Environment } from '../../src/config/environment.js';
import { TenantService } from '../../src/tenants/tenant.service.js';
import { AuthorityHarness, type Handler, issueToken, json, LOGIN, type ScriptedAuthority } from './support.js';

const TIN = 'C25845632020';
const BRN = 'idType=BRN&idValue=201901234567';
const CHECK_PATH = `/api/v1.0/taxpayer/validate/${TIN}`;

let harness: AuthorityHarness;
let authority: ScriptedAuthority;
let api: NestFastifyApplication;
let baseUrl: string;
let tenantId: string;
let apiKey: string;
/** Response of the authority to a check. The default is a 200 without a body. */
let check: Handler;
let asked: string[];

beforeAll(async () => {
  harness = await AuthorityHarness.start();
  authority = await harness.serve((exchange) => {
    if (exchange.path === LOGIN) return issueToken(exchange);
    asked.push(exchange.request.url ?? '');
    return check(exchange);
  });
  const configuration = harness.configuration({ authorityUrl: authority.url, settings: { LOG_LEVEL: 'silent' } });
  api = await createApi(configuration);
  await api.listen(0, '127.0.0.1');
  baseUrl = await api.getUrl();
});

afterAll(async () => {
  await api?.close();
  await harness?.stop();
});

beforeEach(async () => {
  check = ({ response }) => response.writeHead(200).end();
  asked = [];
  await harness.owner.query('TRUNCATE call_budget');
  ({ tenantId } = await harness.taxpayer());
  apiKey = await createTestKey(tenantId);
});

async function createTestKey(tenant: string, environment: Environment = 'sandbox'): Promise<string> {
  const made = await createKey(harness.owner.manager, { tenantId: tenant, environment, name: 'test', createdBy: null });
  return made.apiKey;
}

interface TinAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Record<string, unknown>;
}

async function ask(tin: string, query = '', key = apiKey): Promise<TinAnswer> {
  const url = `${baseUrl}/api/v1/einvoice/validate-taxpayer-tin/${encodeURIComponent(tin)}?${query}`;
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
}

/** Inserts a document to this buyer, as acceptance stores it. */
async function document(
  buyer: { tin: string; idType: string; idValue: string },
  environment = 'sandbox',
): Promise<void> {
  const [batch, id, transaction] = [uuidv7(), uuidv7(), uuidv7()];
  await harness.owner.query(
    `INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, created_at)
     VALUES ($1, $2, $3, 'non-consolidated', 1, now())`,
    [tenantId, batch, environment],
  );
  await harness.owner.query(
    `INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
     VALUES ($1, $2, $3, 'invoice', $4, $5, 1, now())`,
    [tenantId, id, environment, id, transaction],
  );
  await harness.owner.query(
    `INSERT INTO document_transaction (tenant_id, id, environment, document_id, submission_batch_id, position, attempt,
       document_type, reference_id, payload, totals, buyer_tin, on_behalf_of, wire_bytes_max, due_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, 0, 1, 'invoice', $6, $7, '{}', $8, 'C1', 1000, now(), now(), now())`,
    [tenantId, transaction, environment, id, batch, id, JSON.stringify({ recipient: buyer }), buyer.tin],
  );
}

describe('GET /v1/einvoice/validate-taxpayer-tin/{tin}', () => {
  it('returns the verdict of the authority', async () => {
    const response = await ask('c2584-5632020'.replace('-', ' '), BRN);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      tin: TIN,
      idType: 'BRN',
      idValue: '201901234567',
      valid: true,
      reason: null,
      checkedAt: expect.any(String),
      cached: false,
    });
    expect(asked).toEqual([`${CHECK_PATH}?${BRN}`]);
  });

  it.each([404, 400])('returns valid: false after a %d from the authority', async (status) => {
    check = ({ response }) => json(response, status, { error: { code: 'BadArgument' } });
    expect(await ask(TIN, BRN)).toMatchObject({ status: 200, body: { valid: false, reason: 'not_found' } });
  });

  it('keeps a valid verdict for a day', async () => {
    const first = await ask(TIN, BRN);
    await harness.advance(24 * 3600 - 60);
    expect(await ask(TIN, BRN)).toEqual({ ...first, body: { ...first.body, cached: true } });
    expect(asked).toHaveLength(1);
    await harness.advance(120);
    expect((await ask(TIN, BRN)).body).toMatchObject({ cached: false });
    expect(asked).toHaveLength(2);
  });

  it('keeps an invalid verdict for five minutes', async () => {
    check = ({ response }) => response.writeHead(404).end();
    await ask(TIN, BRN);
    await harness.advance(290);
    expect((await ask(TIN, BRN)).body).toMatchObject({ valid: false, cached: true });
    check = ({ response }) => response.writeHead(200).end();
    await harness.advance(20);
    expect((await ask(TIN, BRN)).body).toMatchObject({ valid: true, cached: false });
    expect((await ask(TIN, BRN)).body).toMatchObject({ valid: true, reason: null, cached: true });
  });

  it('separates verdicts by tenant and id', async () => {
    await ask(TIN, BRN);
    const other = await harness.taxpayer();
    expect((await ask(TIN, BRN, await createTestKey(other.tenantId))).body).toMatchObject({ cached: false });
    expect((await ask(TIN, 'idType=BRN&idValue=199901234567')).body).toMatchObject({ cached: false });
  });

  it('uses the id of the latest document to that TIN in the same environment', async () => {
    await document({ tin: TIN, idType: 'BRN', idValue: '111' });
    await document({ tin: TIN, idType: 'NRIC', idValue: '222' });
    await document({ tin: TIN, idType: 'ARMY', idValue: '333' }, 'production');
    await document({ tin: 'C99999999990', idType: 'PASSPORT', idValue: '444' });
    expect(await ask(TIN)).toMatchObject({ status: 200, body: { idType: 'NRIC', idValue: '222' } });
    expect(asked).toEqual([`${CHECK_PATH}?idType=NRIC&idValue=222`]);
    expect((await ask(TIN)).body).toMatchObject({ idType: 'NRIC', idValue: '222', cached: true });
  });

  it('accepts the id in either spelling of the parameters', async () => {
    await document({ tin: TIN, idType: 'NRIC', idValue: '222' });
    const id = { idType: 'BRN', idValue: '199901234567' };
    expect((await ask(TIN, 'id_type=BRN&id_value=199901234567')).body).toMatchObject({ ...id, cached: false });
    expect(asked).toEqual([`${CHECK_PATH}?idType=BRN&idValue=199901234567`]);
    expect((await ask(TIN, 'idType=BRN&idValue=199901234567')).body).toMatchObject({ ...id, cached: true });
  });

  it.each(['idtype=BRN&id_value=199901234567', 'brn=199901234567', 'id_type=BRN&idType=NRIC&idValue=1'])(
    'ignores the id of the latest document for %s',
    async (query) => {
      await document({ tin: TIN, idType: 'NRIC', idValue: '222' });
      expect(await ask(TIN, query)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(asked).toEqual([]);
    },
  );

  it('requires an id if no document of the tenant contains one', async () => {
    await document({ tin: TIN, idType: 'BRN', idValue: '111' });
    const other = await harness.taxpayer();
    const response = await ask(TIN, '', await createTestKey(other.tenantId));
    expect(response).toMatchObject({ status: 400, body: { code: 'taxpayer_id_required' } });
    expect(response.body.message).toMatch(/idType.*idValue/);
    expect(asked).toEqual([]);
  });

  it.each(['idType=BRN', 'idValue=1', 'idType=SSM&idValue=1', 'idType=BRN&idValue=1&idValue=2'])(
    'rejects %s with 400',
    async (query) => {
      expect(await ask(TIN, query)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ['hello', false, 'malformed'],
    ['EI00000000010', true, 'general'],
  ])('responds to %s without an authority call', async (tin, valid, reason) => {
    const body = { valid, reason, idType: null, idValue: null, cached: false };
    expect(await ask(tin)).toMatchObject({ status: 200, body });
    expect(asked).toEqual([]);
  });

  it.each<[string, Handler, string]>([
    ['a 500', ({ response }) => json(response, 500, {}), 'authority_unavailable'],
    [
      'an HTML page',
      ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html/>'),
      'authority_unavailable',
    ],
    ['a cut connection', ({ request }) => request.socket.destroy(), 'authority_unavailable'],
    ['a 429', ({ response }) => json(response, 429, {}, { 'retry-after': '7' }), 'call_budget'],
    ['a 403', ({ response }) => json(response, 403, { error: { code: 'Forbidden' } }), 'not_appointed'],
    ['a 401', ({ response }) => json(response, 401, {}), 'authority_unavailable'],
  ])('returns 503 with Retry-After for %s and stores no verdict', async (_, handler, code) => {
    check = handler;
    const response = await ask(TIN, BRN);
    expect(response).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/), body: { code } });
    await harness.owner.query('TRUNCATE call_budget');
    check = ({ response }) => response.writeHead(200).end();
    expect(await ask(TIN, BRN)).toMatchObject({ status: 200, body: { valid: true, cached: false } });
  });

  it('returns 503 immediately while the call budget is blocked', async () => {
    check = ({ response }) => json(response, 429, {}, { 'retry-after': '40' });
    await ask(TIN, BRN);
    expect(await ask(TIN, BRN)).toMatchObject({ status: 503, body: { code: 'call_budget' } });
    expect(asked).toHaveLength(1);
  });

  it('returns 400 if the organisation lacks the TIN or id for its login', async () => {
    const { tenantId: incomplete } = await new TenantService(harness.owner).create({ name: 'Baru' });
    expect(await ask(TIN, BRN, await createTestKey(incomplete))).toMatchObject({
      status: 400,
      body: { code: 'supplier_profile_incomplete', missing: ['TIN', 'id'] },
    });
  });
});
