import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDataFolder } from '../../standalone/data-folder.js';
import { buildPrograms, type Program, REPOSITORY } from '../support/program.js';
import { until } from '../support/until.js';
import { TestData } from './test-data.js';

const TIMEOUT_MS = 120_000;
const USUAL_PORT = 3_000;
// Log levels of pino.
const INFO_LEVEL = 30;
const ERROR_LEVEL = 50;

/** Initialised data folder that tests copy. */
let used: TestData;
let data: TestData;

beforeAll(async () => {
  await buildPrograms();
  used = await TestData.create();
  const { exitCode } = await used.start('cli', 'tenant', 'list').ended;
  expect(exitCode).toBe(0);
}, TIMEOUT_MS);
afterAll(() => used?.remove());

beforeEach(async () => {
  data = await TestData.create(used);
}, TIMEOUT_MS);

afterEach(async () => {
  await data.stopPrograms();
  // The next command takes over and stops a server that a killed program has left running.
  if ((await serverProcess()) !== null) await data.start('cli', 'tenant', 'list').ended;
  expect(await serverProcess()).toBeNull();
  await data.remove();
}, TIMEOUT_MS);

const exitCodeOf = async (program: Program): Promise<number | null> => (await program.ended).exitCode;

async function serverProcess(): Promise<number | null> {
  const text = await readFile(path.join(data.folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => null);
  return text === null ? null : Number(text.split('\n')[0]);
}

function findApiUrl({ out }: Program): string {
  return /^API +(\S+)$/m.exec(out)?.[1] ?? '';
}

function findMetricsUrl({ out }: Program): string {
  return /^Metrics +(\S+)\/metrics$/m.exec(out)?.[1] ?? '';
}

describe('npm start', { timeout: TIMEOUT_MS }, () => {
  it('writes no secrets to its log or to the output of doctor', async () => {
    const service = data.start('start');
    await service.printed('Running.');
    const doctor = data.start('cli', 'doctor', '--json');
    await doctor.ended;
    const log = await readFile(path.join(data.folder, 'service.log'), 'utf8');
    expect(log).toContain('"The loops run"');
    expect(doctor.out).toContain('"check":"database"');
    const text = await readFile(path.join(data.folder, 'secrets.json'), 'utf8');
    const secrets = Object.values(JSON.parse(text) as Record<string, string>);
    expect(secrets).toHaveLength(6);
    expect(secrets.filter((secret) => `${log}${doctor.output}`.includes(secret))).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('stops all parts with exit code 0 on %s', async (signal) => {
    const service = data.start('start');
    await service.printed('Running.');
    expect((await fetch(`${findApiUrl(service)}/health/ready`)).status).toBe(200);
    await until('the dispatcher is ready', async () => (await fetch(`${findMetricsUrl(service)}/ready`)).ok);
    expect(await serverProcess()).not.toBeNull();
    service.kill(signal);
    expect(await exitCodeOf(service)).toBe(0);
    expect(await serverProcess()).toBeNull();
    expect(service.error).toBe('');
    expect(service.out).toMatch(/\nStopping; a second Ctrl-C does not wait\.\nStopped\. The data stay/);
  });

  it('keeps serving for DRAIN_SECONDS after SIGTERM', async () => {
    const service = data.startWith({ DRAIN_SECONDS: '600' }, 'start');
    await service.printed('Running.');
    service.kill('SIGTERM');
    const url = findApiUrl(service);
    await until('it is not ready', async () => (await fetch(`${url}/health/ready`)).status === 503);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    service.kill('SIGKILL');
    await service.ended;
  });

  it('exits with code 0 after draining', async () => {
    const service = data.startWith({ DRAIN_SECONDS: '0.5' }, 'start');
    await service.printed('Running.');
    service.kill('SIGTERM');
    expect(await exitCodeOf(service)).toBe(0);
    expect(await readFile(path.join(data.folder, 'service.log'), 'utf8')).toContain(
      'Not ready any more; requests are served for 0.5 s',
    );
  });

  it('prints and logs no warning on its first start', async () => {
    await data.clear();
    const service = data.start('start');
    await service.printed('Running.');
    expect(service.error).toBe('');
    const lines = (await readFile(path.join(data.folder, 'service.log'), 'utf8')).trim().split('\n');
    const warnings = lines
      .map((line) => JSON.parse(line) as { level: number })
      .filter(({ level }) => level > INFO_LEVEL);
    expect(warnings).toEqual([]);
  });

  it('restricts its data folder to the owner', async () => {
    await data.clear();
    const service = data.start('start');
    await service.printed('Running.');
    expect(service.out).not.toContain('"level"');
    expect(await readFile(path.join(data.folder, 'service.log'), 'utf8')).toContain('"level"');
    const modes = Object.fromEntries(await Promise.all(['.', ...(await readdir(data.folder))].map(readMode)));
    expect(modes).toEqual({
      '.': 0o700,
      postgres: 0o700,
      'postgres.log': 0o600,
      'secrets.json': 0o600,
      'service.log': 0o600,
      simulator: 0o700,
    });
  });

  it('restricts an existing log to its owner', async () => {
    await writeFile(path.join(data.folder, 'service.log'), '', { mode: 0o644 });
    const service = data.start('start');
    await service.printed('Running.');
    expect(await readMode('service.log')).toEqual(['service.log', 0o600]);
  });

  it.runIf(process.platform === 'linux')('passes none of its settings to PostgreSQL', async () => {
    const settings = { SECRETS_KEY: 'k'.repeat(40), AUTHORITY_SANDBOX_CLIENT_SECRET: 'client-secret-of-a-test' };
    const service = data.startWith(settings, 'start');
    await service.printed('Running.');
    const server = (await serverProcess()) ?? 0;
    const children = (await readFile(`/proc/${server}/task/${server}/children`, 'utf8')).trim().split(' ');
    expect(children.length).toBeGreaterThan(3);
    for (const processId of [server, ...children]) {
      // A process that has just exited has no environment.
      const text = await readFile(`/proc/${processId}/environ`, 'utf8').catch(() => '');
      const names = text.split('\0').map((setting) => setting.split('=')[0]);
      expect(names.filter((name) => /SECRET|AUTHORITY|DATABASE|DATA_DIR/.test(name))).toEqual([]);
      expect(text).not.toContain(settings.AUTHORITY_SANDBOX_CLIENT_SECRET);
    }
    expect(await readFile(`/proc/${server}/environ`, 'utf8')).toContain('TZ=UTC');
  });

  it('rejects stand-ins and unsafe settings in production', async () => {
    await data.clear();
    const service = data.startWith(
      { NODE_ENV: 'production', SECRETS_KEY: 'k'.repeat(40), NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      'start',
    );
    expect(await exitCodeOf(service)).toBe(1);
    const problems = service.error.split('\n').filter((line) => line.startsWith('  - '));
    expect(problems).toEqual([
      expect.stringContaining('DATABASE_URL, DATABASE_DISPATCHER_URL, DATABASE_OWNER_URL must be set in production'),
      expect.stringContaining('AUTHORITY_SANDBOX_API_URL must be set in production, else a simulator'),
      expect.stringContaining('no environment is served'),
      expect.stringContaining('SECRETS_KEY repeats itself'),
      expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED must not be 0'),
    ]);
    expect(existsSync(data.folder)).toBe(false);
  });

  it('reports the process that already uses the data folder', async () => {
    const first = data.start('start');
    await first.printed('Running.');
    const second = data.start('start');
    expect(await exitCodeOf(second)).toBe(1);
    expect(second.error).toContain(`(process ${first.processId})`);
    expect(second.error).toContain('DATA_DIR=.data2 npm start');
    expect(second.error).not.toContain('    at ');
    expect((await fetch(`${findApiUrl(first)}/health/ready`)).status).toBe(200);
  });

  it('takes over the running database of a killed service', async () => {
    const killed = data.start('start');
    await killed.printed('Running.');
    const create = data.start('cli', 'tenant', 'create', '--name', 'Survivor', '--json');
    expect(await exitCodeOf(create)).toBe(0);
    killed.kill('SIGKILL');
    await killed.ended;
    const server = await serverProcess();
    const next = data.start('start');
    await next.printed('Running.');
    expect(await serverProcess()).toBe(server);
    const list = data.start('cli', 'tenant', 'list');
    await list.ended;
    expect(list.out).toContain('Survivor');
  });

  it('stops all parts with exit code 0 on SIGINT during the start', async () => {
    await data.clear();
    const service = data.start('start');
    await until('the server has its process', async () => (await serverProcess()) !== null);
    service.kill('SIGINT');
    expect(await exitCodeOf(service)).toBe(0);
    expect(await serverProcess()).toBeNull();
    expect(service.out).not.toContain('Running.');
  });

  it('uses a free port if the default port is in use', async () => {
    // A failure means that another program already uses the port.
    const taken = await listen(USUAL_PORT).catch(() => null);
    const service = data.startWith({ PORT: '' }, 'start');
    await service.printed('Running.');
    taken?.close();
    expect(service.out).toContain(`Port ${USUAL_PORT} is taken, so the API is on`);
    expect((await fetch(`${findApiUrl(service)}/health/live`)).status).toBe(200);
  });

  it.each(['PORT', 'METRICS_PORT'])('fails if the port of %s is in use', async (setting) => {
    const taken = await listen(0);
    const port = getPort(taken);
    const service = data.startWith({ [setting]: String(port) }, 'start');
    expect(await exitCodeOf(service)).toBe(1);
    taken.close();
    expect(service.error).toMatch(new RegExp(`^Port ${port} is taken, and ${setting} asks for it`));
    expect(service.error.trim().split('\n')).toHaveLength(1);
    expect(service.out).not.toContain('Running.');
    expect(await serverProcess()).toBeNull();
  });

  it('serves the same API description as openapi.json', async () => {
    const service = data.start('start');
    await service.printed('Running.');
    const described = (await fetch(`${findApiUrl(service)}/docs-json`).then((response) => response.json())) as object;
    const written = JSON.parse(await readFile(path.join(REPOSITORY, 'openapi.json'), 'utf8')) as object;
    expect(described).toEqual(written);
  });

  it('suggests DATA_DIR if the data folder cannot be created', async () => {
    const service = data.startWith({ DATA_DIR: path.join(await aFile(), 'data') }, 'start');
    expect(await exitCodeOf(service)).toBe(1);
    expect(service.error).toMatch(/^The data cannot be kept in .* \(ENOTDIR\): set DATA_DIR to a folder/);
    expect(service.error.trim().split('\n')).toHaveLength(1);
  });

  it('rejects a partial database configuration', async () => {
    const service = data.startWith({ DATABASE_OWNER_URL: 'postgres://localhost/x' }, 'start');
    expect(await exitCodeOf(service)).toBe(1);
    expect(service.error).toContain('DATABASE_OWNER_URL without DATABASE_URL');
  });
});

describe('the service log', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['start', 'Running.'],
    ['demo', 'keeps running'],
  ])('contains the error and the request id of a 500 under npm run %s', async (program, running) => {
    const service = data.start(program);
    await service.printed(running);
    await withOwner(service, (owner) => owner.query('ALTER TABLE user_account RENAME TO user_account_away'));
    const response = await fetch(`${findApiUrl(service)}/dashboard/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'nobody@kedai.example', password: 'a-password-of-nobody' }),
    });
    expect(response.status).toBe(500);
    const { requestId } = (await response.json()) as { requestId: string };
    const isLogged = async (): Promise<boolean> => {
      const lines = (await readFile(path.join(data.folder, 'service.log'), 'utf8')).trim().split('\n');
      return lines.some((line) => {
        const { level, requestId: id, error = '' } = JSON.parse(line) as Record<string, string | undefined>;
        return Number(level) === ERROR_LEVEL && id === requestId && error.includes('user_account');
      });
    };
    await until('the log has the error', isLogged);
  });
});

describe('npm run cli', { timeout: TIMEOUT_MS }, () => {
  it('starts the database for the duration of concurrent commands', async () => {
    await data.clear();
    const commands = [1, 2, 3].map(() => data.start('cli', 'tenant', 'list', '--json'));
    expect(await Promise.all(commands.map(exitCodeOf))).toEqual([0, 0, 0]);
    expect(commands.map((command) => command.out)).toEqual(commands.map(() => '{"tenants":[]}\n'));
    expect(commands.map((command) => command.error)).toEqual(['', '', '']);
    expect(await serverProcess()).toBeNull();
  });

  it('exits with code 1 and prints one line of JSON for an unknown command', async () => {
    const command = data.start('cli', 'tenant', 'paint', '--json');
    expect(await exitCodeOf(command)).toBe(1);
    expect(command.out).toBe('');
    expect(JSON.parse(command.error)).toHaveProperty('error');
  });

  it('requires DATABASE_OWNER_URL in production', async () => {
    const command = data.startWith({ NODE_ENV: 'production' }, 'cli', 'tenant', 'list');
    expect(await exitCodeOf(command)).toBe(1);
    expect(command.error).toContain('DATABASE_OWNER_URL must be set in production');
    expect(await serverProcess()).toBeNull();
  });
});

describe('npm run migrate', { timeout: TIMEOUT_MS }, () => {
  it('reports that no migrations are pending', async () => {
    const migrate = data.start('migrate');
    expect(await exitCodeOf(migrate)).toBe(0);
    expect(migrate.out).toContain('up to date');
  });
});

describe('npm run demo', { timeout: TIMEOUT_MS }, () => {
  it('reuses the organisation on a second run', async () => {
    await data.clear();
    const keys: (string | undefined)[] = [];
    for (const run of [1, 2]) {
      const demo = data.start('demo');
      await demo.printed('keeps running');
      expect(demo.out.match(/^(invoice|credit_note) .* Valid /gm), `run ${run}`).toHaveLength(6);
      expect(demo.out.match(/^invoice +SIM-INVALID-CV302\S+ +Invalid .*CV302/gm)).toHaveLength(1);
      keys.push(/eisk_test_\w+/.exec(demo.out)?.[0]);
      demo.kill('SIGINT');
      expect(await exitCodeOf(demo)).toBe(0);
    }
    expect(keys[0]).toBeDefined();
    expect(keys[1]).toBe(keys[0]);
  });
});

async function readMode(name: string): Promise<[string, number]> {
  const { mode } = await stat(path.join(data.folder, name));
  return [name, mode & 0o777];
}

async function withOwner<T>({ out }: Program, work: (owner: Client) => Promise<T>): Promise<T> {
  const port = /^Database +PostgreSQL on port (\d+)/m.exec(out)?.[1];
  const { secrets } = await openDataFolder({ DATA_DIR: data.folder });
  const owner = new Client({
    connectionString: `postgres://einvoice_owner:${secrets.ownerPassword}@127.0.0.1:${port}/einvoice`,
  });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

async function aFile(): Promise<string> {
  const file = path.join(data.folder, 'file');
  await writeFile(file, '');
  return file;
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

function getPort(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}
