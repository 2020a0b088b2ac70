import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Boundary } from '../../src/common/failpoints/boundaries.js';
import { armFailpoints, nameFailpoint } from '../../src/common/failpoints/failpoints.js';
import type { Taxpayer, TokenOutcome } from '../../src/authority/tokens.js';
import {
  AuthorityHarness,
  type Handler,
  inTime,
  issueToken,
  json,
  LOGIN,
  type Replica,
  type ScriptedAuthority,
} from './support.js';

let harness: AuthorityHarness;
let taxpayer: Taxpayer;
let authority: ScriptedAuthority;
/** Response of the authority to a login. By default, it issues a token. */
let login: Handler;

beforeAll(async () => {
  harness = await AuthorityHarness.start();
  authority = await harness.serve((exchange) => login(exchange));
});

afterAll(() => harness?.stop());

let loginsBefore = 0;

beforeEach(async () => {
  login = issueToken;
  loginsBefore = authority.requestsTo(LOGIN);
  taxpayer = await harness.taxpayer();
});

afterEach(async () => {
  await harness.owner.query('TRUNCATE call_budget');
});

function logins(): number {
  return authority.requestsTo(LOGIN) - loginsBefore;
}

function replicas(count: number): Promise<Replica[]> {
  const roles = ['app', 'dispatcher'] as const;
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      harness.replica({ authorityUrl: authority.url, role: roles[index % 2] }),
    ),
  );
}

async function replica(): Promise<Replica> {
  const [first] = await replicas(1);
  return first;
}

function ask({ tokens }: Replica, who: Taxpayer = taxpayer): Promise<TokenOutcome> {
  return tokens.getToken('sandbox', who, inTime());
}

function getAccessToken(outcome: TokenOutcome): string | null {
  return outcome.kind === 'token' ? outcome.token.accessToken : null;
}

/** Rejects logins as the authority's FAQ describes for wrong credentials, for `tin` only or for all taxpayers. */
function forbid(tin?: string): Handler {
  return (exchange) => {
    const isMeant = tin === undefined || String(exchange.request.headers.onbehalfof).startsWith(tin);
    if (isMeant) exchange.response.writeHead(403).end();
    else issueToken(exchange);
  };
}

/** Holds the next login until the test responds. */
function nextLogin(): Promise<Parameters<Handler>[0]> {
  return new Promise((resolve) => (login = resolve));
}

async function storedRow(): Promise<{ ciphertext: Buffer | null; login_owner: string | null } | undefined> {
  const [row] = await harness.owner.query<{ ciphertext: Buffer | null; login_owner: string | null }[]>(
    'SELECT ciphertext, login_owner FROM authority_token WHERE tenant_id = $1',
    [taxpayer.tenantId],
  );
  return row;
}

describe('AuthorityTokens.getToken', () => {
  it('logs in once for simultaneous callers on all replicas', async () => {
    const all = await replicas(4);
    const outcomes = await Promise.all(Array.from({ length: 24 }, (_, index) => ask(all[index % 4])));
    expect(new Set(outcomes.map(getAccessToken)).size).toBe(1);
    expect(outcomes[0]?.kind).toBe('token');
    expect(logins()).toBe(1);
  });

  it('needs no login after a restart of all replicas', async () => {
    const first = getAccessToken(await ask(await replica()));
    expect(getAccessToken(await ask(await replica()))).toBe(first);
    expect(logins()).toBe(1);
  });

  it('logs in for a sole proprietor with the business number', async () => {
    const headers: unknown[] = [];
    login = (exchange) => {
      headers.push(exchange.request.headers.onbehalfof);
      issueToken(exchange);
    };
    const one = await replica();
    await ask(one);
    await ask(one, await harness.taxpayer('IG12345678912'));
    expect(headers).toEqual(['C25845632020', 'IG12345678912:201901234567']);
  });

  it('never shares a token between tenants with the same TIN', async () => {
    const one = await replica();
    const first = getAccessToken(await ask(one));
    expect(getAccessToken(await ask(one, await harness.taxpayer()))).not.toBe(first);
    expect(logins()).toBe(2);
  });

  it('encrypts the stored token', async () => {
    const access = getAccessToken(await ask(await replica())) ?? '';
    expect((await storedRow())?.ciphertext?.toString('latin1')).not.toContain(access);
  });

  it('logs in again if the stored token cannot be decrypted', async () => {
    const one = await replica();
    await ask(one);
    await harness.owner.query(`UPDATE authority_token SET ciphertext = '\\x00' WHERE tenant_id = $1`, [
      taxpayer.tenantId,
    ]);
    expect((await ask(one)).kind).toBe('token');
    expect(logins()).toBe(2);
  });

  it('opens no database transaction during a login', async () => {
    let open: unknown;
    login = async (exchange) => {
      open = await harness.owner.query(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
      );
      issueToken(exchange);
    };
    await ask(await replica());
    expect(open).toEqual([]);
  });
});

describe('the renewal of a token', () => {
  it('starts when the token expires in less than five minutes', async () => {
    const one = await replica();
    const first = getAccessToken(await ask(one));
    await harness.advance(3600 - 310);
    expect(getAccessToken(await ask(one))).toBe(first);
    await harness.advance(20);
    expect(getAccessToken(await ask(one))).not.toBe(first);
    expect(logins()).toBe(2);
  });

  it('does not log in for each call if tokens are short-lived', async () => {
    login = ({ response }) => json(response, 200, { access_token: 'short', expires_in: 240 });
    const one = await replica();
    await ask(one);
    await ask(one);
    expect(logins()).toBe(1);
  });

  it('keeps the old token in use while another replica logs in', async () => {
    const [one, two] = await replicas(2);
    const first = getAccessToken(await ask(one));
    await harness.advance(3600 - 200);
    let duringRenewal: string | null = null;
    login = async (exchange) => {
      duringRenewal = getAccessToken(await ask(two));
      issueToken(exchange);
    };
    expect(getAccessToken(await ask(one))).not.toBe(first);
    expect(duringRenewal).toBe(first);
  });

  it('keeps the old token in use while logins fail', async () => {
    const one = await replica();
    const first = getAccessToken(await ask(one));
    await harness.advance(3600 - 200);
    login = ({ response }) => json(response, 500, {});
    expect(getAccessToken(await ask(one))).toBe(first);
  });

  it('replaces an expired token', async () => {
    const one = await replica();
    const first = getAccessToken(await ask(one));
    await harness.advance(3600);
    expect(getAccessToken(await ask(one))).not.toBe(first);
  });
});

describe('a login that fails with 403', () => {
  const OTHER_TIN = 'C99999999990';
  const HOUR = 3600;

  async function dispatcher(): Promise<Replica> {
    return harness.replica({ authorityUrl: authority.url, role: 'dispatcher' });
  }

  beforeEach(async () => {
    await harness.owner.query('TRUNCATE authority_token');
  });

  it.each<[string, Handler]>([
    ['403 without a body', forbid()],
    ['403 in JSON', ({ response }) => json(response, 403, { error: { code: 'Forbidden', message: 'No' } })],
    ['unauthorised_client', ({ response }) => json(response, 400, { error: 'unauthorised_client' })],
    ['unauthorized_client', ({ response }) => json(response, 401, { error: 'unauthorized_client' })],
    ['401 without a body', ({ response }) => response.writeHead(401).end()],
  ])('is attributed to our credentials if another taxpayer with a recent login fails too: %s', async (_, handler) => {
    const one = await dispatcher();
    const other = await harness.taxpayer(OTHER_TIN);
    await ask(one);
    await ask(one, other);
    await harness.advance(HOUR);
    login = handler;
    expect(await ask(one)).toEqual({ kind: 'client-refused' });
    const asked = logins();
    expect((await ask(one, other)).kind).toBe('client-refused');
    expect((await ask(one, await harness.taxpayer('C11111111110'))).kind).toBe('client-refused');
    expect(logins(), 'nobody is asked for in vain').toBe(asked);
  });

  it('is attributed to our credentials if new and previously accepted taxpayers both fail', async () => {
    const one = await dispatcher();
    await ask(one);
    await harness.advance(HOUR);
    login = forbid();
    expect((await ask(one, await harness.taxpayer(OTHER_TIN))).kind).toBe('client-refused');
  });

  it('is attributed to our credentials if only this taxpayer has ever logged in', async () => {
    const one = await dispatcher();
    await ask(one);
    await harness.advance(HOUR);
    login = forbid();
    expect((await ask(one)).kind).toBe('client-refused');
  });

  it('is attributed to a withdrawn appointment if another taxpayer can log in', async () => {
    const one = await dispatcher();
    const other = await harness.taxpayer(OTHER_TIN);
    await ask(one);
    await ask(one, other);
    await harness.advance(HOUR);
    login = forbid(OTHER_TIN);
    expect((await ask(one, other)).kind).toBe('not-appointed');
    const asked = logins();
    expect((await ask(one)).kind, 'the other one has a new token by that').toBe('token');
    expect(logins()).toBe(asked);
    await harness.advance(61);
    expect((await ask(one, other)).kind, 'judged once').toBe('not-appointed');
  });

  it('is attributed to the taxpayer on its first login without blocking other logins', async () => {
    const one = await dispatcher();
    login = forbid(OTHER_TIN);
    expect((await ask(one, await harness.taxpayer(OTHER_TIN))).kind).toBe('not-appointed');
    expect((await ask(one)).kind).toBe('token');
    const asked = logins();
    expect((await ask(one, await harness.taxpayer(OTHER_TIN))).kind).toBe('not-appointed');
    expect(logins(), 'a taxpayer with a recent login does not log in again').toBe(asked + 1);
  });

  it('is not compared with a login more than 24 hours ago', async () => {
    const one = await dispatcher();
    await ask(one);
    await harness.advance(25 * HOUR);
    login = forbid();
    expect((await ask(one, await harness.taxpayer(OTHER_TIN))).kind).toBe('not-appointed');
  });

  it('is not attributed while the comparison gets no response', async () => {
    const one = await dispatcher();
    await ask(one, await harness.taxpayer(OTHER_TIN));
    await ask(one);
    await harness.advance(HOUR);
    login = (exchange) => {
      if (String(exchange.request.headers.onbehalfof).startsWith(OTHER_TIN)) json(exchange.response, 500, {});
      else exchange.response.writeHead(403).end();
    };
    expect((await ask(one)).kind).toBe('unavailable');
  });

  it('is reported as a problem with our credentials after its attribution', async () => {
    const one = await dispatcher();
    await ask(one, await harness.taxpayer(OTHER_TIN));
    await ask(one);
    await harness.advance(HOUR);
    login = forbid();
    expect((await ask(one)).kind).toBe('client-refused');
    expect(one.tokens.lastLogins.sandbox).toMatchObject({ isAccepted: false });
    await harness.advance(11);
    const slot = await one.budget.reserveLoginProbe('sandbox');
    if (slot === null) throw new Error('No probe is due');
    expect(await one.tokens.probe(slot, taxpayer)).toBe('refused');
    expect(one.tokens.lastLogins.sandbox).toMatchObject({ isAccepted: false });
  });

  it.each([
    ['another taxpayer logs in for comparison', HOUR],
    ['another taxpayer has just logged in', 0],
  ])('is not reported as a problem with our credentials if %s', async (_, seconds) => {
    const one = await dispatcher();
    const other = await harness.taxpayer(OTHER_TIN);
    await ask(one);
    if (seconds > 0) await ask(one, other);
    await harness.advance(seconds);
    login = forbid(OTHER_TIN);
    expect((await ask(one, other)).kind).toBe('not-appointed');
    expect(one.tokens.lastLogins.sandbox).toMatchObject({ isAccepted: true });
  });

  it.each<[string, Handler]>([
    ['no other taxpayer has logged in', forbid()],
    ['the authority responds with 503', ({ response }) => response.writeHead(503).end()],
    ['the authority responds with 429', ({ response }) => json(response, 429, {}, { 'retry-after': '7' })],
  ])('is reported as unclear if %s', async (_, handler) => {
    const one = await dispatcher();
    login = handler;
    await ask(one);
    expect(one.tokens.lastLogins.sandbox).toMatchObject({ isAccepted: null });
  });

  it('is not attributed by the API, which retries it once per minute', async () => {
    const [api] = await replicas(1);
    await ask(api);
    await harness.advance(HOUR);
    login = forbid();
    const asked = logins();
    expect((await ask(api)).kind).toBe('unavailable');
    expect((await ask(api)).kind).toBe('unavailable');
    expect(logins()).toBe(asked + 1);
    expect((await ask(api, await harness.taxpayer(OTHER_TIN))).kind).toBe('not-appointed');
  });

  it('keeps a valid token in use', async () => {
    const one = await dispatcher();
    const first = getAccessToken(await ask(one));
    await harness.advance(HOUR - 200);
    login = forbid();
    expect(getAccessToken(await ask(one))).toBe(first);
    expect(getAccessToken(await ask(one))).toBe(first);
  });
});

describe('a login', () => {
  it('is not retried within a minute of a rejection', async () => {
    login = ({ response }) => json(response, 400, { error: 'invalid_grant', error_description: 'Not appointed' });
    const [one, two] = await replicas(2);
    expect(await ask(one)).toEqual({
      kind: 'not-appointed',
      errors: [{ code: 'invalid_grant', message: 'Not appointed', path: null }],
    });
    expect((await ask(two)).kind).toBe('not-appointed');
    expect(logins()).toBe(1);
    login = issueToken;
    await harness.advance(61);
    expect((await ask(two)).kind).toBe('token');
  });

  it('stops the logins of all tenants if our own credentials are rejected', async () => {
    login = ({ response }) => json(response, 400, { error: 'invalid_client' });
    const one = await replica();
    expect((await ask(one)).kind).toBe('client-refused');
    expect((await ask(one, await harness.taxpayer())).kind, 'that is why, and no limit of calls').toBe(
      'client-refused',
    );
    expect(logins()).toBe(1);
  });

  it('stops the logins of all tenants for the Retry-After of a 429', async () => {
    login = ({ response }) => json(response, 429, {}, { 'retry-after': '40' });
    const one = await replica();
    expect(await ask(one)).toEqual({ kind: 'throttled', api: 'login', retryAfterSeconds: 40 });
    expect((await ask(one, await harness.taxpayer())).kind).toBe('throttled');
    expect(logins()).toBe(1);
  });

  it.each<[string, Handler]>([
    ['a maintenance page', ({ response }) => response.writeHead(403, { 'content-type': 'text/html' }).end('<html/>')],
    ['a cut connection', ({ request }) => request.socket.destroy()],
    ['a response without a token', ({ response }) => json(response, 200, {})],
  ])('returns unavailable and releases the lease after %s', async (_, handler) => {
    login = handler;
    const one = await replica();
    expect((await ask(one)).kind).toBe('unavailable');
    expect((await storedRow())?.login_owner).toBeNull();
    login = issueToken;
    expect((await ask(one)).kind).toBe('token');
  });

  it('replaces the login of a crashed replica once its lease expires', async () => {
    await harness.owner.query(
      `INSERT INTO authority_token (tenant_id, environment, client_id, on_behalf_of, login_owner, login_until)
       VALUES ($1, 'sandbox', 'client', 'C25845632020', $2, service_now() + interval '60 seconds')`,
      [taxpayer.tenantId, randomUUID()],
    );
    const one = await replica();
    expect(await one.tokens.getToken('sandbox', taxpayer, inTime(0.2))).toMatchObject({ kind: 'unavailable' });
    expect(logins()).toBe(0);
    await harness.advance(61);
    expect((await ask(one)).kind).toBe('token');
    expect(logins()).toBe(1);
  });

  it('continues for later callers after the deadline of the first caller', async () => {
    const heldBack = nextLogin();
    const one = await replica();
    expect((await one.tokens.getToken('sandbox', taxpayer, inTime(0.2))).kind).toBe('unavailable');
    const later = ask(one);
    issueToken(await heldBack);
    expect((await later).kind).toBe('token');
    expect(logins()).toBe(1);
  });

  it('accepts no new callers after its deadline', async () => {
    const heldBack = nextLogin();
    const one = await replica();
    expect((await one.tokens.getToken('sandbox', taxpayer, inTime(0.5))).kind).toBe('unavailable');
    const exchange = await heldBack;
    // The new login finds the lease of the first one.
    expect((await one.tokens.getToken('sandbox', taxpayer, inTime(0.5))).kind).toBe('unavailable');
    expect(logins()).toBe(1);
    issueToken(exchange);
    expect((await ask(one)).kind).toBe('token');
    expect(logins()).toBe(1);
  });

  it.each<[Boundary, 'before' | 'after']>([
    ['token.read', 'after'],
    ['token.claim', 'after'],
    ['call.login', 'before'],
    ['token.store', 'before'],
  ])('that hangs at %s (%s) does not block another login of the process', async (boundary, side) => {
    const one = await replica();
    onTestFinished(() => armFailpoints(new Map()));
    const hang = async (): Promise<string> => {
      taxpayer = await harness.taxpayer();
      armFailpoints(new Map([[nameFailpoint(boundary, side), 'hang']]));
      return (await one.tokens.getToken('sandbox', taxpayer, inTime(1))).kind;
    };
    // A read abandoned by the previous test may reach the failpoint first, which triggers only once.
    await expect.poll(hang).toBe('unavailable');
    await harness.advance(61);
    expect((await ask(one)).kind).toBe('token');
  });
});
