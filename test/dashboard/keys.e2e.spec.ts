import { describe, expect, it } from 'vitest';
import type { KeyDto, KeyPageDto, MadeKeyDto, RotatedKeyDto } from '../../src/dashboard-api/keys/dto/key.dto.js';
import { type Browser } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';
import { until } from '../support/until.js';
import { readAudit, completeProfile, join, organisation, type Problem } from '../support/people.js';

const HOUR_MS = 3_600_000;

const service = await startFileService();
const owner = await organisation(service);
const viewer = await join(service, owner.browser, owner.path, 'viewer');
const member = await join(service, owner.browser, owner.path, 'member');
await completeProfile(service, owner.tenantId);

const NEW_KEY = { name: 'ERP', environment: 'sandbox' };

async function create(browser: Browser, path: string, body: object = NEW_KEY): Promise<MadeKeyDto> {
  const response = await browser.post<MadeKeyDto>(`${path}/keys`, body);
  expect(response.status, response.text).toBe(201);
  return response.body;
}

async function readKey({ browser, path }: { browser: Browser; path: string }, keyId: string): Promise<KeyDto> {
  const { body } = await browser.get<KeyPageDto>(`${path}/keys`);
  const key = body.items.find((listed) => listed.keyId === keyId);
  if (key === undefined) throw new Error('No such key');
  return key;
}

/** Moves the database clock for one test and then resets it. */
async function later(hours: number, work: () => Promise<void>): Promise<void> {
  const move = 'UPDATE service_clock SET offset_seconds = offset_seconds + $1';
  await service.owner.query(move, [hours * 3_600]);
  try {
    await work();
  } finally {
    await service.owner.query(move, [-hours * 3_600]);
  }
}

/** Returns the status of each endpoint: 404 for an unknown batch, 401 for a rejected key. */
async function readStatusCode(apiKey: string): Promise<number> {
  const path = '/v1/saas/submissions/019a8b5e-7c1f-7000-8000-000000000001/status';
  return (await fetch(`${service.url}${path}`, { headers: { 'X-API-Key': apiKey } })).status;
}

describe('API key', () => {
  it('is shown only once and works on all four endpoints', async () => {
    const { keyId, apiKey, environment, expiresAt } = await create(member.browser, owner.path);
    expect({ environment, expiresAt }).toEqual({ environment: 'sandbox', expiresAt: null });
    const { status, text, body } = await viewer.browser.get<KeyPageDto>(`${owner.path}/keys`);
    expect(status).toBe(200);
    expect(text).not.toContain(apiKey);
    expect(body.items[0]).toEqual({
      keyId,
      name: 'ERP',
      environment: 'sandbox',
      prefix: 'eisk_test_',
      lastFour: apiKey.slice(-4),
      state: 'Active',
      createdAt: expect.any(String),
      createdBy: { kind: 'user', id: member.userId, name: 'Badrul', detail: member.email },
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
    });
    expect(await readStatusCode(apiKey)).toBe(404);
    await until('its use is stored', async () => (await readKey(owner, keyId)).lastUsedAt !== null);
    const entries = await readAudit(service, owner.tenantId);
    expect(entries.at(-1)).toEqual({
      action: 'key.created',
      actor: member.email,
      subject: 'ERP',
      details: { keyId, environment: 'sandbox', expiresAt: null },
      ip: '127.0.0.1',
    });
    expect(JSON.stringify(entries)).not.toContain(apiKey.slice(-10));
  });

  it.each([
    [{ environment: 'sandbox' }, 'name is required'],
    [{ ...NEW_KEY, name: 'x'.repeat(101) }, 'name must be at most 100 characters'],
    [{ ...NEW_KEY, environment: 'prod' }, 'environment must be one of: sandbox, production'],
    [{ ...NEW_KEY, environment: 'production' }, 'environment must be an environment of this service'],
    [{ ...NEW_KEY, expiresAt: '2027-12-31' }, 'expiresAt must be a timestamp with a time zone'],
    [{ ...NEW_KEY, expiresAt: '2027-02-30T00:00:00Z' }, 'expiresAt is not a valid timestamp'],
    [{ ...NEW_KEY, expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt must be in the future'],
  ])('is rejected with %j: %s', async (body, sentence) => {
    const before = await readAudit(service, owner.tenantId);
    const response = await owner.browser.post<Problem>(`${owner.path}/keys`, body);
    expect([response.status, response.body.code]).toEqual([400, 'validation_failed']);
    expect(response.body.errors).toEqual([expect.stringContaining(sentence)]);
    expect(response.body.details?.[0].hint).toEqual(expect.any(String));
    expect(await readAudit(service, owner.tenantId)).toEqual(before);
  });

  it('expires according to the database clock', async () => {
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const { keyId, apiKey } = await create(owner.browser, owner.path, { ...NEW_KEY, expiresAt });
    expect((await readKey(owner, keyId)).state).toBe('Active');
    await later(2, async () => {
      expect((await readKey(owner, keyId)).state).toBe('Expired');
      expect(await readStatusCode(apiKey)).toBe(401);
      const late = await owner.browser.post<Problem>(`${owner.path}/keys`, { ...NEW_KEY, expiresAt });
      expect(late.body.errors).toEqual(['expiresAt must be in the future']);
    });
  });

  it('stops working when a member revokes it', async () => {
    const { keyId, apiKey } = await create(owner.browser, owner.path);
    const path = `${owner.path}/keys/${keyId}`;
    expect((await member.browser.call('DELETE', path)).status).toBe(204);
    expect(await readStatusCode(apiKey)).toBe(401);
    expect(await readKey(owner, keyId)).toMatchObject({ state: 'Revoked', revokedAt: expect.any(String) });
    const again = await member.browser.call<Problem>('DELETE', path);
    expect([again.status, again.body.code]).toEqual([409, 'state_conflict']);
    const revocations = (await readAudit(service, owner.tenantId)).filter(({ details }) => details.keyId === keyId);
    expect(revocations.map(({ action }) => action)).toEqual(['key.created', 'key.revoked']);
  });
});

describe('API key rotation', () => {
  it('creates a key with the same name and expires the old key after the overlap', async () => {
    const old = await create(owner.browser, owner.path);
    const path = `${owner.path}/keys/${old.keyId}/rotate`;
    const response = await member.browser.post<RotatedKeyDto>(path, { overlapHours: 24 });
    expect(response.status, response.text).toBe(201);
    const { keyId, apiKey, oldEndsAt } = response.body;
    const hours = (new Date(oldEndsAt).getTime() - Date.now()) / HOUR_MS;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
    expect(await readKey(owner, old.keyId)).toMatchObject({ state: 'Ending', replacedBy: keyId, expiresAt: oldEndsAt });
    expect(await readKey(owner, keyId)).toMatchObject({ state: 'Active', name: 'ERP', environment: 'sandbox' });
    expect([await readStatusCode(old.apiKey), await readStatusCode(apiKey)]).toEqual([404, 404]);
    await later(24.01, async () => {
      await until('the old key is refused', async () => (await readStatusCode(old.apiKey)) === 401);
      expect(await readStatusCode(apiKey)).toBe(404);
    });
    await later(10, async () => expect((await readKey(owner, old.keyId)).state).toBe('Ending'));
    const entry = (await readAudit(service, owner.tenantId)).find(({ action }) => action === 'key.rotated');
    expect(entry).toMatchObject({ actor: member.email, details: { newKeyId: keyId, overlapHours: 24 } });
  });

  it('expires the old key immediately without an overlap', async () => {
    const old = await create(owner.browser, owner.path);
    const response = await owner.browser.post(`${owner.path}/keys/${old.keyId}/rotate`, { overlapHours: 0 });
    expect(response.status).toBe(201);
    expect((await readKey(owner, old.keyId)).state).toBe('Expired');
    expect(await readStatusCode(old.apiKey)).toBe(401);
  });

  it('never extends the lifetime of the old key', async () => {
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const old = await create(owner.browser, owner.path, { ...NEW_KEY, expiresAt });
    await owner.browser.post(`${owner.path}/keys/${old.keyId}/rotate`, { overlapHours: 24 });
    expect((await readKey(owner, old.keyId)).expiresAt).toBe(expiresAt);
  });

  it('succeeds only once for concurrent requests', async () => {
    const old = await create(owner.browser, owner.path);
    const path = `${owner.path}/keys/${old.keyId}/rotate`;
    const rotate = (browser: Browser) => browser.post<Problem>(path, { overlapHours: 1 });
    const responses = await Promise.all([owner, member, owner, member].map(({ browser }) => rotate(browser)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    const refused = responses.find(({ status }) => status === 409);
    expect([refused?.body.code, refused?.body.message]).toEqual(['state_conflict', expect.stringContaining('rotated')]);
    const made = await service.owner.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM api_key WHERE tenant_id = $1 AND id > $2`,
      [owner.tenantId, old.keyId],
    );
    expect(made).toEqual([{ count: 1 }]);
  });

  it.each([
    [{}, 'overlapHours is required'],
    [{ overlapHours: -1 }, 'overlapHours must be from 0 to 720'],
    [{ overlapHours: 721 }, 'overlapHours must be from 0 to 720'],
    [{ overlapHours: 1.5 }, 'overlapHours must be a whole number'],
    [{ overlapHours: '1' }, 'overlapHours must be a JSON number, not a string'],
    [{ overlapHours: 1, expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt must be in the future'],
  ])('rejects %j: %s', async (body, sentence) => {
    const { keyId } = await create(owner.browser, owner.path);
    const response = await owner.browser.post<Problem>(`${owner.path}/keys/${keyId}/rotate`, body);
    expect(response.body.errors).toContain(sentence);
    expect((await readKey(owner, keyId)).replacedBy).toBeNull();
  });
});

describe('API key list', () => {
  it('contains the same keys in pages and CSV, without their secrets', async () => {
    const { browser, path, tenantId } = await organisation(service);
    await completeProfile(service, tenantId);
    const made: MadeKeyDto[] = [];
    for (const name of ['one', 'two', '=three()']) made.push(await create(browser, path, { ...NEW_KEY, name }));
    const names: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const { body }: { body: KeyPageDto } = await browser.get<KeyPageDto>(`${path}/keys?limit=2&cursor=${next}`);
      names.push(...body.items.map(({ name }) => name));
      next = body.next;
    }
    expect(names).toEqual(['=three()', 'two', 'one']);
    const file = await browser.get(`${path}/keys.csv`);
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="api-keys.csv"');
    const lines = file.text.split('\r\n');
    expect(lines[0]).toContain('Name,Environment,Key,State,Created (UTC+8)');
    expect(lines.slice(1, 4).map((line) => line.split(',')[0])).toEqual(["'=three()", 'two', 'one']);
    for (const { apiKey } of made) expect(file.text).not.toContain(apiKey);
    const wrong = await browser.get<Problem>(`${path}/keys?cursor=nonsense`);
    expect([wrong.status, wrong.body.errors]).toEqual([400, ['cursor is not a cursor of this list']]);
  });
});
