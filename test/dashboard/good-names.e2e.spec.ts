import { describe, expect, it } from 'vitest';
import { runCommand } from '../cli/run-command.js';
import { Browser, type DashboardResponse, PASSWORD } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';
import { invite, newEmail, organisation, type Problem } from '../support/people.js';

const service = await startFileService();
const COMMON = 'Password1234!';
const SAID_COMMON = expect.stringMatching(/ is one of the commonest passwords/);
const SAID_PERSONAL = expect.stringMatching(/ is little more than your e-mail address/);
const SAID_LOOK_ALIKE = expect.stringMatching(
  / must not contain invisible characters, or letters that look like others$/,
);

type Owner = Awaited<ReturnType<typeof organisation>>;

function signUp(change: object): Promise<DashboardResponse<Problem>> {
  const given = { email: newEmail(), name: 'Aisyah', organisationName: 'Kedai Contoh Sdn Bhd', password: PASSWORD };
  return new Browser(service).post<Problem>('/sign-up', { ...given, ...change });
}

describe('weak password', () => {
  it.each<[string, (owner: Owner, password: string) => Promise<DashboardResponse<Problem>>]>([
    ['at sign-up', ({ email }, password) => signUp({ email: `x${email}`, organisationName: 'Kedai Ujian', password })],
    ['when it is changed', ({ browser }, next) => browser.post<Problem>('/password', { current: PASSWORD, next })],
    [
      'by an invitation',
      async ({ browser, path, email }, password) => {
        const secret = await invite(browser, path, `x${email}`, 'viewer');
        return new Browser(service).post<Problem>('/invitations/sign-up', { secret, name: 'B', password });
      },
    ],
    [
      'by a link',
      async ({ email }, password) => {
        const made = await runCommand(service.database, ['user', 'reset-password', '--email', email, '--json']);
        const { link } = JSON.parse(made.out) as { link: string };
        return new Browser(service).post<Problem>('/password-links/use', { secret: link.split('#')[1], password });
      },
    ],
  ])('is rejected %s', async (_, choose) => {
    const owner = await organisation(service);
    await service.owner.query(`UPDATE tenant SET name = 'Kedai Ujian' WHERE tenant_id = $1`, [owner.tenantId]);
    const common = await choose(owner, COMMON);
    expect([common.status, common.body.errors]).toEqual([400, [SAID_COMMON]]);
    for (const password of [`x${owner.email}1`, 'KedaiUjian2026']) {
      const personal = await choose(owner, password);
      expect([personal.status, personal.body.errors], password).toEqual([400, [SAID_PERSONAL]]);
    }
  });

  it('is rejected by operator commands', async () => {
    const { email } = await organisation(service);
    for (const password of [COMMON, `${email}1`]) {
      const words = ['user', 'reset-password', '--email', email, '--password-stdin'];
      const { exitCode, error } = await runCommand(service.database, words, password);
      expect([exitCode, error]).toEqual([1, expect.stringMatching(/^The password is /)]);
    }
  });
});

describe('confusable, invisible or bidirectional character', () => {
  it.each([
    ['email', { email: 'aisyah@kеdai.example' }],
    ['email', { email: 'aisyah\u200B@kedai.example' }],
    ['name', { name: 'Aisy\u2066ah' }],
    ['organisationName', { organisationName: 'Kеdai Contoh' }],
  ])('is rejected at sign-up in %s: %j', async (field, change) => {
    const { status, body } = await signUp(change);
    expect([status, body.errors]).toEqual([400, [SAID_LOOK_ALIKE]]);
    expect(body.details?.[0]).toMatchObject({ pointer: `/${field}`, hint: expect.stringMatching(/^type it again/) });
  });

  it('is rejected whenever a name or address changes', async () => {
    const { browser, path } = await organisation(service);
    const calls: [string, string, object][] = [
      ['PATCH', '/account', { name: 'Аisyah' }],
      ['PATCH', `${path}/profile`, { name: 'Kedai\u200F Contoh' }],
      ['POST', `${path}/keys`, { name: 'ERP\u200B', environment: 'sandbox' }],
      ['POST', `${path}/invitations`, { email: 'pаypal@bank.example', role: 'viewer' }],
    ];
    for (const [method, address, body] of calls) {
      const refused = await browser.call<Problem>(method, address, body);
      expect([refused.status, refused.body.errors], address).toEqual([400, [SAID_LOOK_ALIKE]]);
    }
  });

  it('is rejected by operator commands', async () => {
    const words = ['--role', 'operator', '--email', 'а@b.example', '--name', 'A'];
    const user = await runCommand(service.database, ['user', 'create', ...words]);
    expect([user.exitCode, user.error]).toEqual([1, expect.stringContaining('--email must not contain "а"')]);
    const tenant = await runCommand(service.database, ['tenant', 'create', '--name', 'Kedai\u2066']);
    expect([tenant.exitCode, tenant.error]).toEqual([1, expect.stringContaining('--name must not contain invisible')]);
    const { tenantId } = await organisation(service);
    const given = ['--tenant', tenantId, '--environment', 'sandbox', '--name', 'ERP\u202E'];
    const key = await runCommand(service.database, ['key', 'create', ...given]);
    expect([key.exitCode, key.error]).toEqual([1, expect.stringContaining('--name must not contain the invisible')]);
  });

  it.each(['陈美玲', 'முத்துசாமி கிருஷ்ணன்', "Siti Nur'aini binti Abdul Rahman", 'محمد', 'A/P Lim 林 & Sons'])(
    'is not reported for the name %s',
    async (name) => {
      expect((await signUp({ name, organisationName: name })).status).toBe(201);
    },
  );
});
