import { describe, expect, it } from 'vitest';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import type { SessionDto, SessionListingDto } from '../../src/dashboard-api/session/dto/session.dto.js';
import { Browser, PASSWORD } from '../support/dashboard.js';
import { readAudit, organisation, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';
import { SessionsService } from '../../src/accounts/sessions.service.js';
import { CONFIGURATION } from '../../src/config/configuration.js';
import { UserSession } from '../../src/entities/user-session.entity.js';

const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';

const service = await startFileService();

async function listActions(email: string): Promise<string[]> {
  const entries = await readAudit(service, NO_ORGANISATION);
  return entries.filter(({ subject }) => subject === email).map(({ action }) => action);
}

async function signedIn(email: string, password = PASSWORD): Promise<Browser> {
  const browser = new Browser(service);
  await browser.enter('/sign-in', { email, password });
  return browser;
}

describe('account settings', () => {
  it("rename only the signed-in user's account", async () => {
    const [{ browser, email }, other] = [await organisation(service), await organisation(service)];
    expect((await browser.call('PATCH', '/account', { name: ' Aisyah Rahman ' })).status).toBe(204);
    expect((await browser.get<SessionDto>('/session')).body.user.name).toBe('Aisyah Rahman');
    expect((await other.browser.get<SessionDto>('/session')).body.user.name).toBe('Aisyah');
    expect(await listActions(email)).toEqual(['user.renamed']);
    const wrong = await browser.call<Problem>('PATCH', '/account', { name: ' ' });
    expect([wrong.status, wrong.body.errors]).toEqual([400, ['name is required']]);
  });

  it('end all other sessions of the user', async () => {
    const [{ browser, email }, other] = [await organisation(service), await organisation(service)];
    const elsewhere = await signedIn(email);
    expect((await browser.post('/sessions/end-others', {})).status).toBe(204);
    expect((await elsewhere.get('/session')).status).toBe(401);
    expect((await browser.get('/session')).status).toBe(200);
    expect((await other.browser.get('/session')).status).toBe(200);
    expect(await listActions(email)).toEqual(['user.signed_in', 'user.other_sessions_ended']);
  });

  it('sign the user out and clear failed sign-ins when an operator resets the password', async () => {
    const { browser, email } = await organisation(service);
    for (let failure = 0; failure < 6; failure += 1) await signedIn(email, 'not the password');
    expect((await new Browser(service).enter('/sign-in', { email, password: PASSWORD })).status).toBe(429);
    const accounts = new AccountsService(
      service.owner,
      new SessionsService(service.owner.getRepository(UserSession), service.api.get(CONFIGURATION)),
    );
    const next = 'a password from the operator';
    expect(await accounts.resetPassword(email.toUpperCase(), next)).toBe(true);
    expect(await accounts.resetPassword('nobody@kedai.example', next)).toBe(false);
    expect((await browser.get('/session')).status).toBe(401);
    expect((await new Browser(service).enter('/sign-in', { email, password: PASSWORD })).status).toBe(401);
    expect((await new Browser(service).enter('/sign-in', { email, password: next })).status).toBe(200);
    expect(await listActions(email)).toContain('user.password_reset');
  });
});

describe('session expiry', () => {
  it('removes ended sessions from the list', async () => {
    const { browser, email } = await organisation(service);
    await service.advance(11 * 3_600);
    expect((await browser.get('/session')).status).toBe(200);
    const idle = await signedIn(email);
    await service.advance(11 * 3_600);
    expect((await browser.get('/session')).status).toBe(200);
    await service.advance(2 * 3_600);
    expect((await idle.get('/session')).status).toBe(401);
    const { body } = await browser.get<SessionListingDto[]>('/sessions');
    expect(body.map(({ isCurrent }) => isCurrent)).toEqual([true]);
  });

  it('deletes ended sessions and old failed sign-ins during housekeeping', async () => {
    const { browser, email } = await organisation(service);
    await signedIn(email, 'not the password');
    const subjects = 'SELECT subject FROM sign_in_throttle WHERE subject = $1';
    const sessions = `SELECT s.id FROM user_session s JOIN user_account u ON u.id = s.user_id WHERE u.email = $1`;
    const left = async (): Promise<number[]> => [
      (await service.owner.query<unknown[]>(subjects, [`sign-in ${email} 127.0.0.1`])).length,
      (await service.owner.query<unknown[]>(sessions, [email])).length,
    ];
    await service.advance(3_500);
    await service.tick('housekeeping');
    expect(await left()).toEqual([1, 1]);
    await service.advance(700);
    await service.tick('housekeeping');
    expect(await left()).toEqual([0, 1]);
    expect((await browser.get('/session')).status).toBe(200);
    await service.advance(7 * 24 * 3_600);
    await service.tick('housekeeping');
    expect(await left()).toEqual([0, 0]);
  });
});
