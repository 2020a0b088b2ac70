import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { serverIdentity } from '../../standalone/postgres-programs.js';
import { installServers } from './debian-servers.js';
import { freePort } from './ports.js';
import { DATABASE_ROLES } from './postgres.js';
import { startCommand } from './program.js';
import { until } from './until.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Port of PgBouncer, if the service connects through it. */
    poolerPort?: number;
    preparedStatements?: 'on' | 'off';
  }
}

const PGBOUNCER = '/usr/sbin/pgbouncer';

/** Starts PgBouncer in front of the run's PostgreSQL, with the settings of docs/operations.md#pgbouncer. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { postgresPort, preparedStatements } = project.getProvidedContext();
  installServers({ [PGBOUNCER]: 'pgbouncer' });
  if (preparedStatements === 'on') assertSupportsStatements();
  const port = await freePort();
  const folder = tmpdir();
  const file = path.join(folder, `pgbouncer-${port}.ini`);
  const users = path.join(folder, `pgbouncer-${port}.txt`);
  await writeFile(users, DATABASE_ROLES.map((role) => `"${role}" "test"\n`).join(''));
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    pool_mode: 'transaction',
    max_client_conn: 2_000,
    default_pool_size: 10,
    server_idle_timeout: 10,
    ignore_startup_parameters: 'extra_float_digits,statement_timeout,idle_in_transaction_session_timeout,options',
    ...(preparedStatements === 'on' ? { max_prepared_statements: 200 } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(file, `[databases]\n* = host=127.0.0.1 port=${postgresPort}\n[pgbouncer]\n${lines.join('')}`);
  await setForRoles(postgresPort);
  const logFile = path.join(folder, `pgbouncer-${port}.log`);
  const pooler = startCommand([PGBOUNCER, file], {}, { ...(await serverIdentity()), logFile });
  await until('PgBouncer listens', () => listens(port));
  project.provide('poolerPort', port);
  return async () => {
    pooler.kill('SIGKILL');
    await pooler.ended;
  };
}

function assertSupportsStatements(): void {
  const version = execFileSync(PGBOUNCER, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = (/PgBouncer (\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major > 1 || (major === 1 && minor >= 21)) return;
  throw new Error(`Prepared statements need PgBouncer 1.21 or newer; this is ${version.split('\n', 1)[0]}`);
}

/** Sets startup parameters for the roles, because PgBouncer does not forward them. */
async function setForRoles(port: number): Promise<void> {
  const client = new pg.Client({ connectionString: `postgres://postgres:test@127.0.0.1:${port}/postgres` });
  await client.connect();
  for (const role of DATABASE_ROLES) {
    if (role === 'einvoice_owner') continue;
    await client.query(`ALTER ROLE ${role} SET statement_timeout = '10s'`);
    await client.query(`ALTER ROLE ${role} SET idle_in_transaction_session_timeout = '10s'`);
    await client.query(`ALTER ROLE ${role} SET jit = off`);
  }
  await client.end();
}

async function listens(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  return once(socket, 'connect').then(
    () => {
      socket.destroy();
      return true;
    },
    () => false,
  );
}
