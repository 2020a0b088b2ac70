import { describe, expect, it } from 'vitest';
import type { SessionDto, SessionListingDto } from '../../src/dashboard-api/session/dto/session.dto.js';
import { Browser, type DashboardResponse, PASSWORD, signUp } from '../support/dashboard.js';
import { createOperator, newEmail } from '../support/people.js';
import { startFileService } from '../support/file-service.js';

interface Problem {
  code: string;
  message: string;
  requestId: string;
  errors?: string[];
}

const service = await startFileService();

describe('sign-up', () => {
  it('creates a user and an organisation and starts a session', async () => {
    const { browser, email } = await signUp(service);
    const { status, body } = await browser.get<SessionDto>('/session');
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ email, name: 'Aisyah', isOperator: false });
    expect(body.organisations).toEqual([{ tenantId: expect.any(String), name: expect.any(String), role: 'owner' }]);
    expect(body.environments).toEqual(['sandbox']);
  });

  it('reports every invalid field and creates no account', async () => {
    const response = await new Browser(service).post<Problem>('/sign-up', {
      email: 'somebody',
      password: 'short',
      name: 'A',
    });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([
      'email must be an e-mail address',
      'password must have at least 12 characters',
      'organisationName is required',
    ]);
  });

  it('returns the same response for an existing address', async () => {
    const { email } = await signUp(service);
    const count = 'SELECT count(*)::int AS tenants FROM tenant';
    const [before] = await service.owner.query<{ tenants: number }[]>(count);
    const given = { password: 'five quite different long words', name: 'B', organisationName: 'B Sdn Bhd' };
    const taken = new Browser(service);
    const ofTaken = await taken.enter('/sign-up', { ...given, email: email.toUpperCase() });
    expect(await service.owner.query(count)).toEqual([before]);
    const ofNew = await new Browser(service).enter('/sign-up', { ...given, email: newEmail().toUpperCase() });
    expect(describeResponse(ofTaken)).toEqual(describeResponse(ofNew));
    expect(ofTaken.body.user.email).toBe(email);
    expect((await taken.get('/session')).status).toBe(401);
    const stranger = await new Browser(service).enter('/sign-in', { email, password: given.password });
    expect(stranger.status).toBe(401);
  });

  it('stores only hashes of the password and the cookie', async () => {
    const { browser, email } = await signUp(service);
    const [row] = await service.owner.query<{ password_hash: string; digest: Buffer }[]>(
      `SELECT password_hash, digest FROM user_account u JOIN user_session s ON s.user_id = u.id WHERE email = $1`,
      [email],
    );
    expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(row.digest).toHaveLength(32);
    expect(browser.cookie).not.toContain(row.digest.toString('base64url'));
  });

  it('sets a cookie that is inaccessible to scripts and other sites', async () => {
    const response = await new Browser(service).enter('/sign-in', { email: 'x@y.example', password: 'wrong password' });
    expect(response.headers.getSetCookie()).toEqual([]);
    const { browser, email } = await signUp(service);
    const entered = await browser.enter('/sign-in', { email, password: PASSWORD });
    expect(entered.headers.getSetCookie()[0]).toMatch(
      /^einvoice_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });
});

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Returns the visible parts of a response without random values. */
function describeResponse({ status, headers, text, body }: DashboardResponse<SessionDto>): unknown {
  const names = [...headers.keys()].filter((name) => name !== 'date' && name !== 'content-length');
  const hide = (part: string): string =>
    part
      .replaceAll(/[\w-]{43}/g, 'SECRET')
      .replaceAll(UUID, 'ID')
      .replaceAll(/\d{10}/g, 'TIME')
      .replaceAll(body.user.email, 'EMAIL');
  return { status, names, cookies: headers.getSetCookie().map(hide), text: hide(text) };
}

describe('sign-up limit', () => {
  it('applies per network without limiting sign-ins', async () => {
    const { email } = await signUp(service);
    // Sign-ups of other tests no longer count after this time.
    await service.advance(3_700);
    const taken = { email, password: PASSWORD, name: 'A', organisationName: 'A' };
    const attempt = () => new Browser(service).post<Problem>('/sign-up', taken);
    const statuses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const responses = await Promise.all(Array.from({ length: 9 }, attempt));
      statuses.push(...responses.map(({ status }) => status));
    }
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 50 }, () => 201), 429, 429, 429, 429]);
    const refused = await attempt();
    expect(refused.body).toMatchObject({ code: 'too_many_attempts', message: expect.stringContaining('invite you') });
    expect(refused.headers.get('retry-after')).toMatch(/^([1-9]|[12]\d|30)$/);
    expect((await new Browser(service).enter('/sign-in', { email, password: PASSWORD })).status).toBe(200);
    await service.advance(31);
    expect((await attempt()).status).toBe(201);
    expect(Number((await attempt()).headers.get('retry-after'))).toBeGreaterThan(31);
    await service.advance(3_700);
    await signUp(service);
  });
});

describe('sign-in', () => {
  it('counts only failures towards the limit of a network', async () => {
    const { email } = await signUp(service);
    for (let round = 0; round < 14; round += 1) {
      const responses = await Promise.all(
        Array.from({ length: 4 }, () => new Browser(service).post('/sign-in', { email, password: PASSWORD })),
      );
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    }
  });

  it('returns the same error for a wrong password and an unknown address', async () => {
    const { email } = await signUp(service);
    const responses = await Promise.all(
      [email, 'nobody@kedai.example'].map((address) =>
        new Browser(service).post<Problem>('/sign-in', { email: address, password: 'not the password' }),
      ),
    );
    expect(responses.map(({ status, body }) => [status, body.code, body.message])).toEqual([
      [401, 'sign_in_refused', responses[0].body.message],
      [401, 'sign_in_refused', responses[0].body.message],
    ]);
  });

  it('is blocked after five failures, even if they are concurrent', async () => {
    const { email } = await signUp(service);
    const attempt = (password: string) => new Browser(service).post<Problem>('/sign-in', { email, password });
    const failures = await Promise.all(Array.from({ length: 8 }, () => attempt('not the password')));
    const statuses = failures.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const refused = await attempt(PASSWORD);
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_attempts']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await service.advance(31);
    expect((await attempt(PASSWORD)).status).toBe(200);
    expect((await attempt('not the password')).status).toBe(401);
  });
});

describe('session', () => {
  it('is not started by a request without a body', async () => {
    const response = await new Browser(service).call<Problem>('POST', '/sign-in');
    expect([response.status, response.body.errors]).toEqual([400, ['the body must be a JSON object']]);
  });

  it('is required for every page', async () => {
    const response = await new Browser(service).get<Problem>('/session');
    expect([response.status, response.body.code]).toEqual([401, 'session_required']);
    expect(response.body.message).toContain('sign in');
  });

  it('cannot be replaced with an API key', async () => {
    const response = await fetch(`${service.url}/dashboard/session`, { headers: { 'X-API-Key': 'eisk_test_x' } });
    expect(response.status).toBe(401);
  });

  it('grants no access to the four endpoints', async () => {
    const { browser } = await signUp(service);
    const response = await fetch(`${service.url}/v1/einvoice/submit`, {
      method: 'POST',
      headers: { Cookie: browser.cookie ?? '', 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'api_key_missing' });
  });

  it('rejects changes without a valid CSRF token', async () => {
    const [{ browser }, other] = [await signUp(service), await signUp(service)];
    for (const csrfToken of [null, 'x', other.browser.session?.csrfToken]) {
      const response = await browser.post<Problem>('/sign-out', {}, { csrfToken });
      expect([response.status, response.body.code]).toEqual([403, 'csrf_token_wrong']);
    }
    expect((await browser.get('/session')).status).toBe(200);
  });

  it('ends immediately on sign-out', async () => {
    const { browser } = await signUp(service);
    const cookie = browser.cookie;
    expect((await browser.call('POST', '/sign-out')).status).toBe(204);
    browser.cookie = cookie;
    expect((await browser.get('/session')).status).toBe(401);
  });

  it('can be listed and ended only by its user', async () => {
    const { browser, email } = await signUp(service);
    const second = new Browser(service);
    await second.enter('/sign-in', { email, password: PASSWORD });
    const { body: listed } = await second.get<SessionListingDto[]>('/sessions');
    expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false]);
    const stranger = await signUp(service);
    const path = `/sessions/${listed[1].sessionId}`;
    expect((await stranger.browser.call('DELETE', path)).status).toBe(404);
    expect((await browser.get('/session')).status).toBe(200);
    expect((await second.call('DELETE', path)).status).toBe(204);
    expect((await browser.get('/session')).status).toBe(401);
  });

  it('expires after 12 hours of inactivity or after a week', async () => {
    const { browser } = await signUp(service);
    for (let day = 0; day < 14; day += 1) {
      await service.advance(11.9 * 3_600);
      expect((await browser.get('/session')).status, `${day}`).toBe(200);
    }
    await service.advance(2 * 3_600);
    expect((await browser.get('/session')).status).toBe(401);
    const idle = await signUp(service);
    await service.advance(12.1 * 3_600);
    expect((await idle.browser.get('/session')).status).toBe(401);
  });

  it('expires for operators after 30 minutes of inactivity or after 12 hours', async () => {
    const [{ browser }, idle, user] = [
      await createOperator(service),
      await createOperator(service),
      await signUp(service),
    ];
    for (let minutes = 0; minutes < 11.5 * 60; minutes += 25) {
      await service.advance(25 * 60);
      expect((await browser.get('/session')).status, `${minutes}`).toBe(200);
    }
    expect((await idle.browser.get('/session')).status).toBe(401);
    const { body } = await browser.get<SessionListingDto[]>('/sessions');
    expect(body).toHaveLength(1);
    await service.advance(25 * 60);
    expect((await browser.get('/session')).status).toBe(401);
    expect((await user.browser.get('/session')).status).toBe(401);
    await user.browser.enter('/sign-in', { email: user.email, password: PASSWORD });
    await service.advance(11 * 3_600);
    expect((await user.browser.get('/session')).status).toBe(200);
  });

  it('is not extended by background requests from an unattended page', async () => {
    const [{ browser }, user] = [await createOperator(service), await signUp(service)];
    const headers = { 'X-Unattended': 'true' };
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      await service.advance(9 * 60);
      statuses.push((await browser.call('GET', '/session', undefined, { headers })).status);
      await user.browser.call('GET', '/session', undefined, { headers });
    }
    expect(statuses).toEqual([200, 200, 200, 401]);
    expect((await user.browser.get('/session')).status).toBe(200);
  });

  it('ends when the password is changed in another browser', async () => {
    const { browser, email } = await signUp(service);
    const other = new Browser(service);
    await other.enter('/sign-in', { email, password: PASSWORD });
    const next = 'another good long password';
    const wrong = await browser.post<Problem>('/password', { current: 'not the password', next });
    expect(wrong.body.code).toBe('sign_in_refused');
    expect((await browser.post('/password', { current: PASSWORD, next })).status).toBe(204);
    expect((await browser.get('/session')).status).toBe(200);
    expect((await other.get('/session')).status).toBe(401);
    expect((await other.enter('/sign-in', { email, password: PASSWORD })).status).toBe(401);
    expect((await other.enter('/sign-in', { email, password: next })).status).toBe(200);
  });
});
