import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exampleEntry } from '../../simulator/testing/example-documents.js';
import { TestClient, send } from '../../simulator/testing/test-client.js';
import { freePort } from '../support/ports.js';
import { type Program, REPOSITORY, startProgram, untilReady } from '../support/program.js';

// Uses only the packed file, Node and npm, like another team.

const TIMEOUT_MS = 240_000;
const controlToken = 'a-token-of-20-letters';

let parent = '';
let file = '';
let folder = '';
let started: Program[] = [];

beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'einvoice-packed-'));
  const packed = path.join(parent, 'packed');
  await mkdir(packed);
  const packing = run(`npm run pack:simulator -- --pack-destination ${packed}`, REPOSITORY);
  expect((await packing.ended).exitCode, packing.output).toBe(0);
  const names = await readdir(packed);
  expect(names).toEqual([expect.stringMatching(/^einvoice-simulator-\d+\.\d+\.\d+\.tgz$/)]);
  file = path.join(packed, names[0] ?? '');
}, TIMEOUT_MS);
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'einvoice-empty-'));
});
afterEach(async () => {
  for (const program of started.splice(0)) await stopGroup(program, 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);
afterAll(() => rm(parent, { recursive: true, force: true }));

/** Runs a command without a registry and without npm's cache. */
function run(command: string, cwd = folder, environment: NodeJS.ProcessEnv = {}): Program {
  const settings = {
    npm_config_cache: path.join(parent, 'cache'),
    npm_config_registry: 'http://127.0.0.1:1',
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
    npm_config_userconfig: path.join(cwd, 'no-such-npmrc'),
    ...environment,
  };
  const program = startProgram([], settings, { prefix: ['sh', '-c', command], cwd });
  started.push(program);
  return program;
}

/** Signals the whole process group like Ctrl-C. */
async function stopGroup(program: Program, signal: NodeJS.Signals): Promise<void> {
  if (program.isRunning()) process.kill(-program.processId, signal);
  await program.ended;
}

/** Returns a relative path, because npx treats an absolute path as a program. */
const relativeFile = (): string => `./${path.relative(folder, file)}`;

async function startByNpx(options: string, environment: NodeJS.ProcessEnv = {}) {
  const port = await freePort();
  const program = run(`npx --yes ${relativeFile()} --port ${port} ${options}`, folder, environment);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(program, `${url}/_control/`);
  return { program, url };
}

describe('the packed simulator', { timeout: TIMEOUT_MS }, () => {
  it('starts with npx in an empty folder without a registry', async () => {
    const { program, url } = await startByNpx('--validation-delay-ms 0');
    const client = await TestClient.login(url);
    const uuid = await client.accept(exampleEntry());
    expect(await client.readStatus(uuid)).toBe('Valid');
    await stopGroup(program, 'SIGINT');
    expect(program.out).toContain(`MyInvois simulator on ${url} (in memory`);
    expect(await readdir(folder)).toEqual([]);
  });

  it('installs without a registry as a single package', async () => {
    const installing = run(`npm install --no-audit --no-fund ${file}`);
    expect((await installing.ended).exitCode, installing.output).toBe(0);
    const installed = await readdir(path.join(folder, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['einvoice-simulator']);
    const own = path.join(folder, 'node_modules/einvoice-simulator');
    const manifest = JSON.parse(await readFile(path.join(own, 'package.json'), 'utf8')) as Record<string, unknown>;
    for (const name of ['scripts', 'dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']) {
      expect(manifest).not.toHaveProperty(name);
    }
    const files = await readdir(own, { recursive: true });
    expect(files).toEqual(expect.arrayContaining(['main.js', 'openapi.json', 'control-page.html', 'README.md']));
    expect(files.filter((name) => /\.ts$|\.map$|spec|^testing/.test(name))).toEqual([]);
  });

  it('contains the OpenAPI document that it serves', async () => {
    const unpacking = run(`tar -xzf ${file}`);
    expect((await unpacking.ended).exitCode, unpacking.output).toBe(0);
    const described = JSON.parse(await readFile(path.join(folder, 'package/openapi.json'), 'utf8')) as unknown;
    const { url } = await startByNpx('');
    expect((await send(`${url}/_control/openapi.json`)).json()).toEqual(described);
  });

  it('keeps its state in a folder after SIGKILL', async () => {
    await mkdir(path.join(folder, 'state'));
    const first = await startByNpx('--folder state');
    const uuid = await (await TestClient.login(first.url)).accept(exampleEntry());
    await stopGroup(first.program, 'SIGKILL');
    const second = await startByNpx('--folder state');
    expect((await send(`${second.url}/_control/documents`)).json()).toMatchObject([{ uuid }]);
    expect(second.program.out).toContain('(kept in state)');
  });

  it('listens on other interfaces only with a control token', async () => {
    const refused = run(`npx --yes ${relativeFile()} --port 0 --host 0.0.0.0`);
    expect((await refused.ended).exitCode).toBe(1);
    expect(refused.error).toContain('--host 0.0.0.0 can be reached from other machines: add --control-token');
    const { url } = await startByNpx('--host 0.0.0.0', { SIMULATOR_CONTROL_TOKEN: controlToken });
    expect((await send(`${url}/_control/faults`)).status).toBe(401);
    const headers = { authorization: `Bearer ${controlToken}` };
    expect((await send(`${url}/_control/faults`, { headers })).json()).toEqual([]);
  });

  it('lists its options', async () => {
    const help = run(`npx --yes ${relativeFile()} --help`);
    expect((await help.ended).exitCode).toBe(0);
    for (const option of ['--port', '--host', '--control-token', '--folder', '--validation-delay-ms']) {
      expect(help.out).toContain(`  ${option} `);
    }
  });
});
