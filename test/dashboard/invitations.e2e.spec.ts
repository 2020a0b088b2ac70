import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type {
  InvitationPageDto,
  MadeInvitationDto,
  OpenedInvitationDto,
} from '../../src/dashboard-api/members/dto/member.dto.js';
import type { SessionDto } from '../../src/dashboard-api/session/dto/session.dto.js';
import { createApi } from '../../src/processes/api-application.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { Browser, PASSWORD } from '../support/dashboard.js';
import { readAudit, invite, join, newEmail, organisation, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';

const WEEK_SECONDS = 7 * 24 * 3_600;

const service = await startFileService();
const owner = await organisation(service);

function lookUp<T = Problem>(secret: string) {
  return new Browser(service).post<T>('/invitations/look-up', { secret });
}

function signUp<T = Problem>(secret: string, browser = new Browser(service)) {
  return browser.post<T>('/invitations/sign-up', { secret, name: 'Badrul', password: PASSWORD });
}

describe('invitation', () => {
  it('lets the recipient create an account and join the organisation', async () => {
    const email = newEmail();
    const made = await owner.browser.post<MadeInvitationDto>(`${owner.path}/invitations`, {
      email: email.toUpperCase(),
      role: 'member',
    });
    expect(made.status).toBe(201);
    const { secret, invitationId, expiresAt, createdAt } = made.body;
    expect(secret).toMatch(/^[\w-]{43}$/);
    // Each time is rounded to milliseconds separately.
    const seconds = (Date.parse(expiresAt as unknown as string) - Date.parse(createdAt as unknown as string)) / 1_000;
    expect(Math.round(seconds)).toBe(WEEK_SECONDS);
    const opened = await lookUp<OpenedInvitationDto>(secret);
    expect([opened.status, opened.body]).toEqual([
      200,
      { organisation: expect.stringContaining('Kedai'), email, role: 'member' },
    ]);
    const browser = new Browser(service);
    const response = await signUp<SessionDto>(secret, browser);
    expect(response.status, response.text).toBe(201);
    expect(response.body.user).toMatchObject({ email, name: 'Badrul' });
    expect(response.body.organisations).toEqual([
      { tenantId: owner.tenantId, name: expect.any(String), role: 'member' },
    ]);
    expect((await browser.get(`${owner.path}/members`)).status).toBe(200);
    const entries = (await readAudit(service, owner.tenantId)).slice(-2);
    expect(entries).toMatchObject([
      { action: 'invitation.created', actor: owner.email, subject: email, details: { invitationId, role: 'member' } },
      { action: 'invitation.accepted', actor: email, subject: email, details: { role: 'member', hasNewAccount: true } },
    ]);
    const [row] = await service.owner.query<{ all: string }[]>(
      `SELECT (SELECT string_agg(e::text, '') FROM audit_entry e) || (SELECT string_agg(i::text, '') FROM invitation i) AS all`,
    );
    expect(row.all).not.toContain(secret);
  });

  it('lets an existing user with the invited address join', async () => {
    const user = await organisation(service);
    const secret = await invite(owner.browser, owner.path, user.email, 'viewer');
    const before = (await lookUp(secret)).text;
    const taken = new Browser(service);
    const byNewAccount = await signUp<SessionDto>(secret, taken);
    expect(byNewAccount.status).toBe(201);
    expect(byNewAccount.body).toEqual({
      user: { userId: expect.any(String), email: user.email, name: 'Badrul', isOperator: false },
      csrfToken: expect.any(String),
      organisations: [{ tenantId: owner.tenantId, name: expect.any(String), role: 'viewer' }],
      environments: ['sandbox'],
      supportUrl: null,
    });
    expect((await taken.get('/session')).status).toBe(401);
    expect((await lookUp(secret)).text).toBe(before);
    const unsigned = await new Browser(service).post<Problem>('/invitations/accept', { secret });
    expect([unsigned.status, unsigned.body.code]).toEqual([401, 'session_required']);
    const forged = await user.browser.post<Problem>('/invitations/accept', { secret }, { csrfToken: null });
    expect([forged.status, forged.body.code]).toEqual([403, 'csrf_token_wrong']);
    const accepted = await user.browser.post<{ tenantId: string }>('/invitations/accept', { secret });
    expect([accepted.status, accepted.body]).toEqual([200, { tenantId: owner.tenantId }]);
    const { organisations } = (await user.browser.get<SessionDto>('/session')).body;
    expect(organisations.map(({ role }) => role).toSorted()).toEqual(['owner', 'viewer']);
  });

  it('cannot be accepted by another user', async () => {
    const secret = await invite(owner.browser, owner.path, newEmail(), 'owner');
    const finder = await organisation(service);
    const response = await finder.browser.post<Problem>('/invitations/accept', { secret });
    expect([response.status, response.body.code]).toEqual([403, 'invitation_for_another']);
    expect(response.body.message).toContain(`you are signed in as ${finder.email}`);
    expect((await finder.browser.get(`${owner.path}/members`)).status).toBe(404);
    expect((await lookUp(secret)).status).toBe(200);
  });

  it('can be accepted only once, even by concurrent requests', async () => {
    const secret = await invite(owner.browser, owner.path, newEmail(), 'viewer');
    const responses = await Promise.all([1, 2, 3, 4].map(() => signUp(secret)));
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses[0]).toBe(201);
    // Later requests fail because the invitation is used or the account exists.
    expect(statuses.slice(1).every((status) => status === 404 || status === 409)).toBe(true);
    expect((await signUp(secret)).body.code).toBe('invitation_not_found');
    const user = await organisation(service);
    const other = await invite(owner.browser, owner.path, user.email, 'viewer');
    const accept = () => user.browser.post<Problem>('/invitations/accept', { secret: other });
    const both = await Promise.all([accept(), accept(), accept()]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    const accepted = (await readAudit(service, owner.tenantId)).filter(({ action, subject }) =>
      action === 'invitation.accepted' ? subject === user.email : false,
    );
    expect(accepted).toHaveLength(1);
  });

  it('is listed until it is revoked', async () => {
    const email = newEmail();
    const secret = await invite(owner.browser, owner.path, email, 'viewer');
    const { body } = await owner.browser.get<InvitationPageDto>(`${owner.path}/invitations`);
    const listed = body.items.find((one) => one.email === email);
    expect(listed).toMatchObject({ role: 'viewer', invitedBy: owner.email });
    expect((await owner.browser.get(`${owner.path}/invitations.csv`)).text).toContain(email);
    const address = `${owner.path}/invitations/${listed?.invitationId}`;
    expect((await owner.browser.call('DELETE', address)).status).toBe(204);
    expect((await owner.browser.call('DELETE', address)).status).toBe(404);
    for (const response of [await lookUp(secret), await signUp(secret)]) {
      expect([response.status, response.body.code]).toEqual([404, 'invitation_not_found']);
    }
    const after = await owner.browser.get<InvitationPageDto>(`${owner.path}/invitations`);
    expect(after.body.items.map((one) => one.email)).not.toContain(email);
    expect((await readAudit(service, owner.tenantId)).at(-1)).toMatchObject({
      action: 'invitation.revoked',
      subject: email,
    });
  });

  it('replaces earlier invitations for the same address', async () => {
    const email = newEmail();
    const first = await invite(owner.browser, owner.path, email, 'owner');
    const second = await invite(owner.browser, owner.path, email, 'viewer');
    expect((await lookUp(first)).status).toBe(404);
    expect((await lookUp<OpenedInvitationDto>(second)).body.role).toBe('viewer');
  });

  it('is rejected for an existing member', async () => {
    const member = await join(service, owner.browser, owner.path, 'member');
    const response = await owner.browser.post<Problem>(`${owner.path}/invitations`, {
      email: member.email,
      role: 'owner',
    });
    expect([response.status, response.body.code]).toEqual([409, 'already_member']);
    const user = await organisation(service);
    const secret = await invite(owner.browser, owner.path, user.email, 'viewer');
    await service.owner.query(`INSERT INTO membership VALUES ($1, $2, 'owner', service_now())`, [
      owner.tenantId,
      user.userId,
    ]);
    const late = await user.browser.post<Problem>('/invitations/accept', { secret });
    expect([late.status, late.body.code]).toEqual([409, 'already_member']);
    expect((await user.browser.get(`${owner.path}/audit`)).status).toBe(200);
  });

  it.each([
    [{ email: 'somebody', role: 'viewer' }, 'email must be an e-mail address'],
    [{ email: 'a@b.example' }, 'role is required'],
    [{ email: 'a@b.example', role: 'king' }, 'role must be one of: viewer, member, owner'],
  ])('is rejected with %j: %s', async (body, sentence) => {
    const response = await owner.browser.post<Problem>(`${owner.path}/invitations`, body);
    expect([response.status, response.body.errors]).toEqual([400, [sentence]]);
  });

  it('remains valid after a rejected password', async () => {
    const secret = await invite(owner.browser, owner.path, newEmail(), 'viewer');
    const short = await new Browser(service).post<Problem>('/invitations/sign-up', {
      secret,
      name: 'B',
      password: 'x',
    });
    expect([short.status, short.body.errors]).toEqual([400, ['password must have at least 12 characters']]);
    expect((await signUp(secret)).status).toBe(201);
  });

  it('is rejected with an unknown secret', async () => {
    for (const secret of ['x', 'A'.repeat(43), "' OR true --"]) {
      expect((await lookUp(secret)).body.code).toBe('invitation_not_found');
    }
  });
});

describe('invitation permissions', () => {
  it('are limited to owners', async () => {
    const secret = await invite(owner.browser, owner.path, newEmail(), 'viewer');
    const { body } = await owner.browser.get<InvitationPageDto>(`${owner.path}/invitations`);
    const { invitationId } = body.items[0];
    const viewer = await join(service, owner.browser, owner.path, 'viewer');
    const member = await join(service, owner.browser, owner.path, 'member');
    const stranger = await organisation(service);
    const calls: [method: string, address: string, body?: object][] = [
      ['GET', `${owner.path}/invitations`],
      ['GET', `${owner.path}/invitations.csv`],
      ['POST', `${owner.path}/invitations`, { email: newEmail(), role: 'viewer' }],
      ['DELETE', `${owner.path}/invitations/${invitationId}`],
    ];
    for (const [method, address, given] of calls) {
      const responses = await Promise.all(
        [viewer, member, stranger].map(({ browser }) => browser.call<Problem>(method, address, given)),
      );
      expect(responses.map(({ status }) => status)).toEqual([403, 403, 404]);
    }
    for (const id of [invitationId, 'no-uuid']) {
      const response = await stranger.browser.call<Problem>('DELETE', `${stranger.path}/invitations/${id}`);
      expect([response.status, response.body.code]).toEqual([404, 'not_found_here']);
    }
    expect((await lookUp(secret)).status).toBe(200);
  });
});

it('request log omits the secret of an invitation', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'invitation-log-'));
  const logFile = path.join(folder, 'log');
  const api = await createApi(readConfiguration('api', { ...service.settings, LOG_LEVEL: 'trace' }), { logFile });
  try {
    await api.listen(0, '127.0.0.1');
    const secret = await invite(owner.browser, owner.path, newEmail(), 'viewer');
    const send = async (address: string, body: object): Promise<number> => {
      const headers = { 'Content-Type': 'application/json' };
      const url = `${await api.getUrl()}/api/dashboard/invitations/${address}`;
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    };
    expect(await send('look-up', { secret })).toBe(200);
    expect(await send('accept', { secret })).toBe(401);
    expect(await send('sign-up', { secret, name: 'B', password: 'x' })).toBe(400);
    expect(await send('sign-up', { secret, name: 'B', password: PASSWORD })).toBe(201);
    await api.close();
    const log = await readFile(logFile, 'utf8');
    expect(log).toContain('/api/dashboard/invitations/look-up');
    expect(log).not.toContain(secret);
    expect(log).not.toContain(PASSWORD);
  } finally {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  }
});

it('invitations expire after a week', async () => {
  const secret = await invite(owner.browser, owner.path, newEmail(), 'viewer');
  await service.advance(WEEK_SECONDS - 60);
  expect((await lookUp(secret)).status).toBe(200);
  await service.advance(61);
  expect((await lookUp(secret)).status).toBe(404);
  expect((await signUp(secret)).body.code).toBe('invitation_not_found');
});
