import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PRODUCTION_DRAIN_SECONDS } from '../../src/config/configuration.js';
import { findProgram } from '../support/debian-programs.js';
import { freePort } from '../support/ports.js';
import { REPOSITORY } from '../support/program.js';
import { until } from '../support/until.js';
import { Haproxy } from './haproxy.js';
import { type ComposeService, DEPLOY, readCompose, readExample, readNeeded } from './compose-file.js';
import { playSteps, readSteps } from './readme-steps.js';

// Tests the files of deploy/ with the programs that use them.

const run = promisify(execFile);
/** Time limit of the last requests of an API (docs/operations.md#shutdown). */
const REQUESTS_SECONDS = 30;
const DOWN = /^haproxy_server_status\{proxy="apis",server="api-2",state="DOWN"\} 1$/m;
const OF_SERVICE = ['migrate', 'cli', 'api-1', 'api-2', 'dispatcher-1', 'dispatcher-2'];

const example = readExample();
const needed = readNeeded();
const filled = Object.fromEntries([...example].map(([name, value]) => [name, value || `of-${name}`]));
const compose = readCompose(filled);

function networksOf({ networks }: ComposeService): string[] {
  return Array.isArray(networks) ? [...(networks as string[])] : Object.keys(networks);
}

it.each(needed)('compose requires %s', (name) => {
  expect(() => readCompose({ ...filled, [name]: '' })).toThrow(`set ${name} in deploy/.env`);
});

it('compose starts with only the required settings', () => {
  expect(needed.length).toBeGreaterThan(10);
  const others = Object.fromEntries(Object.entries(filled).filter(([name]) => needed.includes(name)));
  expect(Object.keys(readCompose(others).services)).toEqual(expect.arrayContaining(OF_SERVICE));
});

it('the deployment files contain no secrets', async () => {
  const files = ['compose.yaml', 'compose.machine.yaml'].map((file) => readFile(path.join(DEPLOY, file), 'utf8'));
  const text = (await Promise.all(files)).join('');
  const variables = [...new Set([...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name))];
  expect(variables.toSorted()).toEqual([...example.keys(), 'PRIVATE_ADDRESS'].toSorted());
  const secrets = [...example].filter(([name]) => /PASSWORD|SECRET|_KEY$|CLIENT_ID/.test(name));
  expect(secrets.length).toBeGreaterThan(8);
  expect(secrets.filter(([, value]) => value !== '')).toEqual([]);
  expect(text.match(/(?:PASSWORD|SECRET|SECRETS_KEY): (?!\$\{[A-Z_]+(?::\?[^}]*|:-)\}\n)/g)).toBeNull();
});

it('each process gets only its own database login and signing keys', () => {
  const named = Object.fromEntries(
    OF_SERVICE.map((name) => {
      const settings = Object.keys(compose.services[name].environment ?? {});
      return [name, settings.filter((setting) => /^DATABASE_.*URL$|_SIGNING_KEY$/.test(setting))];
    }),
  );
  const api = ['DATABASE_OPERATOR_URL', 'DATABASE_URL'];
  const signing = ['AUTHORITY_PRODUCTION_SIGNING_KEY', 'AUTHORITY_SANDBOX_SIGNING_KEY'];
  const dispatcher = [...signing, 'DATABASE_DISPATCHER_URL'];
  const owner = ['DATABASE_OWNER_URL'];
  expect(named).toEqual({
    migrate: owner,
    cli: owner,
    'api-1': api,
    'api-2': api,
    'dispatcher-1': dispatcher,
    'dispatcher-2': dispatcher,
  });
});

it('only HAProxy is reachable from other machines', () => {
  const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
    ports.map((port) => `${name} ${typeof port === 'string' ? port : port.published}`),
  );
  const local = ['haproxy 127.0.0.1:8405:8405/tcp', 'prometheus 127.0.0.1:9090:9090/tcp'];
  expect(published).toEqual(['haproxy 80', 'haproxy 443', ...local]);
  for (const name of OF_SERVICE) expect(compose.services[name].read_only, name).toBe(true);
});

it('the APIs trust the address of HAProxy', () => {
  const { haproxy } = compose.services;
  const address = (haproxy.networks as Record<string, { ipv4_address?: string } | null>).proxy?.ipv4_address;
  for (const name of ['api-1', 'api-2']) {
    expect(compose.services[name].environment?.TRUSTED_PROXIES).toBe(address);
    const shared = networksOf(compose.services[name]).filter((network) => networksOf(haproxy).includes(network));
    expect(shared).toEqual(['proxy']);
  }
});

it('fixed addresses lie outside the range of dynamic addresses', () => {
  const fixed = Object.values(compose.services).flatMap(({ networks }) =>
    Array.isArray(networks) ? [] : Object.entries(networks as Record<string, { ipv4_address?: string } | null>),
  );
  const addresses = fixed.flatMap(([network, at]) => (at?.ipv4_address ? [{ network, address: at.ipv4_address }] : []));
  expect(addresses).toHaveLength(1);
  for (const { network, address } of addresses) {
    const [{ subnet, ip_range: range = subnet }] = compose.networks[network]?.ipam?.config ?? [];
    expect(isWithin(address, subnet)).toBe(true);
    // The engine assigns dynamic addresses from this range.
    expect(isWithin(address, range)).toBe(false);
  }
});

function isWithin(address: string, range: string): boolean {
  const [net, bits] = range.split('/');
  const list = new BlockList();
  list.addSubnet(net, Number(bits));
  return list.check(address);
}

it('HAProxy accepts other requests while each API holds its maximum of polls', async () => {
  const settings = await readFile(path.join(REPOSITORY, '.env.example'), 'utf8');
  const held = Number(/^HELD_POLLS_MAX=(\d+)$/m.exec(settings)?.[1]);
  const text = await readFile(path.join(DEPLOY, 'haproxy/haproxy.cfg'), 'utf8');
  const [all, ofServer] = [/^ {2}maxconn (\d+)$/m, /default-server .*\bmaxconn (\d+)/].map((form) =>
    Number(form.exec(text)?.[1]),
  );
  const servers = text.match(/^ {2}server /gm)?.length ?? 0;
  expect(ofServer).toBeGreaterThanOrEqual(held + 1_000);
  expect(all).toBeGreaterThanOrEqual(servers * ofServer);
});

it('Prometheus scrapes every process of the service', async () => {
  const text = await readFile(path.join(DEPLOY, 'prometheus/prometheus.yml'), 'utf8');
  const targets = [...text.matchAll(/([\w-]+):9464/g)].map(([, name]) => name);
  expect(targets).toEqual(['api-1', 'api-2', 'dispatcher-1', 'dispatcher-2']);
  for (const name of targets) {
    expect(networksOf(compose.services[name])).toContain('metrics');
    expect(compose.services[name].environment?.METRICS_HOST).toBe('0.0.0.0');
  }
  expect(networksOf(compose.services.prometheus)).toContain('metrics');
});

it('files ignored by git are excluded from the image', async () => {
  const ignored = (await readFile(path.join(REPOSITORY, '.gitignore'), 'utf8')).trim().split('\n');
  const excluded = (await readFile(path.join(DEPLOY, 'Dockerfile.dockerignore'), 'utf8')).split('\n');
  const names = ignored.map((line) => line.replace(/\/$/, ''));
  expect(
    names.filter((name) => !excluded.includes(`**/${path.posix.basename(name)}`) && !excluded.includes(name)),
  ).toEqual([]);
});

it.skipIf(findProgram('systemd-analyze') === undefined)('systemd accepts the units', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'units-'));
  await cp(path.join(DEPLOY, 'systemd'), folder, { recursive: true });
  const units = await readdir(folder);
  for (const unit of units) {
    const text = await readFile(path.join(folder, unit), 'utf8');
    await writeFile(path.join(folder, unit), text.replaceAll('/usr/bin/node', process.execPath));
    for (const [, file = ''] of text.matchAll(/(dist\/\S+)\.js/g)) {
      expect(existsSync(path.join(REPOSITORY, file.replace(/^dist\//, '') + '.ts')), file).toBe(true);
    }
  }
  const { stdout, stderr } = await run('systemd-analyze', ['verify', ...units.map((unit) => path.join(folder, unit))]);
  expect(units.length).toBeGreaterThan(3);
  expect(stdout + stderr).toBe('');
});

it('the einvoice command runs files of the build with the settings of the units', async () => {
  const text = await readFile(path.join(DEPLOY, 'einvoice'), 'utf8');
  const units = (await readdir(path.join(DEPLOY, 'systemd'))).map((unit) => path.join(DEPLOY, 'systemd', unit));
  const ofUnits = (await Promise.all(units.map((unit) => readFile(unit, 'utf8')))).join('');
  const files = [...text.matchAll(/EnvironmentFile=(\S+)/g)].map(([, file]) => file);
  expect(files).toEqual(['/etc/einvoice/common.env', '/etc/einvoice/owner.env']);
  for (const file of files) expect(ofUnits).toContain(`EnvironmentFile=${file}\n`);
  const [, program = ''] = /(dist\/\S+)\.js "\$@"/.exec(text) ?? [];
  expect(existsSync(path.join(REPOSITORY, `${program.replace(/^dist\//, '')}.ts`)), program).toBe(true);
});

it('waitfor waits until HAProxy uses a server and fails after its time limit', async () => {
  const ready = createServer((_, response) => void response.end('{}')).listen(0, '127.0.0.1');
  await once(ready, 'listening');
  const ports = [(ready.address() as AddressInfo).port, await freePort()];
  const haproxy = await Haproxy.start(DEPLOY, ports, await mkdtemp(path.join(tmpdir(), 'waitfor-')));
  const { signal } = new AbortController();
  try {
    await haproxy.waitUntilUp('api-1', signal);
    // Until its first check, HAProxy treats every server as up.
    await until('HAProxy has checked api-2', async () => DOWN.test(await haproxy.readMetrics()));
    for (const server of ['api-2', 'api-3']) {
      await expect(haproxy.waitUntilUp(server, signal, 3)).rejects.toThrow(`does not say that ${server} is up`);
    }
  } finally {
    await haproxy.stop();
    ready.close();
  }
  await expect(haproxy.waitUntilUp('api-1', signal, 1)).rejects.toThrow('after 1 seconds');
}, 60_000);

it('HAProxy accepts haproxy/postgres.cfg', async () => {
  await run(findProgram('haproxy') ?? '', ['-c', '-f', path.join(DEPLOY, 'haproxy/postgres.cfg')]);
});

it('HAProxy rejects a client that ignores 429 responses', async () => {
  const api = createServer(({ headers, url }, response) => {
    response.statusCode = headers['x-api-key'] === 'ignores' && !url?.includes('health') ? 429 : 200;
    response.end('from the API');
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const haproxy = await Haproxy.start(DEPLOY, [port, port], await mkdtemp(path.join(tmpdir(), 'ignores-')));
  const ask = (key: string): Promise<Response> => fetch(`${haproxy.url}/v1`, { headers: { 'X-API-Key': key } });
  const askOften = async (): Promise<Response | undefined> => {
    const responses = await Promise.all(Array.from({ length: 100 }, () => ask('ignores')));
    const texts = await Promise.all(responses.map((response) => response.clone().text()));
    return responses[texts.findIndex((text) => text !== 'from the API')];
  };
  try {
    await haproxy.waitUntilUp('api-1', new AbortController().signal);
    let refused: Response | undefined;
    await until('HAProxy answers', async () => (refused = await askOften()) !== undefined);
    expect(refused?.status).toBe(429);
    expect(refused?.headers.get('retry-after')).toBe('10');
    expect(await refused?.json()).toMatchObject({ code: 'rate_limited', requestId: expect.any(String) as string });
    expect(await (await ask('waits')).text()).toBe('from the API');
  } finally {
    await haproxy.stop();
    api.close();
  }
}, 60_000);

it('HAProxy rejects a request whose first 16 KB are incomplete after 10 seconds', async () => {
  const paths: (string | undefined)[] = [];
  const api = createServer(({ url }, response) => {
    paths.push(url);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const haproxy = await Haproxy.start(DEPLOY, [port, port], await mkdtemp(path.join(tmpdir(), 'slow-')));
  const slow = request(`${haproxy.url}/slow`, { method: 'POST', headers: { 'Content-Length': 100 } });
  try {
    await haproxy.waitUntilUp('api-1', new AbortController().signal);
    slow.write('{');
    const [response] = (await once(slow, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(408);
    expect(paths).not.toContain('/api/slow');
  } finally {
    slow.destroy();
    await haproxy.stop();
    api.close();
  }
}, 60_000);

it('an update restarts one API at a time and stops at the first failing step', async () => {
  const steps = await readSteps(/waitfor \$name/);
  const folder = await mkdtemp(path.join(tmpdir(), 'update-'));
  const of = ({ calls }: { calls: readonly string[] }): string[] =>
    calls.map((call) => call.replace(`${folder}: `, ''));
  const good = await playSteps(steps, folder);
  const upTo = [
    'docker build -f Dockerfile -t einvoice:2 ..',
    'docker compose run --rm migrate',
    'docker compose up -d --no-deps haproxy',
    'docker compose up -d --no-deps --force-recreate alertmanager prometheus',
    'docker compose up -d --no-deps --wait dispatcher-1',
    'docker compose up -d --no-deps --wait dispatcher-2',
    'docker compose up -d --no-deps --wait api-1',
    'waitfor api-1',
    'docker compose up -d --no-deps --wait api-2',
    'waitfor api-2',
  ];
  expect(good.exitCode).toBe(0);
  expect(of(good)).toEqual(upTo);
  expect(await readFile(path.join(folder, '.env'), 'utf8')).toBe('IMAGE=einvoice:2\n');
  for (const [index, failing] of upTo.entries()) {
    const failed = await playSteps(steps, folder, failing);
    expect(of(failed), failing).toEqual(upTo.slice(0, index + 1));
    expect(failed.exitCode, failing).not.toBe(0);
  }
});

it('the certbot hooks call compose in the folder of .env', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'hooks-'));
  const steps = await readSteps(/docker compose stop haproxy/);
  const hooks = [...steps.matchAll(/--(?:pre|post)-hook "(.*)"/g)].map(([, hook]) => hook.replaceAll('$PWD', folder));
  const { calls, exitCode } = await playSteps(hooks.map((hook) => `(cd / && ${hook})`).join(' && '), folder);
  expect(exitCode).toBe(0);
  expect(calls).toEqual([
    `${folder}: docker compose stop haproxy`,
    `${folder}: docker compose up -d --no-deps haproxy`,
  ]);
});

it('processes on several machines have private addresses and separate ports', () => {
  const files = ['compose.yaml', 'compose.machine.yaml'];
  expect(() => readCompose({ ...filled, PRIVATE_ADDRESS: '' }, files)).toThrow('set PRIVATE_ADDRESS in deploy/.env');
  const values = { PRIVATE_ADDRESS: '10.0.0.11', POSTGRES_ADDRESS: 'db-1:5432,db-2:5432/einvoice' };
  const { services } = readCompose({ ...filled, ...values }, files);
  const isShared = (port: unknown): port is string => typeof port === 'string' && port.startsWith('10.0.0.11:');
  const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
    ports.filter(isShared).map((port) => [name, port.replace('10.0.0.11:', '').replace('/tcp', '')]),
  );
  const ports = published.map(([, port]) => port.split(':')[0]);
  expect(new Set(ports).size).toBe(ports.length);
  expect(
    Object.fromEntries(published.map(([name, port]) => [`${name} ${port.split(':')[1]}`, port.split(':')[0]])),
  ).toEqual({
    'postgres 5432': '5432',
    'haproxy 8405': '8405',
    'api-1 3000': '3001',
    'api-1 9464': '9401',
    'api-2 3000': '3002',
    'api-2 9464': '9402',
    'dispatcher-1 9464': '9411',
    'dispatcher-2 9464': '9412',
  });
  for (const name of [...OF_SERVICE, 'postgres']) expect(networksOf(services[name]), name).toContain('outside');
  for (const name of OF_SERVICE) {
    const addresses = Object.entries(services[name].environment ?? {}).filter(([key]) => /^DATABASE_.*URL$/.test(key));
    for (const [, address] of addresses) expect(address).toContain('@db-1:5432,db-2:5432/einvoice');
  }
});

it('several machines together start all services except a second dispatcher', async () => {
  const readme = await readFile(path.join(DEPLOY, 'README.md'), 'utf8');
  const [, steps = ''] = /^## Several machines\n([^]*?)^## /m.exec(readme) ?? [];
  const started = [...steps.matchAll(/`docker compose (?:up -d|run --rm)([^`]*)`/g)].flatMap(([, words]) =>
    words.split(/\s+/),
  );
  const missing = Object.keys(compose.services).filter((name) => !started.includes(name));
  expect(missing.filter((name) => name !== 'cli')).toEqual(['dispatcher-2']);
});

it('the stop timeouts cover the drain time and the last requests of an API', async () => {
  const haproxy = await readFile(path.join(DEPLOY, 'haproxy/haproxy.cfg'), 'utf8');
  const [, interval, fall] = /check inter (\d+)s fall (\d+) /.exec(haproxy) ?? [];
  expect(PRODUCTION_DRAIN_SECONDS).toBeGreaterThanOrEqual(2 * Number(interval) * Number(fall));
  const allowedSeconds = PRODUCTION_DRAIN_SECONDS + REQUESTS_SECONDS;
  const unit = await readFile(path.join(DEPLOY, 'systemd/einvoice-api@.service'), 'utf8');
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(allowedSeconds);
  for (const name of ['api-1', 'api-2']) {
    expect(Number.parseInt(compose.services[name].stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(allowedSeconds);
  }
});

it('HAProxy accepts the haproxy.cfg that the README creates for a server without containers', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'haproxy-'));
  const readme = await readFile(path.join(DEPLOY, 'README.md'), 'utf8');
  const [, command] = /^(sed '[^]*?haproxy\.cfg) > \/etc\/haproxy\/haproxy\.cfg$/m.exec(readme) ?? [];
  const { stdout: text } = await run('sh', ['-c', command], { cwd: DEPLOY });
  expect(text.match(/^ +(?:bind|server|user|group) \S+(?: 127\S+)?/gm)?.map((line) => line.trim())).toEqual([
    'user haproxy',
    'group haproxy',
    'bind :80',
    'bind :443',
    'server api-1 127.0.0.1:3001',
    'server api-2 127.0.0.1:3002',
    'bind 127.0.0.1:8405',
  ]);
  const file = path.join(folder, 'haproxy.cfg');
  await writeFile(file, text.replace(/ ssl crt \S+ alpn \S+/, ''));
  await run('haproxy', ['-c', '-f', file], { env: { PATH: `${process.env.PATH}:/usr/sbin` } });
});
