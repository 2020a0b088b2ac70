import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findProgram } from '../support/debian-programs.js';
import { REPOSITORY } from '../support/program.js';
import { type ComposeService, DEPLOY, readCompose, readExample } from './compose-file.js';

// What a person copies, read by the program that it is for.

const run = promisify(execFile);
const OF_SERVICE = ['migrate', 'cli', 'api-1', 'api-2', 'dispatcher-1', 'dispatcher-2'];

const example = readExample();
const needed = [...example].filter(([, value]) => value === '').map(([name]) => name);
/** In production at the authority, and signed. */
const isOptional = (name: string): boolean => /^AUTHORITY_PRODUCTION_|_SIGNING_/.test(name);
const filled = Object.fromEntries([...example].map(([name, value]) => [name, value || `of-${name}`]));
const compose = readCompose(filled);

function networksOf({ networks }: ComposeService): string[] {
  return Array.isArray(networks) ? [...(networks as string[])] : Object.keys(networks);
}

it.each(needed.filter((name) => !isOptional(name)))('compose refuses to start without %s, and names it', (name) => {
  expect(() => readCompose({ ...filled, [name]: '' })).toThrow(`set ${name} in deploy/.env`);
});

it('compose starts without production and without certificates', () => {
  const others = Object.fromEntries(Object.entries(filled).filter(([name]) => !isOptional(name)));
  expect(Object.keys(readCompose(others).services)).toEqual(expect.arrayContaining(OF_SERVICE));
});

it('compose has no password of its own: every variable is in .env.example, and none that is a secret has a value', async () => {
  const text = await readFile(path.join(DEPLOY, 'compose.yaml'), 'utf8');
  const variables = [...new Set([...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name))];
  expect(variables.toSorted()).toEqual([...example.keys()].toSorted());
  const secrets = [...example].filter(([name]) => /PASSWORD|SECRET|_KEY$|CLIENT_ID/.test(name));
  expect(secrets.length).toBeGreaterThan(8);
  expect(secrets.filter(([, value]) => value !== '')).toEqual([]);
  expect(text.match(/(?:PASSWORD|SECRET|SECRETS_KEY): (?!\$\{[A-Z_]+(?::\?[^}]*|:-)\}\n)/g)).toBeNull();
});

it('each process gets the login of its own database role, and the dispatchers alone a signing key', () => {
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

it('nothing but HAProxy is reachable from other machines, and no process may write into its image', () => {
  const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
    ports.map((port) => `${name} ${typeof port === 'string' ? port : port.published}`),
  );
  expect(published).toEqual(['haproxy 80', 'haproxy 443', 'prometheus 127.0.0.1:9090:9090/tcp']);
  for (const name of OF_SERVICE) expect(compose.services[name].read_only, name).toBe(true);
});

it('the APIs see HAProxy by the one address that they trust', () => {
  const { haproxy } = compose.services;
  const address = (haproxy.networks as Record<string, { ipv4_address?: string } | null>).proxy?.ipv4_address;
  for (const name of ['api-1', 'api-2']) {
    expect(compose.services[name].environment?.TRUSTED_PROXIES).toBe(address);
    const shared = networksOf(compose.services[name]).filter((network) => networksOf(haproxy).includes(network));
    expect(shared).toEqual(['proxy']);
  }
});

it('Prometheus asks every process of the service, where compose lets it', async () => {
  const text = await readFile(path.join(DEPLOY, 'prometheus/prometheus.yml'), 'utf8');
  const targets = [...text.matchAll(/([\w-]+):9464/g)].map(([, name]) => name);
  expect(targets).toEqual(['api-1', 'api-2', 'dispatcher-1', 'dispatcher-2']);
  for (const name of targets) {
    expect(networksOf(compose.services[name])).toContain('metrics');
    expect(compose.services[name].environment?.METRICS_HOST).toBe('0.0.0.0');
  }
  expect(networksOf(compose.services.prometheus)).toContain('metrics');
});

it('what git ignores enters no image', async () => {
  const ignored = (await readFile(path.join(REPOSITORY, '.gitignore'), 'utf8')).trim().split('\n');
  const excluded = (await readFile(path.join(REPOSITORY, '.dockerignore'), 'utf8')).split('\n');
  const names = ignored.map((line) => line.replace(/\/$/, ''));
  expect(
    names.filter((name) => !excluded.includes(`**/${path.posix.basename(name)}`) && !excluded.includes(name)),
  ).toEqual([]);
});

it.skipIf(findProgram('systemd-analyze') === undefined)(
  'systemd takes the units as they are, and would start this Node',
  async () => {
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
    const { stdout, stderr } = await run('systemd-analyze', [
      'verify',
      ...units.map((unit) => path.join(folder, unit)),
    ]);
    expect(units.length).toBeGreaterThan(3);
    expect(stdout + stderr).toBe('');
  },
);
