import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../standalone/embedded-postgres.js';
import { serverIdentity } from '../../standalone/postgres-programs.js';
import { createOrganisation } from '../sandbox-suite/demo.js';
import { runSuite } from '../sandbox-suite/run-suite.js';
import { freePort } from '../support/ports.js';
import { type StartedServer, startSimulatorProcess } from '../support/processes.js';
import { buildPrograms, type Program, startCommand, startProgram, untilReady } from '../support/program.js';
import { until } from '../support/until.js';
import { type ComposeFile, type ComposeService, DEPLOY, readCompose, readExample, readNeeded } from './compose-file.js';
import { type PlayedImage, playDockerfile } from './played-image.js';

// Runs the deployment of deploy/ without a container engine: the steps of the Dockerfile, the processes with the
// commands and environment of compose, and HAProxy with its file. Only addresses and ports are adapted to this machine.

const BUILD_MS = 3_600_000;
const SUITE_MS = 600_000;
const TEST_MS = 120_000;

const run = promisify(execFile);

let folder: string;
let image: PlayedImage;
let postgres: EmbeddedPostgres;
let simulator: StartedServer;
let haproxy: Program;
let compose: ComposeFile;
let tlsPort: number;
let httpPort: number;
let authorityPort: number;
let caFile: string;
let prefix: readonly string[];
const programs = new Map<string, Program>();
const ports = new Map<string, { api: number; metrics: number }>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'deploy-'));
  await buildPrograms();
  image = await playDockerfile(await readFile(path.join(DEPLOY, 'Dockerfile'), 'utf8'), folder);
  // Simulates USER and the read-only root file system.
  await run('chmod', ['-R', 'a-w', image.folder]);
  prefix = (await serverIdentity()).prefix;
  [tlsPort, httpPort, authorityPort] = [await freePort(), await freePort(), await freePort()];
  for (const name of ['api-1', 'api-2', 'dispatcher-1', 'dispatcher-2']) {
    ports.set(name, { api: await freePort(), metrics: await freePort() });
  }
  compose = readCompose(chooseValues());
  simulator = await startSimulatorProcess();
  haproxy = await startHaproxy();
  postgres = await startDatabase();
}, BUILD_MS);

afterAll(async () => {
  for (const program of programs.values()) await program.stop();
  haproxy?.kill('SIGTERM');
  await simulator?.stop();
  await postgres?.stop();
  if (image !== undefined) await run('chmod', ['-R', 'u+w', image.folder]);
}, TEST_MS);

/** Chooses a value as the README describes. */
function chooseValues(): Record<string, string> {
  const needed = readNeeded();
  const values = [...readExample()].map(([name, value]): [string, string] => [
    name,
    needed.includes(name) ? chooseValue(name) : value,
  ]);
  return { ...Object.fromEntries(values), AUTHORITY_SANDBOX_API_URL: `https://127.0.0.1:${authorityPort}` };
}

function chooseValue(name: string): string {
  if (/PASSWORD$|^SECRETS_KEY$|SECRET$/.test(name)) return randomBytes(32).toString('hex');
  return { INTERMEDIARY_TIN: 'C20830570210', INTERMEDIARY_BRN: '202001234567' }[name] ?? 'Example';
}

/** Starts PostgreSQL and runs `create-roles.sql` with psql and the environment of the container. */
async function startDatabase(): Promise<EmbeddedPostgres> {
  const password = compose.services.postgres.environment?.POSTGRES_PASSWORD ?? '';
  const server = await startEmbeddedPostgres({ directory: path.join(folder, 'pg'), password, port: await freePort() });
  await run('psql', ['--no-psqlrc', '--file', path.join(DEPLOY, 'postgres/create-roles.sql')], {
    env: {
      PATH: process.env.PATH,
      ...compose.services.postgres.environment,
      PGHOST: '127.0.0.1',
      PGPORT: String(server.port),
      PGUSER: 'postgres',
      PGPASSWORD: password,
    },
  });
  return server;
}

/** Starts HAProxy. It also provides TLS for the simulator, because production requires TLS for the authority. */
async function startHaproxy(): Promise<Program> {
  const certificates = path.join(folder, 'certificates');
  caFile = path.join(folder, 'ca.pem');
  await mkdir(certificates);
  const keyFile = path.join(folder, 'key.pem');
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    ...subject,
    '-keyout',
    keyFile,
    '-out',
    caFile,
  ]);
  await writeFile(path.join(certificates, 'service.pem'), (await readFile(caFile)) + (await readFile(keyFile, 'utf8')));
  const text = await readFile(path.join(DEPLOY, 'haproxy/haproxy.cfg'), 'utf8');
  const here = text
    .replace('/etc/haproxy/certificates/', `${certificates}/`)
    .replace('bind :8080', `bind 127.0.0.1:${httpPort}`)
    .replace('bind :8443', `bind 127.0.0.1:${tlsPort}`)
    .replace('bind :8405', `bind 127.0.0.1:${await freePort()}`)
    .replaceAll(
      /(server (\S+)) \S+:3000/g,
      (_, server: string, name: string) => `${server} 127.0.0.1:${portsOf(name).api}`,
    );
  const authority = [
    'frontend authority',
    `  bind 127.0.0.1:${authorityPort} ssl crt ${certificates}/`,
    '  default_backend authority',
    'backend authority',
    `  server simulator ${new URL(simulator.url).host}`,
  ].join('\n');
  const file = path.join(folder, 'haproxy.cfg');
  await writeFile(file, `${here}\n${authority}\n`);
  const env = { PATH: `${process.env.PATH}:/usr/sbin`, TMPDIR: tmpdir() };
  await run('haproxy', ['-c', '-f', file], { env });
  return startCommand(['haproxy', '-db', '-f', file], env);
}

function portsOf(name: string): { api: number; metrics: number } {
  const found = ports.get(name);
  if (found === undefined) throw new Error(`${name} is no process of compose.yaml`);
  return found;
}

/** Builds the environment of a process with the addresses of this machine. */
function environmentOf(name: string): Record<string, string> {
  const { environment = {} } = compose.services[name];
  const own = ports.get(name);
  const entries = Object.entries({ ...image.environment, ...environment }).map(([setting, value]): [string, string] => [
    setting,
    value.replace('@postgres:5432/', `@127.0.0.1:${postgres.port}/`),
  ]);
  return {
    ...Object.fromEntries(entries),
    HOST: '127.0.0.1',
    METRICS_HOST: '127.0.0.1',
    TRUSTED_PROXIES: '127.0.0.1',
    NODE_EXTRA_CA_CERTS: caFile,
    ...(own === undefined ? {} : { PORT: String(own.api), METRICS_PORT: String(own.metrics) }),
  };
}

/** Starts a process of compose.yaml from the image, as a user without write access to it. */
function start(name: string, ...words: string[]): Program {
  const service = compose.services[name];
  const [node, ...command] = [
    ...(service.entrypoint ?? []),
    ...(service.command ?? (words.length > 0 ? words : image.command)),
  ];
  expect(node).toBe('node');
  const program = startProgram(command, environmentOf(name), { cwd: image.folder, prefix });
  programs.set(name, program);
  return program;
}

/** Runs the health check of a process and returns its exit code. */
async function checkHealth(name: string): Promise<number | null> {
  const { healthcheck }: ComposeService = compose.services[name];
  const [node, ...words] = healthcheck?.test.slice(1) ?? image.healthCheck;
  expect(node).toBe('node');
  const here = words.map((word) => word.replace(':9464/', `:${portsOf(name).metrics}/`));
  const check = startProgram(here, environmentOf(name), { cwd: image.folder, prefix });
  return (await check.ended).exitCode;
}

/** Sends a request from outside of the deployment. */
async function request(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  const ca = await readFile(caFile);
  return new Promise((resolve, reject) => {
    const sent = https.get(url, { ca, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on('error', reject);
  });
}

describe('the deployment', () => {
  it(
    'migrates an empty database once',
    async () => {
      const first = start('migrate');
      expect(await first.ended, first.output).toMatchObject({ exitCode: 0 });
      const second = start('migrate');
      expect(await second.ended, second.output).toMatchObject({ exitCode: 0 });
      expect(second.out).toContain('Nothing to migrate');
    },
    TEST_MS,
  );

  it(
    'starts two APIs and two dispatchers with working health checks',
    async () => {
      for (const name of ports.keys()) {
        const isApi = name.startsWith('api');
        const { api, metrics } = portsOf(name);
        const url = isApi ? `http://127.0.0.1:${api}/api/health/ready` : `http://127.0.0.1:${metrics}/metrics`;
        await untilReady(start(name), url);
        expect(await checkHealth(name), name).toBe(0);
      }
      for (const name of ['api-2', 'dispatcher-2']) {
        await programs.get(name)?.stop();
        expect(await checkHealth(name), name).not.toBe(0);
        await untilReady(start(name), `http://127.0.0.1:${portsOf(name).metrics}/metrics`);
      }
    },
    TEST_MS,
  );

  it(
    'has a read-only image without sources and development tools',
    async () => {
      const write = "require('fs').writeFileSync('dist/src/processes/api.js', '')";
      const attempt = startProgram(['-e', write], {}, { cwd: image.folder, prefix });
      expect(await attempt.ended).toMatchObject({ exitCode: 1 });
      expect(attempt.error).toContain('EACCES');
      expect(image.user).toBe('node');
      const { stdout: files } = await run('ls', ['-A', '.', 'dist'], { cwd: image.folder });
      expect(files.split(/\s+/).toSorted().join(' ').trim()).toBe(
        '.: dashboard dist dist: docs node_modules package.json src standalone',
      );
      const { stdout: modules } = await run('ls', [path.join(image.folder, 'node_modules')]);
      expect(modules.split('\n')).toEqual(expect.arrayContaining(['fastify', 'pg']));
      expect(modules.split('\n').filter((name) => /^(?:typescript|vite|vitest)$/.test(name))).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'serves the API, the dashboard and the docs over TLS only',
    async () => {
      const base = `https://127.0.0.1:${tlsPort}`;
      await until(
        'HAProxy has found the APIs ready',
        async () => (await request(`${base}/api/health/ready`)).status === 200,
      );
      for (const page of ['/dashboard', '/docs', '/api/health/live']) {
        const { status, headers } = await request(`${base}${page}`);
        expect(status, page).toBe(200);
        expect(headers['strict-transport-security'], page).toContain('max-age=31536000');
      }
      const plain = `http://127.0.0.1:${httpPort}`;
      const api = await fetch(`${plain}/api/v1/einvoice/submit`, {
        method: 'POST',
        headers: { 'X-API-Key': 'eisk_test_' },
      });
      expect(api.status).toBe(403);
      const page = await fetch(`${plain}/dashboard`, { redirect: 'manual' });
      expect(page.status).toBe(308);
      expect(page.headers.get('location')).toMatch(/^https:\/\/127\.0\.0\.1.*\/dashboard$/);
    },
    TEST_MS,
  );

  it(
    'keeps serving while one API is stopped',
    async () => {
      // Static pages have no rate limit per address.
      const url = `https://127.0.0.1:${tlsPort}/dashboard`;
      const apis = ['api-1', 'api-2'];
      // HAProxy started before the APIs and uses an API after two successful checks.
      for (const name of apis) await until(`HAProxy has ${name}`, async () => (await readServed(name)) > 0);
      for (const name of apis) {
        const program = programs.get(name);
        const stopped = program?.stop();
        while (program?.isRunning() === true) expect((await request(url)).status, name).toBe(200);
        await stopped;
        for (let times = 0; times < 20; times += 1) expect((await request(url)).status, name).toBe(200);
        await untilReady(start(name), `http://127.0.0.1:${portsOf(name).api}/api/health/ready`);
        await until(`HAProxy has ${name} again`, async () => (await readServed(name)) > 0);
      }
    },
    TEST_MS,
  );

  it(
    'passes the sandbox suite through HAProxy with keys of the compose commands',
    async () => {
      const commands = { start: (_: string, ...words: string[]) => start('cli', ...words) };
      const apiKey = await createOrganisation(commands, { number: 1, credits: 1_000 });
      const secondKey = await createOrganisation(commands, { number: 2, credits: 50 });
      const suite = await runSuite({
        baseUrl: `https://127.0.0.1:${tlsPort}/api`,
        apiKey,
        secondKey,
        junit: path.join(folder, 'suite.xml'),
        environment: { NODE_EXTRA_CA_CERTS: caFile },
      });
      expect(suite.exitCode, suite.out.slice(-20_000) + suite.error).toBe(0);
      expect(suite.checks.length).toBeGreaterThan(100);
      expect(suite.checks.filter(({ hasFailed, isSkipped }) => hasFailed || isSkipped)).toEqual([]);
    },
    SUITE_MS,
  );
});

/** Reads the number of requests of an API from its metrics. */
async function readServed(name: string): Promise<number> {
  await request(`https://127.0.0.1:${tlsPort}/api/health/live`);
  const text = await (await fetch(`http://127.0.0.1:${portsOf(name).metrics}/metrics`)).text();
  const counts = text.matchAll(/_seconds_count\{.*route="\/api\/health\/live".*\} (\d+)/g);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
