import { describe, expect, it } from 'vitest';
import { COMMAND_ACTOR } from '../../src/accounts/audit.js';
import { Browser, PASSWORD, signUp } from '../support/dashboard.js';
import { readAudit, invite, organisation, type Problem } from '../support/people.js';
import { startFileService } from '../support/file-service.js';
import { type Made, secretIn, UserCommand } from './user-command.js';

// E-mail addresses are not verified, so a stranger may have registered the address of a future user.

const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';
const NEW_PASSWORD = 'another good long password';

const service = await startFileService();
const command = new UserCommand(service);

const ROLES = [['operator'], ['owner'], ['viewer']];

/** Signs up a stranger and builds the command that assigns a role to their address. */
async function preRegistered(role: string) {
  const stranger = await signUp(service);
  const { tenantId } = await organisation(service);
  const membership = role === 'operator' ? [] : ['--tenant', tenantId];
  const words = ['create', '--role', role, ...membership, '--email', stranger.email, '--name', 'Badrul'];
  return { ...stranger, words, path: role === 'operator' ? '/operator/queue' : `/organisations/${tenantId}/members` };
}

async function actionsOn(email: string): Promise<string[]> {
  const entries = await service.owner.query<{ line: string }[]>(
    `SELECT action || ' by ' || actor AS line FROM audit_entry
      WHERE subject = $1 AND action NOT LIKE 'user.sign%' AND action NOT LIKE 'organisation.%' ORDER BY id`,
    [email],
  );
  return entries.map(({ line }) => line);
}

describe.each(ROLES)('user create --role %s for an already registered address', (role) => {
  it('fails without --existing', async () => {
    const { browser, email, words, path } = await preRegistered(role);
    const { exitCode, out, error } = await command.run(words);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(error).toContain(`${email} has an account already`);
    expect(error).toContain('--existing');
    expect([403, 404]).toContain((await browser.get(path)).status);
    expect((await browser.get('/session')).status).toBe(200);
    expect(await command.signIn(email, PASSWORD)).not.toBeNull();
    expect(await actionsOn(email)).toEqual([]);
  });

  it('ends the access of the stranger with --existing', async () => {
    const { browser, email, words, path } = await preRegistered(role);
    const made = await command.json<Made>([...words, '--existing']);
    expect(made).toMatchObject({ email, isNew: false, password: expect.any(String), link: expect.any(String) });
    expect((await browser.get('/session')).status).toBe(401);
    expect((await browser.get(path)).status).toBe(401);
    expect(await command.signIn(email, PASSWORD)).toBeNull();
    const person = await command.signIn(email, made.password);
    expect((await person?.get(path))?.status).toBe(200);
    expect(person?.session?.user.name).toBe('Badrul');
    expect(await actionsOn(email)).toEqual([
      `user.password_reset by ${COMMAND_ACTOR.email}`,
      `${role === 'operator' ? 'operator.appointed' : 'member.added'} by ${COMMAND_ACTOR.email}`,
      `user.link_created by ${COMMAND_ACTOR.email}`,
    ]);
  });

  it('does not create an account with --existing', async () => {
    const { words } = await preRegistered(role);
    const nobody = words.map((word) => (word.includes('@') ? `nobody-${role}@kedai.example` : word));
    const { exitCode, error } = await command.run([...nobody, '--existing']);
    expect(exitCode).toBe(1);
    expect(error).toContain('leave --existing out');
    expect(
      await service.owner.query('SELECT FROM user_account WHERE email = $1', [`nobody-${role}@kedai.example`]),
    ).toEqual([]);
  });
});

it('user create does not assign a role to a disabled account', async () => {
  const { email, words } = await preRegistered('operator');
  await command.json(['disable', '--email', email]);
  const { exitCode, error } = await command.run([...words, '--existing']);
  expect(exitCode).toBe(1);
  expect(error).toContain('"user enable');
  await command.json(['enable', '--email', email]);
  const browser = await command.signIn(email, PASSWORD);
  expect(browser?.session?.user.isOperator).toBe(false);
});

describe('a request that started before a password reset', () => {
  /** Sends a request with the old password that continues after the password was reset. */
  async function overtaken<T>(email: string, call: () => Promise<T>): Promise<T> {
    const other = await signUp(service);
    const reset = service.owner.createQueryRunner();
    try {
      await reset.startTransaction();
      await reset.query('SELECT FROM user_account WHERE email = $1 FOR UPDATE', [email]);
      const pending = call();
      await service.blockedBy(reset);
      await reset.query(
        `UPDATE user_account SET password_hash = (SELECT password_hash FROM user_account WHERE email = $2)
          WHERE email = $1`,
        [email, other.email],
      );
      await reset.query('DELETE FROM user_session WHERE user_id = (SELECT id FROM user_account WHERE email = $1)', [
        email,
      ]);
      await reset.commitTransaction();
      return await pending;
    } finally {
      if (reset.isTransactionActive) await reset.rollbackTransaction();
      await reset.release();
    }
  }

  it('does not open a session', async () => {
    const { email } = await signUp(service);
    const stranger = new Browser(service);
    const response = await overtaken(email, () => stranger.enter('/sign-in', { email, password: PASSWORD }));
    expect(response.status).toBe(401);
    expect((await stranger.get('/session')).status).toBe(401);
  });

  it('does not replace the new password', async () => {
    const { email, browser } = await signUp(service);
    const response = await overtaken(email, () =>
      browser.post<Problem>('/password', { current: PASSWORD, next: 'the password of a stranger' }),
    );
    expect(response.status).toBe(401);
    expect(await command.signIn(email, 'the password of a stranger')).toBeNull();
  });
});

describe('an invitation for an already registered address', () => {
  it('can be accepted only after the use of a password link', async () => {
    const owner = await organisation(service);
    const { browser, email } = await signUp(service);
    const invitation = await invite(owner.browser, owner.path, email, 'owner');
    expect((await browser.get<{ organisations: unknown[] }>('/session')).body.organisations).toHaveLength(1);
    expect((await browser.get(`${owner.path}/members`)).status).toBe(404);
    const { link } = await command.json<Made>(['reset-password', '--email', email]);
    const person = new Browser(service);
    const used = await person.post<typeof person.session>('/password-links/use', {
      secret: secretIn(link),
      password: NEW_PASSWORD,
    });
    person.session = used.body;
    expect((await person.post('/invitations/accept', { secret: invitation })).status).toBe(200);
    expect((await person.get(`${owner.path}/members`)).status).toBe(200);
    expect((await browser.get('/session')).status).toBe(401);
    expect(await command.signIn(email, PASSWORD)).toBeNull();
  });
});

describe('a password link', () => {
  async function linked(): Promise<{ email: string; secret: string; password: string }> {
    const { email } = await signUp(service);
    const { link, password } = await command.json<Made>(['reset-password', '--email', email]);
    return { email, secret: secretIn(link), password: password ?? '' };
  }

  const lookUp = (secret: string) =>
    new Browser(service).post<{ email: string } & Problem>('/password-links/look-up', { secret });
  const use = (secret: string, password = NEW_PASSWORD) =>
    new Browser(service).post<Problem>('/password-links/use', { secret, password });

  async function expectEnded(secret: string): Promise<void> {
    for (const response of [await lookUp(secret), await use(secret)]) {
      expect([response.status, response.body.code]).toEqual([404, 'password_link_not_found']);
    }
  }

  it('sets the password and ends all sessions', async () => {
    const { email, secret, password } = await linked();
    expect((await lookUp(secret)).body).toEqual({ email });
    const browser = new Browser(service);
    const response = await browser.post<{ user: { email: string } }>('/password-links/use', {
      secret,
      password: NEW_PASSWORD,
    });
    expect([response.status, response.body.user.email]).toEqual([200, email]);
    expect((await browser.get('/session')).status).toBe(200);
    expect(await command.signIn(email, password)).toBeNull();
    expect(await command.signIn(email, NEW_PASSWORD)).not.toBeNull();
    await expectEnded(secret);
    const used = (await readAudit(service, NO_ORGANISATION)).filter(({ action }) => action === 'user.link_used');
    expect(used.at(-1)).toMatchObject({ actor: email, subject: email, ip: '127.0.0.1' });
  });

  it('works only once for concurrent requests', async () => {
    const { email, secret } = await linked();
    const passwords = ['the first good password', 'the second good password'];
    const responses = await Promise.all(passwords.map((password) => use(secret, password)));
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404]);
    const works = await Promise.all(
      passwords.map(async (password) => (await command.signIn(email, password)) !== null),
    );
    expect(works).toEqual(responses.map(({ status }) => status === 200));
  });

  it('remains valid after a weak password is rejected', async () => {
    const { secret } = await linked();
    expect((await use(secret, 'short')).status).toBe(400);
    expect((await lookUp(secret)).status).toBe(200);
  });

  const ends: [string, (account: { email: string; password: string }) => Promise<unknown>][] = [
    ['a newer link', ({ email }) => command.json(['reset-password', '--email', email])],
    [
      'a password reset with --password-stdin',
      ({ email }) => command.json(['reset-password', '--email', email, '--password-stdin'], NEW_PASSWORD),
    ],
    ['a sign-in', ({ email, password }) => command.signIn(email, password)],
    ['disabling the user', ({ email }) => command.json(['disable', '--email', email])],
    [
      'disabling and enabling the user',
      async ({ email }) => {
        await command.json(['disable', '--email', email]);
        await command.json(['enable', '--email', email]);
      },
    ],
    ['three days', () => service.advance(3 * 86_400)],
  ];

  it.each(ends)('becomes invalid after %s', async (_, end) => {
    const { email, secret, password } = await linked();
    expect((await lookUp(secret)).status).toBe(200);
    await end({ email, password });
    await expectEnded(secret);
  });

  it('is stored only as a digest', async () => {
    const { secret } = await linked();
    const [{ kept }] = await service.owner.query<{ kept: string }[]>(
      `SELECT (SELECT jsonb_agg(l) FROM password_link l)::text || (SELECT jsonb_agg(a) FROM audit_entry a)::text AS kept`,
    );
    const texts = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret, 'base64url').toString('hex')];
    for (const text of texts) expect(kept).not.toContain(text);
  });

  it.each([['unknown'], ['']])('rejects the secret "%s"', async (secret) => {
    expect([400, 404]).toContain((await lookUp(secret)).status);
    expect([400, 404]).toContain((await use(secret)).status);
  });
});
