import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/ports.js';
import { startApiProcess } from '../support/processes.js';
import { buildPrograms, REPOSITORY, startProgram } from '../support/program.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

const TIMEOUT_MS = 120_000;
const LOGIN_ROLE = 'login_of_einvoice_test';
const SWITCHING_ROLE = 'switching_login_of_einvoice_test';
const SUPER_ROLE = 'superuser_of_einvoice_test';

let service: TestService;
let empty: TestDatabase;
beforeAll(async () => {
  await buildPrograms();
  service = await TestService.start();
  empty = await createEmptyDatabase();
  // Roles belong to the cluster, so other databases must have no grants for it.
  await asSuperuser(
    `DROP ROLE IF EXISTS ${LOGIN_ROLE}, ${SWITCHING_ROLE}, ${SUPER_ROLE}`,
    `CREATE ROLE ${LOGIN_ROLE} LOGIN PASSWORD 'test' IN ROLE einvoice_app`,
  );
}, TIMEOUT_MS);
afterAll(async () => {
  await asSuperuser(`DROP ROLE IF EXISTS ${LOGIN_ROLE}, ${SWITCHING_ROLE}, ${SUPER_ROLE}`);
  await empty.drop();
  await service.stop();
});

async function asSuperuser(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: service.database.superuserUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

function settings(changes: Record<string, string>): Record<string, string> {
  const { appUrl, dispatcherUrl } = service.database;
  return {
    ...service.settings,
    DATABASE_URL: appUrl,
    DATABASE_DISPATCHER_URL: dispatcherUrl,
    DATABASE_OPERATOR_URL: '',
    ...changes,
  };
}

/** Other settings that production requires. */
function production(changes: Record<string, string>): Record<string, string> {
  return settings({
    NODE_ENV: 'production',
    SECRETS_KEY: '9f4c27d81be05a63c2f7e6190d3b84a5',
    AUTHORITY_SANDBOX_API_URL: 'https://127.0.0.1:1',
    AUTHORITY_SANDBOX_RATE_FACTOR: '1',
    DRAIN_SECONDS: '0',
    ...changes,
  });
}

/** Returns the error message of a process that fails to start. */
async function refused(process: 'api' | 'dispatcher', wanted: Record<string, string>): Promise<string> {
  const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
  const program = startProgram([path.join(REPOSITORY, `dist/src/processes/${process}.js`)], { ...wanted, ...ports });
  expect(await program.ended).toEqual({ exitCode: 1, signal: null });
  return program.error.trim();
}

it('a process fails to start with the database role of another process', { timeout: TIMEOUT_MS }, async () => {
  const { appUrl, dispatcherUrl } = service.database;
  expect(await refused('dispatcher', settings({ DATABASE_DISPATCHER_URL: appUrl }))).toBe(
    'DATABASE_DISPATCHER_URL connects as einvoice_app, which does not have the rights of einvoice_dispatcher. To correct ' +
      'it: connect as einvoice_dispatcher, or as a login role that has been granted only einvoice_dispatcher',
  );
  expect(await refused('api', settings({ DATABASE_URL: dispatcherUrl }))).toMatch(
    /^DATABASE_URL connects as einvoice_dispatcher, which does not have the rights of einvoice_app\. /,
  );
  expect(await refused('api', settings({ DATABASE_OPERATOR_URL: appUrl }))).toMatch(
    /^DATABASE_OPERATOR_URL connects as einvoice_app, which does not have the rights of einvoice_operator\. /,
  );
});

const OWNER = /connects as einvoice_owner, which owns the tables and so reads all organisations\. /;

it.each([
  ['api', 'DATABASE_URL'],
  ['api', 'DATABASE_OPERATOR_URL'],
  ['dispatcher', 'DATABASE_DISPATCHER_URL'],
] as const)(
  '%s fails to start in production if %s connects as a superuser or the owner',
  { timeout: TIMEOUT_MS },
  async (process, setting) => {
    const { ownerUrl, superuserUrl } = service.database;
    const unbound = /connects as postgres, a superuser or a role with BYPASSRLS, which reads all organisations\. /;
    const asSuper = await refused(process, production({ [setting]: superuserUrl }));
    expect(asSuper).toMatch(unbound);
    expect(asSuper.startsWith(`${setting} `)).toBe(true);
    expect(await refused(process, production({ [setting]: ownerUrl }))).toMatch(OWNER);
  },
);

it(
  'the API fails to start in production as the database owner or with the rights of operators',
  { timeout: TIMEOUT_MS },
  async () => {
    expect(await refused('api', production({ DATABASE_URL: empty.ownerUrl }))).toMatch(OWNER);
    await asSuperuser(`GRANT einvoice_operator TO ${LOGIN_ROLE}`);
    const both = service.database.operatorUrl.replace('einvoice_operator', LOGIN_ROLE);
    expect(await refused('api', production({ DATABASE_URL: both }))).toMatch(
      /^DATABASE_URL connects as login_of_einvoice_test, which also has the rights of einvoice_operator\. /,
    );
    await asSuperuser(`REVOKE einvoice_operator FROM ${LOGIN_ROLE}`);
  },
);

async function makeSwitchingRole(attributes: string, ...changes: string[]): Promise<string> {
  await asSuperuser(
    `DROP ROLE IF EXISTS ${SWITCHING_ROLE}, ${SUPER_ROLE}`,
    `CREATE ROLE ${SUPER_ROLE} SUPERUSER`,
    `CREATE ROLE ${SWITCHING_ROLE} LOGIN PASSWORD 'test' ${attributes}`,
    ...changes,
  );
  return service.database.appUrl.replace('einvoice_app', SWITCHING_ROLE);
}

// After SET ROLE or RESET ROLE, each would read all organisations.
const ACTS_AS_APP = `ALTER ROLE ${SWITCHING_ROLE} SET role = 'einvoice_app'`;

it.each([
  [
    'a superuser after SET ROLE einvoice_app',
    'SUPERUSER',
    [ACTS_AS_APP],
    `einvoice_app, which can become ${SWITCHING_ROLE}, a superuser or a role with BYPASSRLS, which reads all organisations`,
  ],
  [
    'a member of a superuser role',
    `IN ROLE einvoice_app, ${SUPER_ROLE}`,
    [],
    `${SWITCHING_ROLE}, which can become ${SUPER_ROLE}, a superuser or a role with BYPASSRLS, which reads all organisations`,
  ],
  [
    'a NOINHERIT member of the owner role',
    'NOINHERIT IN ROLE einvoice_app, einvoice_owner',
    [ACTS_AS_APP],
    'einvoice_app, which can become the owner of the tables and so reads all organisations',
  ],
  [
    'a NOINHERIT member of the dispatcher role',
    'NOINHERIT IN ROLE einvoice_app, einvoice_dispatcher',
    [ACTS_AS_APP],
    'einvoice_app, which also has the rights of einvoice_dispatcher',
  ],
])(
  'the API fails to start in production as %s',
  { timeout: TIMEOUT_MS },
  async (_who, attributes, changes, expected) => {
    const url = await makeSwitchingRole(attributes, ...changes);
    const message = await refused('api', production({ DATABASE_URL: url }));
    expect(message.startsWith(`DATABASE_URL connects as ${expected}. `), message).toBe(true);
  },
);

it('the API starts in production as a login role with only the API role', { timeout: TIMEOUT_MS }, async () => {
  const url = await makeSwitchingRole('NOINHERIT IN ROLE einvoice_app', ACTS_AS_APP);
  const api = await startApiProcess(production({ DATABASE_URL: url }));
  await api.stop();
});

it('the API starts as a login role before the first migration', { timeout: TIMEOUT_MS }, async () => {
  const loginUrl = service.database.appUrl.replace('einvoice_app', LOGIN_ROLE);
  const api = await startApiProcess(production({ DATABASE_URL: loginUrl }));
  await api.stop();
  const [port, metricsPort] = [await freePort(), await freePort()];
  const early = startProgram([path.join(REPOSITORY, 'dist/src/processes/api.js')], {
    ...production({ DATABASE_URL: empty.appUrl }),
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
  });
  try {
    await until('it responds, and is not ready', async () => {
      if (!early.isRunning()) throw new Error(early.error);
      const url = `http://127.0.0.1:${port}/api/health/ready`;
      return fetch(url).then(
        ({ status }) => status === 503,
        () => false,
      );
    });
  } finally {
    await early.stop();
  }
});

it('a failed start reports the wrong setting without its password', { timeout: TIMEOUT_MS }, async () => {
  const { appUrl, dispatcherUrl } = service.database;
  const wrong = await refused('api', settings({ DATABASE_URL: appUrl.replace(':test@', ':S3cret-word@') }));
  expect(wrong).toMatch(/^DATABASE_URL has a wrong user or password: 127\.0\.0\.1:\d+: .*To correct it: /);
  expect(wrong).not.toContain('S3cret-word');
  const name = dispatcherUrl.replace(/\/\w+$/, '/no_such_database');
  expect(await refused('dispatcher', settings({ DATABASE_DISPATCHER_URL: name }))).toMatch(
    /^DATABASE_DISPATCHER_URL names a database that does not exist: /,
  );
});
