import { Client } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { examine as examineContext } from '../../src/cli/doctor/findings.js';
import { runDiagnosis } from '../../src/processes/cli.js';
import { openLogin } from '../../src/processes/open-login.js';
import { createEmptyDatabase } from '../support/database.js';
import { createTenant } from '../support/client.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  await createTenant(service);
  await service.tick('housekeeping');
  await service.tick('report');
});
afterAll(() => service.stop());

async function examine(settings: Record<string, string> = {}): Promise<{ exitCode: number; findings: Finding[] }> {
  const environment = { ...service.settings, DATABASE_OWNER_URL: service.database.ownerUrl, ...settings };
  let out = '';
  const output = { out: (text: string) => void (out += text), error: () => undefined };
  const exitCode = await runDiagnosis({ environment, problem: null }, ['doctor', '--json'], output);
  return { exitCode, findings: (JSON.parse(out) as { findings: Finding[] }).findings };
}

async function problems(settings?: Record<string, string>): Promise<string[]> {
  const { exitCode, findings } = await examine(settings);
  const found = findings.filter(({ result }) => result === 'problem');
  expect(found.filter(({ fix }) => fix === null || fix === '')).toEqual([]);
  expect(exitCode).toBe(found.length > 0 ? 1 : 0);
  return found.map(({ check, found: what }) => `${check}: ${what}`);
}

it('doctor finds no problem in a working deployment', async () => {
  const { exitCode, findings } = await examine();
  expect(findings.filter(({ result }) => result === 'problem')).toEqual([]);
  expect(exitCode).toBe(0);
  expect([...new Set(findings.map(({ check }) => check))]).toEqual([
    'settings',
    'database',
    'authority sandbox',
    'dispatcher',
    'queues',
    'doubts',
    'outcomes',
    'client ids',
    'processes',
    'disk',
  ]);
});

it.each([
  [
    'stopped dispatchers',
    `UPDATE housekeeping_task SET last_run_at = last_run_at - interval '1 hour'`,
    /^dispatcher: no dispatcher has run for \d+ minutes$/,
  ],
  [
    'a refused login',
    `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until, blocked_since, blocked_reason)
     VALUES ('test-client-sandbox', 'sandbox', 'login', now(), now(), now(), 'client_refused')
     ON CONFLICT (client_id, environment, api) DO UPDATE SET blocked_reason = 'client_refused'`,
    /^authority sandbox: it refuses the client id or secret$/,
  ],
])('doctor reports %s', async (_what, damage, expected) => {
  const before = await problems();
  await service.owner.query(damage);
  const after = await problems();
  expect(after).toHaveLength(before.length + 1);
  expect(after.filter((each) => !before.includes(each))).toEqual([expect.stringMatching(expected)]);
});

it('doctor reports dispatchers that stopped before the database clock was set back', async () => {
  await service.owner.query(`UPDATE housekeeping_task SET last_run_at = service_now() + interval '2 hours'`);
  expect(await problems()).toContain('dispatcher: no dispatcher has run since the clock of the database was set back');
});

it('doctor reports a full database disk', async () => {
  const [{ definition }] = await service.owner.query<{ definition: string }[]>(
    `SELECT pg_get_functiondef('service_now'::regproc) AS definition`,
  );
  await service.owner.query(
    `CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE plpgsql STABLE SET search_path = public, pg_temp
     AS $$ BEGIN RAISE EXCEPTION 'could not write to file: No space left on device' USING ERRCODE = '53100'; END $$`,
  );
  onTestFinished(() => service.owner.query(definition));
  const { findings } = await examine({ AUTHORITY_SANDBOX_API_URL: '' });
  expect(findings).toContainEqual({
    check: 'disk',
    result: 'problem',
    found: 'the disk of the database is full: could not write to file: No space left on device',
    fix: 'Free disk space, but do not delete files of PostgreSQL',
  });
});

it('doctor writes 10 MB to detect a nearly full database disk', async () => {
  const written = async (): Promise<number> => {
    const [{ bytes }] = await service.owner.query<{ bytes: string }[]>(
      'SELECT temp_bytes AS bytes FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(bytes);
  };
  const before = await written();
  await examine();
  // PostgreSQL updates this statistic with a delay.
  await until('it has written', async () => (await written()) > before + 10_000_000);
});

interface SentCall {
  readonly sequence: number;
  readonly api: string;
}

async function readCalls(): Promise<SentCall[]> {
  return (await (await fetch(`${service.simulator.url}/_control/calls?after=0`)).json()) as SentCall[];
}

async function countLogins(): Promise<number> {
  return (await readCalls()).filter(({ api }) => api === 'token').length;
}

/** Reads the rows that a login may change, except the time of the next call. */
async function readLogins(): Promise<unknown[]> {
  return service.owner.query(
    `SELECT (SELECT count(*) FROM authority_token) AS tokens, api, blocked_until, blocked_reason, failures
       FROM call_budget ORDER BY environment, api`,
  );
}

const REFUSED = 'authority sandbox: it refuses the client id or secret';

it('doctor logs in once without changing the stored logins', async () => {
  await service.owner.query('DELETE FROM call_budget');
  const before = await readLogins();
  const calls = (await readCalls()).length;
  expect((await examine()).findings).toContainEqual(
    expect.objectContaining({
      check: 'authority sandbox',
      result: 'good',
      found: 'it accepts our client id and secret',
    }),
  );
  const made = (await readCalls()).slice(calls);
  expect(made).toEqual([expect.objectContaining({ api: 'token', taxpayerTin: '' })]);
  const wrong = { AUTHORITY_SANDBOX_CLIENT_SECRET: 'another' };
  await service.control('settings', { clientSecret: 'test-secret' });
  expect(await problems(wrong)).toContain(REFUSED);
  expect(await problems()).not.toContain(REFUSED);
  await service.control('settings', { clientSecret: null });
  await service.control('faults', [{ when: { api: 'token' }, fault: 'login-403' }]);
  expect(await problems()).toContainEqual(expect.stringMatching(/: it refuses logins without a clear reason: /));
  await service.control('faults', [{ when: { api: 'token' }, fault: 'http-503' }]);
  expect(await problems()).toContainEqual(expect.stringMatching(/: a login received no usable response: /));
  expect(await readLogins()).toEqual(before);
});

it('doctor logs in only if the call budget has a free slot', async () => {
  const limited = { AUTHORITY_SANDBOX_RATE_FACTOR: '0.01' };
  await examine(limited);
  const logins = await countLogins();
  const { findings } = await examine(limited);
  expect(findings).toContainEqual(
    expect.objectContaining({ result: 'advice', found: expect.stringContaining('call budget') as string }),
  );
  await service.control('faults', [{ when: { api: 'token' }, fault: '429-seconds' }]);
  await service.owner.query('DELETE FROM call_budget');
  await examine(limited);
  expect(await service.owner.query(`SELECT blocked_reason AS reason FROM call_budget WHERE api = 'login'`)).toEqual([
    { reason: 'call_budget' },
  ]);
  expect(await countLogins()).toBe(logins + 1);
});

it('doctor completes the other checks when the login check fails', async () => {
  const before = (await examine()).findings;
  await service.owner.query('REVOKE SELECT ON call_budget FROM einvoice_owner');
  onTestFinished(async () => void (await service.owner.query('GRANT SELECT ON call_budget TO einvoice_owner')));
  const { exitCode, findings } = await examine();
  expect(exitCode).toBe(1);
  expect(findings).toContainEqual({
    check: 'authority sandbox',
    result: 'problem',
    found: 'a check failed: permission denied for table call_budget',
    fix: expect.stringMatching(/./) as string,
  });
  expect(new Set(findings.map((each) => each.check))).toEqual(new Set(before.map((each) => each.check)));
});

it('doctor completes the other checks when the login check gets no database connection', async () => {
  const superuser = new Client({ connectionString: service.database.superuserUrl });
  await superuser.connect();
  const limit = (connections: number): Promise<unknown> =>
    superuser.query(`ALTER DATABASE ${superuser.database ?? ''} CONNECTION LIMIT ${connections}`);
  onTestFinished(async () => {
    await limit(-1);
    await superuser.end();
  });
  const environment = { ...service.settings, DATABASE_OWNER_URL: service.database.ownerUrl };
  const findings = await examineContext({ environment, problem: null }, async (configuration) => {
    await limit(0);
    return openLogin(configuration);
  });
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: 'authority sandbox',
      result: 'problem',
      found: expect.stringMatching(/^a check failed: too many connections for database /) as string,
    }),
  );
  for (const check of ['database', 'dispatcher', 'queues', 'processes', 'disk']) {
    expect(findings).toContainEqual(expect.objectContaining({ check }));
  }
});

it('doctor reports why the authority does not respond to a login', async () => {
  await service.owner.query('DELETE FROM call_budget');
  const found = await problems({ AUTHORITY_SANDBOX_IDENTITY_URL: 'http://127.0.0.1:1' });
  expect(found).toContainEqual(
    expect.stringMatching(/^authority sandbox: a login received no usable response: .*ECONNREFUSED/),
  );
});

it('doctor reports why a database connection fails without showing the password', async () => {
  const { ownerUrl } = service.database;
  for (const [url, expected] of [
    [ownerUrl.replace(':test@', ':S3cret-word@'), /^DATABASE_OWNER_URL has a wrong user or password: /],
    [
      'postgres://einvoice_owner:test@127.0.0.1:1/einvoice',
      /^DATABASE_OWNER_URL points to a server that does not respond: 127\.0\.0\.1:1: /,
    ],
    [
      ownerUrl.replace('127.0.0.1', 'no-such-host.invalid'),
      /^DATABASE_OWNER_URL names an unknown host: no-such-host\.invalid:/,
    ],
    [ownerUrl.replace(/\w+$/, 'no_such_database'), /^DATABASE_OWNER_URL names a database that does not exist: /],
  ] as const) {
    const { exitCode, findings } = await examine({ DATABASE_OWNER_URL: url });
    expect(exitCode).toBe(1);
    const refused = findings.filter(({ result }) => result === 'problem');
    expect(refused).toEqual([
      {
        check: 'database',
        result: 'problem',
        found: expect.stringMatching(expected),
        fix: expect.stringMatching(/^[A-Z]/),
      },
    ]);
    expect(JSON.stringify(findings)).not.toContain('S3cret-word');
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'authority sandbox',
        found: 'no login was tried because the database is unavailable',
      }),
    );
  }
});

it('doctor reports a database role that is not the owner', async () => {
  const { findings } = await examine({ DATABASE_OWNER_URL: service.database.appUrl });
  expect(findings.filter(({ result }) => result === 'problem')).toEqual([
    expect.objectContaining({
      found: expect.stringContaining('einvoice_app, which does not own the tables') as string,
    }),
  ]);
});

it('doctor reports an unmigrated database as one problem', async () => {
  const empty = await createEmptyDatabase();
  try {
    const { findings } = await examine({ DATABASE_OWNER_URL: empty.ownerUrl });
    expect(findings.filter(({ result }) => result === 'problem')).toEqual([
      expect.objectContaining({ check: 'database', fix: 'Run "npm run migrate" as the owner' }),
    ]);
  } finally {
    await empty.drop();
  }
});

it('doctor reports each invalid setting once', async () => {
  const list = async (settings: Record<string, string> = {}): Promise<string[]> => {
    // Reports expire after a minute, which this test may take on a busy machine.
    await service.tick('report');
    return problems(settings);
  };
  const before = await list();
  const added = async (settings: Record<string, string>): Promise<string[]> =>
    (await list(settings)).filter((each) => !before.includes(each));
  expect(await added({ LOG_LEVEL: 'loud', SECRETS_KEY: '' })).toEqual([
    expect.stringMatching(/^settings: SECRETS_KEY must be set$/),
    expect.stringMatching(/^settings: LOG_LEVEL must be one of .*, not "loud"$/),
  ]);
  expect(await added({ AUTHORITY_SANDBOX_CLIENT_ID: '' })).toEqual([
    'settings: AUTHORITY_SANDBOX_CLIENT_ID must be set',
  ]);
  expect(await added({ DATABASE_OWNER_URL: 'nowhere' })).toEqual([
    expect.stringMatching(/^settings: DATABASE_OWNER_URL must be a URL that starts with postgres/),
  ]);
});

it('doctor skips the database checks if the schema is unknown', async () => {
  await service.owner.query(`UPDATE schema_migration SET name = 'Baseline1700000000000' WHERE name LIKE 'Baseline%'`);
  const { findings } = await examine();
  expect(findings.filter(({ check }) => check !== 'settings')).toEqual([
    expect.objectContaining({ check: 'database', found: expect.stringContaining('has another schema') as string }),
    expect.objectContaining({ check: 'authority sandbox', result: 'advice' }),
  ]);
});
