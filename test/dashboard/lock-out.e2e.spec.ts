import { describe, expect, it } from 'vitest';
import { Browser, type DashboardResponse, PASSWORD, signUp } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';
import { invite, newEmail, organisation, type Problem, readAudit } from '../support/people.js';

const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';
const WRONG = 'not the password';
const service = await startFileService({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });

let networks = 0;

/** Returns an address in an unused network. */
function newAddress(): string {
  networks += 1;
  return `198.51.100.${networks}`;
}

function signIn(
  email: string,
  { from, password = PASSWORD, browser = new Browser(service) }: { from: string; password?: string; browser?: Browser },
): Promise<DashboardResponse<Problem>> {
  return browser.post<Problem>('/sign-in', { email, password }, { headers: { 'X-Forwarded-For': from } });
}

/** Sends wrong passwords sequentially and returns the statuses. */
async function failFrom(from: string, email: string, times: number, browser?: Browser): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) {
    statuses.push((await signIn(email, { from, password: WRONG, browser })).status);
  }
  return statuses;
}

/** Inserts failed attempts directly, which avoids a password hash for each. */
async function countAlready(subject: string, tries: number): Promise<void> {
  await service.owner.query(
    `INSERT INTO sign_in_throttle (subject, tries, blocked_until, updated_at)
     VALUES ($1, $2, service_now(), service_now())
     ON CONFLICT (subject) DO UPDATE SET tries = $2, blocked_until = service_now(), updated_at = service_now()`,
    [subject, tries],
  );
}

describe('password guessing', () => {
  it("blocks only the attacker's network", async () => {
    const { email } = await signUp(service);
    const attacker = newAddress();
    expect(await failFrom(attacker, email, 9)).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429]);
    expect((await signIn(email, { from: attacker })).status).toBe(429);
    expect((await signIn(email, { from: newAddress() })).status).toBe(200);
    expect((await signIn(email, { from: attacker })).status).toBe(429);
  });

  it('blocks for at most 15 minutes after the clock is set back', async () => {
    const office = newAddress();
    await service.owner.query(
      `INSERT INTO sign_in_throttle (subject, tries, blocked_until, updated_at)
       VALUES ($1, 500, service_now() + interval '2 hours', service_now())`,
      [`network ${office}`],
    );
    const { status, headers } = await signIn(newEmail(), { from: office });
    expect([status, headers.get('retry-after')]).toEqual([429, '900']);
  });

  it('does not delay a known browser in the same network', async () => {
    const { browser, email } = await signUp(service);
    const office = newAddress();
    expect((await failFrom(office, email, 6)).at(-1)).toBe(429);
    await countAlready(`network ${office}`, 500);
    await failFrom(office, newEmail(), 1);
    expect((await signIn(newEmail(), { from: office })).status).toBe(429);
    expect((await signIn(email, { from: office })).status).toBe(429);
    expect((await signIn(email, { from: office, browser })).status).toBe(200);
  });

  it('from many networks delays unknown browsers by at most a minute', async () => {
    const { browser, email } = await signUp(service);
    await countAlready(`account ${email}`, 5_000);
    expect(await failFrom(newAddress(), email, 1)).toEqual([401]);
    const refused = await signIn(email, { from: newAddress() });
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_attempts']);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await signIn(email, { from: newAddress(), browser })).status).toBe(200);
    await service.advance(61);
    expect((await signIn(email, { from: newAddress() })).status).toBe(200);
  });

  it('is counted per IPv6 /64 network', async () => {
    const { email } = await signUp(service);
    const statuses: number[] = [];
    for (let host = 1; host <= 6; host += 1) {
      statuses.push((await signIn(email, { from: `2001:db8:0:7:${host}::${host}`, password: WRONG })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await signIn(email, { from: '2001:db8:0:8::1' })).status).toBe(200);
  });

  it('cannot bypass the limit with an invalid or overused device cookie', async () => {
    const [{ email }, other] = [await signUp(service), await signUp(service)];
    const network = newAddress();
    await failFrom(network, email, 6);
    const [id, expires, signature] = String(other.browser.deviceCookie?.split('=')[1]).split('.');
    const known = new Browser(service);
    expect((await signIn(email, { from: newAddress(), browser: known })).status).toBe(200);
    const mine = String(known.deviceCookie?.split('=')[1]).split('.');
    for (const token of [
      `${id}.${expires}.${signature}`,
      `${mine[0]}.${Number(mine[1]) + 1}.${mine[2]}`,
      `${id}.${mine[1]}.${mine[2]}`,
      'x~~y',
    ]) {
      const browser = new Browser(service);
      browser.deviceCookie = `einvoice_device=${token}`;
      expect((await signIn(email, { from: network, browser })).status, token).toBe(429);
    }
    await countAlready(`device ${mine[0]}`, 9);
    expect((await signIn(email, { from: network, password: WRONG, browser: known })).status).toBe(401);
    expect((await signIn(email, { from: network, browser: known })).status).toBe(429);
  });

  it('is logged on each failure and on the first, tenth and hundredth block', async () => {
    const { email } = await signUp(service);
    const network = newAddress();
    await failFrom(network, email, 5);
    await failFrom(network, email, 25);
    const entries = (await readAudit(service, NO_ORGANISATION)).filter(({ subject }) => subject.startsWith(email));
    const failed = entries.filter(({ action }) => action === 'user.sign_in_failed');
    expect(failed).toHaveLength(5);
    expect(failed[0]).toMatchObject({ actor: 'not signed in', subject: email, ip: network });
    const refusals = entries.filter(({ action }) => action === 'attempts.refused');
    expect(refusals.map(({ details }) => details.refusals)).toEqual([1, 10]);
    expect(entries).toHaveLength(7);
  });
});

describe('shared browser', () => {
  it('is recognised for each of its users', async () => {
    const [one, other] = [await signUp(service), await signUp(service)];
    const shared = new Browser(service);
    for (const { email } of [one, other]) {
      expect((await signIn(email, { from: newAddress(), browser: shared })).status).toBe(200);
    }
    const network = newAddress();
    for (const { email } of [one, other]) {
      await failFrom(network, email, 6);
      expect((await signIn(email, { from: network, browser: shared })).status).toBe(200);
    }
  });
});

describe('rate limit for changes', () => {
  type Owner = Awaited<ReturnType<typeof organisation>>;
  const next = 'another good long password';
  it.each<[string, number, (owner: Owner) => Promise<DashboardResponse<Problem>>]>([
    ['password', 10, ({ browser }) => browser.post('/password', { current: WRONG, next })],
    ['rename', 30, ({ browser }) => browser.call('PATCH', '/account', { name: 'Badrul' })],
    ['sessions', 60, ({ browser }) => browser.post('/sessions/end-others', {})],
    ['sessions', 60, ({ browser }) => browser.call('DELETE', `/sessions/${NO_ORGANISATION}`)],
    ['keys', 100, ({ browser, path }) => browser.post(`${path}/keys`, {})],
    ['keys', 100, ({ browser, path }) => browser.post(`${path}/keys/${NO_ORGANISATION}/rotate`, {})],
    ['keys', 100, ({ browser, path }) => browser.call('DELETE', `${path}/keys/${NO_ORGANISATION}`)],
    ['invitations', 100, ({ browser, path }) => browser.post(`${path}/invitations`, {})],
    ['invitations', 100, ({ browser, path }) => browser.call('DELETE', `${path}/invitations/${NO_ORGANISATION}`)],
    ['invitations', 100, ({ browser }) => browser.post('/invitations/accept', { secret: 'x' })],
  ])('limits %s to %i per hour and user', async (kind, limit, change) => {
    const [owner, other] = [await organisation(service), await organisation(service)];
    await countAlready(`${kind} ${owner.email}`, limit - 1);
    expect((await change(owner)).status).not.toBe(429);
    const refused = await change(owner);
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_attempts']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await change(other)).status).not.toBe(429);
    await service.advance(31);
    expect((await change(owner)).status).not.toBe(429);
  });

  it('limits password changes by link per network', async () => {
    const owner = await organisation(service);
    const secret = await invite(owner.browser, owner.path, newEmail(), 'viewer');
    const network = newAddress();
    const headers = { 'X-Forwarded-For': network };
    await countAlready(`link ${network}`, 99);
    const open = (address: string) => new Browser(service).post<Problem>(address, { secret }, { headers });
    expect((await open('/invitations/look-up')).status).toBe(200);
    for (const address of [
      '/invitations/look-up',
      '/invitations/sign-up',
      '/password-links/look-up',
      '/password-links/use',
    ]) {
      expect((await open(address)).status, address).toBe(429);
    }
  });
});
