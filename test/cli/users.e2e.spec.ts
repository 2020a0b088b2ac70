import { describe, expect, it } from 'vitest';
import { COMMAND_ACTOR } from '../../src/accounts/audit.js';
import { Browser, PASSWORD, signUp } from '../support/dashboard.js';
import { readAuditLines, readAudit, invite, join, newEmail, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';
import { type Made, UserCommand } from './user-command.js';

const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';
const OPERATOR = ['--role', 'operator', '--email', 'Ops@Service.example', '--name', 'Ops'];

const service = await startFileService();

const command = new UserCommand(service);
const user = command.run.bind(command);
const json = command.json.bind(command);
const signsIn = command.signIn.bind(command);

describe('user create', () => {
  it('creates an operator and shows the password once', async () => {
    const made = await json<Made>(['create', ...OPERATOR]);
    expect(made).toEqual({
      email: 'ops@service.example',
      isNew: true,
      password: expect.stringMatching(/^[\w-]{20}$/),
      link: expect.stringMatching(/^\/dashboard\/password#[\w-]{43}$/),
    });
    const browser = await signsIn(made.email, made.password);
    expect((await browser?.get('/operator/queue'))?.status).toBe(200);
    expect(await readAuditLines(service, NO_ORGANISATION)).toEqual(
      expect.arrayContaining([
        `user.created by ${COMMAND_ACTOR.email}`,
        `operator.appointed by ${COMMAND_ACTOR.email}`,
      ]),
    );
  });

  it('reads the password from standard input without printing it', async () => {
    const words = ['create', '--role', 'operator', '--email', 'second@service.example', '--name', 'B'];
    const { out } = await user([...words, '--password-stdin'], 'a good long password\n');
    expect(out).toContain('second@service.example is now operator');
    expect(out).not.toContain('good long');
    expect(out).not.toContain('/dashboard/password');
    expect(await signsIn('second@service.example', 'a good long password')).not.toBeNull();
    expect((await user([...words, '--password-stdin'], 'short')).error).toContain('12 to 200 characters');
  });

  it('creates an owner of an organisation', async () => {
    const { tenantId } = await signUp(service);
    const words = ['create', '--role', 'owner', '--tenant', tenantId, '--email', 'first@kedai.example', '--name', 'F'];
    const made = await json<Made>(words);
    const browser = await signsIn(made.email, made.password);
    expect(browser?.session?.organisations).toMatchObject([{ tenantId, role: 'owner' }]);
    expect((await browser?.get('/operator/queue'))?.status).toBe(403);
    expect((await readAuditLines(service, tenantId)).at(-1)).toBe(`member.added by ${COMMAND_ACTOR.email}`);
    expect(await user(words)).toMatchObject({ exitCode: 1, out: '' });
  });

  it.each([
    [['--role', 'admin', '--email', 'a@b.example', '--name', 'A'], '--role must be operator, viewer, member, owner'],
    [['--role', 'owner', '--email', 'a@b.example', '--name', 'A'], '--tenant must be an id'],
    [['--role', 'operator', '--email', 'a', '--name', 'A'], '--email must be an e-mail address'],
    [['--role', 'operator', '--email', 'a@b.example', '--name', ' '], '--name must have 1 to 300 characters'],
    [['--role', 'operator', '--tenant', 'x', '--email', 'a@b.example', '--name', 'A'], 'omit --tenant'],
  ])('rejects %j without creating a user', async (words, message) => {
    const ended = await user(['create', ...words]);
    expect(ended).toMatchObject({ exitCode: 1, out: '' });
    expect(ended.error).toContain(message);
    expect(await service.owner.query(`SELECT FROM user_account WHERE email = 'a@b.example'`)).toEqual([]);
  });
});

describe('user reset-password', () => {
  it('replaces the password and ends all sessions', async () => {
    const { browser, email } = await signUp(service);
    const { password } = await json<Made>(['reset-password', '--email', email]);
    expect((await browser.get('/session')).status).toBe(401);
    expect(await signsIn(email, password)).not.toBeNull();
    expect(await readAuditLines(service, NO_ORGANISATION)).toContain(`user.password_reset by ${COMMAND_ACTOR.email}`);
  });

  it('reports an unknown user', async () => {
    expect((await user(['reset-password', '--email', 'nobody@kedai.example'])).error).toContain('There is no user');
  });
});

interface UserLine {
  readonly email: string;
  readonly organisations: string[];
  readonly disabledAt: string | null;
}

async function listed(email: string): Promise<UserLine | undefined> {
  const { users } = await json<{ users: UserLine[] }>(['list']);
  return users.find((each) => each.email === email);
}

describe('user disable', () => {
  it('immediately ends the access of the user', async () => {
    const { browser, email, tenantId } = await signUp(service);
    const link = await invite(browser, `/organisations/${tenantId}`, newEmail(), 'owner');
    expect(await json(['disable', '--email', email.toUpperCase()])).toMatchObject({ email, isChanged: true });
    expect((await browser.get('/session')).status).toBe(401);
    expect((await new Browser(service).post('/invitations/look-up', { secret: link })).status).toBe(404);
    const attempt = (password: string) => new Browser(service).post<Problem>('/sign-in', { email, password });
    const [right, wrong] = [await attempt(PASSWORD), await attempt('not the password')];
    expect([right.status, right.body.code, right.body.message]).toEqual([401, wrong.body.code, wrong.body.message]);
    expect(await listed(email)).toMatchObject({ disabledAt: expect.any(String) });
    expect(await json(['disable', '--email', email])).toMatchObject({ isChanged: false });
    expect(await json(['enable', '--email', email])).toEqual({ email, isChanged: true });
    expect((await browser.get('/session')).status).toBe(401);
    expect(await signsIn(email, PASSWORD)).not.toBeNull();
    expect(await listed(email)).toMatchObject({ disabledAt: null });
    const entries = await readAudit(service, NO_ORGANISATION);
    const actions = entries.filter((entry) => entry.subject === email && entry.actor === COMMAND_ACTOR.email);
    expect(actions.map(({ action }) => action)).toEqual(['user.disabled', 'user.enabled']);
  });

  it('ends concurrently opened sessions', async () => {
    const { browser, email } = await signUp(service);
    const cookie = browser.cookie;
    const keep = `SELECT s.* FROM user_session s JOIN user_account u ON u.id = s.user_id WHERE u.email = $1`;
    const [session] = await service.owner.query<Record<string, unknown>[]>(keep, [email]);
    await json(['disable', '--email', email]);
    await service.owner.query(`INSERT INTO user_session SELECT * FROM jsonb_populate_record(NULL::user_session, $1)`, [
      JSON.stringify({ ...session, digest: `\\x${(session.digest as Buffer).toString('hex')}` }),
    ]);
    browser.cookie = cookie;
    expect((await browser.get('/session')).status).toBe(401);
    await json(['enable', '--email', email]);
    expect((await browser.get('/session')).status).toBe(401);
  });

  it('lists the organisations without another enabled owner', async () => {
    const { email, tenantId, browser } = await signUp(service);
    const second = await join(service, browser, `/organisations/${tenantId}`, 'owner');
    expect(await json(['disable', '--email', second.email])).toMatchObject({ withoutOwner: [] });
    const left = await browser.call<Problem>('POST', `/organisations/${tenantId}/leave`);
    expect([left.status, left.body.code]).toEqual([409, 'last_owner']);
    const { out } = await user(['disable', '--email', email]);
    expect(out).toContain(
      `has no owner left who can sign in: create one with "user create --role owner --tenant ${tenantId}"`,
    );
    await json(['enable', '--email', email]);
    const owner = await signsIn(email, PASSWORD);
    const removed = await owner?.call('DELETE', `/organisations/${tenantId}/members/${second.userId}`);
    expect(removed?.status).toBe(204);
  });

  it.each(['disable', 'enable'])('reports an unknown user of %s', async (command) => {
    expect((await user([command, '--email', 'nobody@kedai.example'])).error).toContain('There is no user');
  });
});

describe('user list', () => {
  it('shows roles without password hashes', async () => {
    const { email } = await signUp(service);
    const { users } = await json<{ users: { email: string; organisations: string[] }[] }>(['list']);
    expect(users.find((each) => each.email === email)).toMatchObject({
      isOperator: false,
      organisations: [expect.stringMatching(/ \(owner\)$/)],
    });
    expect((await user(['list'])).out).not.toContain('argon2');
  });
});
