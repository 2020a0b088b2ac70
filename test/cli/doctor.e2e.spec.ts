import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { runCli } from '../../src/processes/cli.js';
import { createTenant } from '../support/client.js';
import { TestService } from '../support/service.js';

// `doctor` names what is wrong with a deployment and what to do about it.

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  await createTenant(service);
  await service.tick('housekeeping');
});
afterAll(() => service.stop());

async function examine(settings: Record<string, string> = {}): Promise<{ exitCode: number; findings: Finding[] }> {
  const environment = { ...service.settings, DATABASE_OWNER_URL: service.database.ownerUrl, ...settings };
  let out = '';
  const output = { out: (text: string) => void (out += text), error: () => undefined };
  const exitCode = await runCli(readConfiguration('operator', environment), ['doctor', '--json'], output);
  return { exitCode, findings: (JSON.parse(out) as { findings: Finding[] }).findings };
}

async function problems(settings?: Record<string, string>): Promise<string[]> {
  const { exitCode, findings } = await examine(settings);
  const found = findings.filter(({ result }) => result === 'problem');
  expect(found.filter(({ fix }) => fix === null || fix === '')).toEqual([]);
  expect(exitCode).toBe(found.length > 0 ? 1 : 0);
  return found.map(({ check, found: what }) => `${check}: ${what}`);
}

it('finds no problem in a deployment that works, and names what it looked at', async () => {
  const { exitCode, findings } = await examine();
  expect(findings.filter(({ result }) => result === 'problem')).toEqual([]);
  expect(exitCode).toBe(0);
  expect([...new Set(findings.map(({ check }) => check))]).toEqual([
    'migrations',
    'roles',
    'grants',
    'clocks',
    'authority sandbox',
    'dispatcher',
    'recovery',
    'replication',
    'backups',
  ]);
});

it.each([
  [
    'a missing migration',
    `DELETE FROM schema_migration WHERE name LIKE 'FailedDocuments%'`,
    /^migrations: missing: FailedDocuments/,
  ],
  [
    'an outdated function',
    `UPDATE database_function SET sha256 = '' WHERE name = 'accept_call'`,
    /^migrations: outdated functions: accept_call$/,
  ],
  [
    'a lost grant',
    'REVOKE EXECUTE ON FUNCTION find_caller_key FROM einvoice_app',
    /^grants: einvoice_app may not call find_caller_key$/,
  ],
  [
    'a table without row security',
    'ALTER TABLE api_key DISABLE ROW LEVEL SECURITY',
    /^grants: api_key has no row security$/,
  ],
  [
    'dispatchers that do not run',
    `UPDATE housekeeping_task SET last_run_at = last_run_at - interval '1 hour'`,
    /^dispatcher: none has run for \d+ minutes$/,
  ],
  [
    'a refused login',
    `INSERT INTO authority_pace (client_id, environment, api, next_at, blocked_until, blocked_since, blocked_reason)
     VALUES ('test-client-sandbox', 'sandbox', 'login', now(), now(), now(), 'client_refused')
     ON CONFLICT (client_id, environment, api) DO UPDATE SET blocked_reason = 'client_refused'`,
    /^authority sandbox: it refuses the client id or secret$/,
  ],
])('names %s', async (_what, damage, expected) => {
  const before = await problems();
  await service.owner.query(damage);
  const after = await problems();
  expect(after).toHaveLength(before.length + 1);
  expect(after.filter((each) => !before.includes(each))).toEqual([expect.stringMatching(expected)]);
});

interface SentCall {
  readonly sequence: number;
  readonly api: string;
}

async function readCalls(): Promise<SentCall[]> {
  return (await (await fetch(`${service.simulator.url}/_control/calls?after=0`)).json()) as SentCall[];
}

/** What a login changes, other than the budget's next slot. */
async function readLogins(): Promise<unknown[]> {
  return service.owner.query(
    `SELECT (SELECT count(*) FROM authority_token) AS tokens, api, blocked_until, blocked_reason, failures
       FROM authority_pace ORDER BY environment, api`,
  );
}

const REFUSED = 'authority sandbox: it refuses the client id or secret';

it("logs in once in nobody's name, and says what to do when it is refused, which stops nobody", async () => {
  await service.owner.query('DELETE FROM authority_pace');
  const before = await readLogins();
  const calls = (await readCalls()).length;
  expect((await examine()).findings).toContainEqual(
    expect.objectContaining({ check: 'authority sandbox', result: 'good', found: 'it takes our client id and secret' }),
  );
  const made = (await readCalls()).slice(calls);
  expect(made.map(({ api }) => api)).toEqual(['token']);
  expect(made[0]).toMatchObject({ taxpayerTin: '' });
  const wrong = { AUTHORITY_SANDBOX_CLIENT_SECRET: 'another' };
  await service.control('settings', { clientSecret: 'test-secret' });
  expect(await problems(wrong)).toContain(REFUSED);
  expect(await problems()).not.toContain(REFUSED);
  await service.control('settings', { clientSecret: null });
  await service.control('faults', [{ when: { api: 'token' }, fault: 'login-403' }]);
  expect(await problems()).toContainEqual(expect.stringMatching(/: it refuses a login without saying for what: /));
  await service.control('faults', [{ when: { api: 'token' }, fault: 'http-503' }]);
  expect(await problems()).toContainEqual(expect.stringMatching(/: a login gets no usable response: /));
  expect(await readLogins()).toEqual(before);
});

it('takes the slot of its login from the call budget, and makes none while logins wait', async () => {
  const limited = { AUTHORITY_SANDBOX_RATE_FACTOR: '0.01' };
  await examine(limited);
  const calls = (await readCalls()).length;
  const { findings } = await examine(limited);
  expect(findings).toContainEqual(
    expect.objectContaining({ result: 'advice', found: expect.stringContaining('the next slot') as string }),
  );
  await service.control('faults', [{ when: { api: 'token' }, fault: '429-seconds' }]);
  await service.owner.query('DELETE FROM authority_pace');
  await examine(limited);
  // The limit is the platform's, and the dispatchers keep it too.
  expect(await service.owner.query(`SELECT blocked_reason AS reason FROM authority_pace WHERE api = 'login'`)).toEqual([
    { reason: 'call_budget' },
  ]);
  expect((await readCalls()).length).toBe(calls + 1);
});

it('names the setting of an authority that does not respond', async () => {
  const found = await problems({ AUTHORITY_SANDBOX_API_URL: 'http://127.0.0.1:1' });
  expect(found).toContainEqual(expect.stringMatching(/^authority sandbox: AUTHORITY_SANDBOX_API_URL does not respond/));
});
