import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionListingDto } from '../../src/dashboard-api/session/dto/session.dto.js';
import { Browser, type DashboardResponse, PASSWORD, signUp } from '../support/dashboard.js';
import { readAudit } from '../support/people.js';
import { TestService } from '../support/service.js';

const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';
/** Maximum number of failed sign-ins per address. */
const FREE_FAILURES = 50;
const AT_ONCE = 10;
const [FIRST, SECOND] = ['203.0.113.7', '203.0.113.8'];

/** Simulates a proxy, which appends the client's address to the header value sent by the client. */
function forwarded(client: string, sent = ''): Record<string, string> {
  return { 'X-Forwarded-For': `${sent}${client}`, 'X-Forwarded-Proto': 'https' };
}

let emails = 0;

/** Sends a failing sign-in with a new e-mail address. */
function fail(service: TestService, headers: Record<string, string>): Promise<DashboardResponse<{ code: string }>> {
  emails += 1;
  const body = { email: `nobody${emails}@kedai.example`, password: 'not the password' };
  return new Browser(service).post('/sign-in', body, { headers });
}

async function failAll(service: TestService, buildHeaders: (index: number) => Record<string, string>): Promise<void> {
  for (let count = 0; count < FREE_FAILURES; count += AT_ONCE) {
    const tries = Array.from({ length: AT_ONCE }, (_, index) => fail(service, buildHeaders(count + index)));
    const responses = await Promise.all(tries);
    expect(responses.map(({ status }) => status)).toEqual(tries.map(() => 401));
  }
}

async function signInAgain(service: TestService, email: string, headers: Record<string, string>): Promise<Browser> {
  const browser = new Browser(service);
  const response = await browser.post<typeof browser.session>('/sign-in', { email, password: PASSWORD }, { headers });
  expect(response.status, response.text).toBe(200);
  browser.session = response.body;
  return browser;
}

describe('server without TRUSTED_PROXIES', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  it('ignores forged client addresses for the rate limit', async () => {
    await failAll(service, (index) => forwarded(`203.0.113.${index}`));
    const refused = await fail(service, forwarded('203.0.113.200'));
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_attempts']);
  });

  it('ignores a forged protocol when setting the cookie', async () => {
    await service.advance(3_700);
    const { email } = await signUp(service);
    const response = await new Browser(service).post(
      '/sign-in',
      { email, password: PASSWORD },
      { headers: forwarded(FIRST) },
    );
    expect(response.headers.getSetCookie().filter((cookie) => /Secure|__Host-/.test(cookie))).toEqual([]);
  });
});

describe('server with TRUSTED_PROXIES', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({ environment: { TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' } });
  });
  afterAll(() => service.stop());

  it('limits each client by the address that the proxy reports', async () => {
    await failAll(service, (index) => forwarded(FIRST, `198.51.100.${index}, `));
    expect((await fail(service, forwarded(FIRST))).status).toBe(429);
    expect((await fail(service, forwarded(FIRST, `${SECOND}, `))).status).toBe(429);
    // The request passes through a second trusted proxy.
    expect((await fail(service, forwarded(`${FIRST}, 10.1.2.3`))).status).toBe(429);
    expect((await fail(service, forwarded(SECOND))).status).toBe(401);
  });

  it("stores the client's address in sessions and audit entries", async () => {
    const { email } = await signUp(service);
    const browser = await signInAgain(service, email, forwarded(SECOND));
    const { body } = await browser.get<SessionListingDto[]>('/sessions');
    expect(body.map(({ ip }) => ip)).toEqual([SECOND, '127.0.0.1']);
    const entries = await readAudit(service, NO_ORGANISATION);
    expect(entries.find(({ subject }) => subject === email)).toMatchObject({ action: 'user.signed_in', ip: SECOND });
  });

  it('sets and clears a secure host-only cookie over HTTPS', async () => {
    const { email } = await signUp(service);
    const headers = forwarded(SECOND);
    const entered = await new Browser(service).post('/sign-in', { email, password: PASSWORD }, { headers });
    // Browsers accept `__Host-` only with Secure, the path `/` and no Domain.
    const session = /^__Host-einvoice_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/;
    const device = /^__Host-einvoice_device=[^;]+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/;
    expect(entered.headers.getSetCookie()).toEqual([expect.stringMatching(session), expect.stringMatching(device)]);
    const browser = await signInAgain(service, email, headers);
    expect((await browser.post('/sign-out', {}, { headers, csrfToken: 'x' })).status).toBe(403);
    const left = await browser.post('/sign-out', {}, { headers });
    expect([left.status, left.headers.getSetCookie()]).toEqual([
      204,
      [expect.stringMatching(/^__Host-einvoice_session=; Max-Age=0; Path=\/; HttpOnly; Secure;/)],
    ]);
    const plain = await new Browser(service).post(
      '/sign-in',
      { email, password: PASSWORD },
      { headers: { ...headers, 'X-Forwarded-Proto': 'http' } },
    );
    expect(plain.headers.getSetCookie().filter((cookie) => /Secure|__Host-/.test(cookie))).toEqual([]);
  });

  it('accepts a cookie without the prefix only over HTTP', async () => {
    const [planted, own] = await Promise.all([signUp(service), signUp(service)]);
    const [plain, other] = [planted.browser, own.browser].map(({ cookie }) => String(cookie));
    const reader = new Browser(service);
    const read = async (cookie: string, protocol: string) => {
      reader.cookie = cookie;
      const headers = { ...forwarded(FIRST), 'X-Forwarded-Proto': protocol };
      const { status, body } = await reader.call<{ user?: { email: string } }>('GET', '/session', undefined, {
        headers,
      });
      return body.user?.email ?? status;
    };
    expect(plain).toMatch(/^einvoice_session=/);
    expect(await read(plain, 'http')).toBe(planted.email);
    expect(await read(plain, 'https')).toBe(401);
    expect(await read(`${plain}; __Host-${other}`, 'https')).toBe(own.email);
    expect(await read(`__Host-${other}; ${plain}`, 'https')).toBe(own.email);
  });
});
