import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type ProcessRole, readConfiguration } from '../../src/config/configuration.js';
import { SettingsError } from '../../src/config/settings-reader.js';

// Settings of deploy/.env must reach every process that reads them.

const compose = readFileSync(new URL('../../deploy/compose.yaml', import.meta.url), 'utf8');

const NOT_FOR_COMPOSE: Readonly<Record<string, string>> = {
  NODE_ENV: 'of the image: production',
  HOST: 'of the image',
  PORT: 'of the image',
  METRICS_PORT: 'the default: each container has its own ports',
  DATA_DIR: 'of the embedded database',
  FAILPOINT: 'refused in production',
};

/** Lists the settings of a mapping of compose.yaml. */
function namesUnder(start: RegExp): string[] {
  const [head = ''] = start.exec(compose) ?? [];
  const from = compose.indexOf(head) + head.length;
  const [block] = compose.slice(from).split(/^\S/m, 1);
  return [...block.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name);
}

const shared = namesUnder(/^x-settings: &settings$/m);
const SERVICES: Readonly<Record<Exclude<ProcessRole, 'operator'>, readonly string[]>> = {
  api: [...shared, ...namesUnder(/^x-api: &api$/m)],
  dispatcher: [...shared, ...namesUnder(/^x-dispatcher: &dispatcher$/m)],
};

/** Lists all environment variables that a process reads. */
function listRead(role: ProcessRole): string[] {
  const read = new Set<string>();
  const filled = { AUTHORITY_SANDBOX_API_URL: 'https://a.example', AUTHORITY_PRODUCTION_API_URL: 'https://b.example' };
  const recorded = { ...filled, INTERMEDIARY_TIN: 'C1234567890', OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example' };
  const environment = new Proxy<NodeJS.ProcessEnv>(recorded, {
    get: (target, name: string) => (read.add(name), target[name]),
  });
  expect(() => readConfiguration(role, environment)).toThrow(SettingsError);
  return [...read];
}

it.each(['api', 'dispatcher'] as const)('compose passes the %s every setting that it reads', (role) => {
  const missing = listRead(role).filter((name) => !SERVICES[role].includes(name) && !(name in NOT_FOR_COMPOSE));
  expect(listRead(role).length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});

it('compose passes every setting without a documented exception', () => {
  const passed = new Set([...compose.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name));
  const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  const documented = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  const all = new Set([...documented, ...listRead('api'), ...listRead('dispatcher')]);
  expect([...all].filter((name) => !passed.has(name)).toSorted()).toEqual(Object.keys(NOT_FOR_COMPOSE).toSorted());
});
