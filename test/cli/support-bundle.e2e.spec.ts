import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { serveMetrics } from '../../src/common/metrics-page.js';
import { computeSha256 } from '../../src/evidence/manifest.js';
import { runDiagnosis } from '../../src/processes/cli.js';
import { accept, createTenant } from '../support/client.js';
import { invoice, recipient } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';
import { newEmail, organisation } from '../support/people.js';
import { freePort } from '../support/ports.js';
import { until } from '../support/until.js';
import { readZip } from '../support/zip.js';

// What an operator may send to anyone: the state of a deployment, and none of its secrets and of its organisations' data.

const SECRETS = {
  secretsKey: 'b81e05a63c2f7e6190d3b84a59f4c27d',
  clientId: 'c0ffee00-5ec2-4e1d-9d1b-7d6f0a3b1c55',
  clientSecret: 'Zx9-client-secret-of-the-platform',
  databasePassword: 'p4ss w0rd!of-the-owner',
  appPassword: 'another-Passw0rd-of-the-app',
  signingKey: await readFile('test/support/certificates/signing.key.pem', 'utf8'),
  collectorToken: 'Bearer eyJhbGciOiJIUzI1NiJ9.c3VwcG9ydA.b2ZmaWNl',
  intermediaryTin: 'C58476302977',
  intermediaryName: 'Perantara Rahsia Sdn Bhd',
  tin: 'C7654309180',
  organisationName: 'Kedai Rahsia Sdn Bhd',
  buyerName: 'Pembeli Terlindung Berhad',
  buyerTin: 'C1029384756',
  buyerEmail: 'akaun@pembeli-terlindung.example',
  number: 'RAHSIA-2026-0001',
  description: 'Perundingan sulit suku pertama',
  phone: '+60387654321',
  email: newEmail(),
} as const;

const service = await startFileService({
  environment: { SECRETS_KEY: SECRETS.secretsKey, AUTHORITY_SANDBOX_CLIENT_SECRET: SECRETS.clientSecret },
});
let folder: string;
let apiKey: string;
let secrets: string[];
let settings: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'support-'));
  const tenant = await createTenant(service, { profile: { tin: SECRETS.tin, phone: SECRETS.phone } });
  ({ apiKey } = tenant);
  await service.owner.query('UPDATE tenant SET name = $2 WHERE tenant_id = $1', [
    tenant.tenantId,
    SECRETS.organisationName,
  ]);
  const buyer = { ...recipient, name: SECRETS.buyerName, tin: SECRETS.buyerTin, email: SECRETS.buyerEmail };
  const document = { recipient: buyer, lineItems: [{ description: SECRETS.description, quantity: 1, unitPrice: 1 }] };
  await accept(service, tenant, [invoice({ ...document, referenceId: SECRETS.number })]);
  await service.settle();
  await accept(service, tenant, [invoice({ ...document, referenceId: `${SECRETS.number}-B` })]);
  const person = await organisation(service);
  secrets = [...Object.values(SECRETS), apiKey, person.email, ...SECRETS.signingKey.split('\n').slice(1, -2)];
  settings = {
    ...service.settings,
    DATABASE_OWNER_URL: service.database.ownerUrl,
    DATABASE_URL: `postgres://einvoice_app:${SECRETS.appPassword}@127.0.0.1:5432/einvoice`,
    PGPASSWORD: SECRETS.databasePassword,
    AUTHORITY_SANDBOX_CLIENT_ID: SECRETS.clientId,
    AUTHORITY_SANDBOX_SIGNING_KEY: SECRETS.signingKey,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${SECRETS.collectorToken}`,
    INTERMEDIARY_TIN: SECRETS.intermediaryTin,
    INTERMEDIARY_NAME: SECRETS.intermediaryName,
    DATABASE_POOL_SIZE: '10',
    CREDIT_PACKS: '100=50',
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Made {
  readonly exitCode: number;
  readonly out: string;
  readonly error: string;
  readonly file: string;
  readonly files: ReadonlyMap<string, string>;
  readonly bytes: readonly Buffer[];
}

let made = 0;

async function makeBundle(
  environment: Record<string, string>,
  words: readonly string[] = [],
  problem: string | null = null,
): Promise<Made> {
  made += 1;
  const file = path.join(folder, `bundle-${made}.zip`);
  let [out, error] = ['', ''];
  const output = { out: (text: string) => void (out += text), error: (text: string) => void (error += text) };
  const situation = { environment, problem, logFile: null };
  const exitCode = await runDiagnosis(situation, ['support-bundle', '--file', file, ...words], output);
  const zip = exitCode === 0 ? await readZip(await readFile(file)) : new Map<string, Buffer>();
  const files = new Map([...zip].map(([name, content]) => [name, content.toString('utf8')]));
  return { exitCode, out, error, file, files, bytes: [...zip.values()] };
}

function parse({ files }: Made, name: string): unknown {
  return JSON.parse(files.get(name) ?? 'null');
}

function findSecrets({ files }: Made): string[] {
  return [...files].flatMap(([name, text]) =>
    secrets.filter((secret) => text.toLowerCase().includes(secret.toLowerCase())).map((secret) => `${name}: ${secret}`),
  );
}

/** Lines of the service, and one for each secret in each member that a line may have. */
function writeLog(): string {
  const time = new Date().toISOString();
  const texts = secrets.flatMap((secret) => [
    { level: 50, time, msg: `The call failed for ${secret} in sandbox` },
    { level: 50, time, error: `QueryFailedError: value "${secret}" is wrong\n    at query (/srv/dist/src/a.js:1:2)` },
    { level: 30, time, msg: 'x', buyer: secret, tenantId: secret, code: secret, route: secret },
  ]);
  const lines = [
    { level: 30, time, context: 'ScheduleService', msg: 'The loops run' },
    {
      level: 50,
      time,
      loop: 'poll',
      error: 'QueryFailedError: duplicate key violates "uq_document"\n    at a (/srv/dist/src/a.js:1:2)',
    },
    { level: 30, time, method: 'POST', route: '/api/v1/einvoice/submit', status: 200, milliseconds: 12.3 },
    ...texts,
  ];
  return [...lines.map((line) => JSON.stringify(line)), ...secrets].join('\n');
}

it('has the state of the deployment, and no secret of it and nothing of its organisations', async () => {
  const log = path.join(folder, 'service.log');
  await writeFile(log, writeLog());
  const page = await serveMetrics(0, {
    readReadiness: () => Promise.resolve({ isReady: true, body: { status: 'ok' } }),
  });
  const [holder, waiter] = [service.database.ownerUrl, service.database.ownerUrl].map(
    (connectionString) => new Client({ connectionString, application_name: SECRETS.organisationName }),
  );
  await holder.connect();
  await waiter.connect();
  let bundle: Made;
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT pg_advisory_xact_lock(7)');
    const waiting = waiter.query(
      `/* ${SECRETS.email} */ SELECT pg_advisory_xact_lock(7), '${SECRETS.organisationName}' AS name, E'it\\'s ${SECRETS.tin}' -- ${SECRETS.buyerName}`,
    );
    await until('a statement waits for the lock', async () => {
      const { rows } = await holder.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rows.length > 0;
    });
    bundle = await makeBundle(settings, ['--log', log, '--metrics', new URL(page.url).host]);
    await holder.query('ROLLBACK');
    await waiting;
  } finally {
    await holder.end();
    await waiter.end();
    await page.close();
  }
  expect(bundle).toMatchObject({ exitCode: 0, error: '' });
  expect(findSecrets(bundle)).toEqual([]);
  const activity = parse(bundle, 'activity.json') as {
    longTransactions: { statement: string; blockedBy: number[] }[];
  };
  expect(activity.longTransactions).toContainEqual(
    expect.objectContaining({ statement: 'SELECT pg_advisory_xact_lock(…), … AS name, …', application: '…' }),
  );
  const lines = (bundle.files.get('log.jsonl') ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines.slice(0, 3)).toMatchObject([
    { level: 30, context: 'ScheduleService', msg: 'The loops run' },
    { loop: 'poll', error: 'QueryFailedError: duplicate key violates "uq_document"\n    at dist/src/a.js:1:2' },
    { method: 'POST', route: '/api/v1/einvoice/submit', status: 200, milliseconds: 12.3 },
  ]);
  expect(bundle.files.get('metrics.txt')).toMatch(/^# 127\.0\.0\.1:\d+, \/ready: ok\n# HELP /);
  expect(bundle.files.get('metrics.txt')).toContain('nodejs_heap_size_used_bytes');
});

it('has queues, budgets, tables, migrations, findings and tasks, of which the manifest says what each is', async () => {
  await service.tick('housekeeping');
  await service.owner.query(
    `INSERT INTO call_budget (client_id, environment, api, next_at, blocked_until)
     VALUES ($1, 'sandbox', 'login', service_now(), service_now())`,
    [SECRETS.clientId],
  );
  const bundle = await makeBundle(settings);
  expect(parse(bundle, 'queue.json')).toMatchObject({ documents: { waiting: { documents: 1, queues: 1 } } });
  expect((parse(bundle, 'budget.json') as { budgets: object[] }).budgets).toContainEqual(
    expect.objectContaining({ environment: 'sandbox', api: 'login', failures: 0 }),
  );
  expect(findSecrets(bundle)).toEqual([]);
  expect(parse(bundle, 'tables.json') as object[]).toContainEqual(
    expect.objectContaining({ table: 'document_transaction', totalBytes: expect.any(Number) as number }),
  );
  expect(parse(bundle, 'migrations.json')).toMatchObject({ missing: [], unknown: [] });
  expect(parse(bundle, 'doctor.json') as object[]).toContainEqual(
    expect.objectContaining({ check: 'migrations', result: 'good' }),
  );
  expect((parse(bundle, 'loops.json') as { tasks: object[] }).tasks.length).toBeGreaterThan(0);
  expect(parse(bundle, 'version.json')).toMatchObject({ service: '0.1.0', node: process.version });
  expect(parse(bundle, 'database.json')).toMatchObject({ role: 'einvoice_owner', mayReadAll: false });
  const manifest = (parse(bundle, 'manifest.json') as { files: { path: string; what: string; sha256: string }[] })
    .files;
  expect(manifest.map((file) => file.path)).toEqual([...bundle.files.keys()].slice(1));
  for (const [index, { what, sha256 }] of manifest.entries()) {
    expect(what).not.toBe('');
    expect(sha256).toBe(computeSha256(bundle.bytes[index + 1]));
  }
});

it('shows the value of a harmless setting in its usual form only, and names settings that do not exist', async () => {
  const wrong = { ...settings, PORT: SECRETS.clientSecret, AUTHORITY_SANDBX_URL: SECRETS.clientSecret };
  const bundle = await makeBundle(wrong);
  expect(parse(bundle, 'settings.json')).toMatchObject({
    settings: {
      DATABASE_POOL_SIZE: { isSet: true, value: '10' },
      PORT: { isSet: true, hasUsualForm: false },
      SECRETS_KEY: { isSet: true },
      METRICS_PORT: { isSet: false },
    },
    unknownNames: ['AUTHORITY_SANDBX_URL'],
  });
  // What reads the settings says that they are wrong, without the value.
  expect(parse(bundle, 'doctor.json') as object[]).toContainEqual(
    expect.objectContaining({ check: 'settings', found: 'PORT must be a number from 0 to 65535, not …' }),
  );
  expect(findSecrets(bundle)).toEqual([]);
});

it('knows every setting of .env.example', async () => {
  const names = [...(await readFile('.env.example', 'utf8')).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  const { settings: shown } = parse(await makeBundle(settings), 'settings.json') as { settings: object };
  expect(Object.keys(shown)).toEqual(expect.arrayContaining(names));
});

it('says once which setting is wrong, and has all that does not need it', async () => {
  const bundle = await makeBundle({ ...settings, LOG_LEVEL: 'loud' });
  expect(bundle.out.split('\n').slice(1).filter(Boolean)).toEqual([
    expect.stringMatching(/^ {2}settings\.json: wrong: LOG_LEVEL\b/),
  ]);
  for (const name of ['doctor.json', 'queue.json', 'tables.json', 'activity.json']) {
    expect(bundle.files.get(name), name).not.toContain('not read');
  }
  expect(findSecrets(bundle)).toEqual([]);
});

it('says that a metrics page that was asked for does not respond', async () => {
  const host = `127.0.0.1:${await freePort()}`;
  const bundle = await makeBundle(settings, ['--metrics', host]);
  expect(bundle).toMatchObject({ exitCode: 0 });
  expect(bundle.out).toMatch(new RegExp(`^ {2}metrics\\.txt: ${host}: .*ECONNREFUSED`, 'm'));
  expect(bundle.files.get('metrics.txt')).toMatch(new RegExp(`^# ${host}\n# no response: `));
});

it("keeps the authority's correlation id of a call, by which its support finds it", async () => {
  const log = path.join(folder, 'calls.log');
  const time = new Date().toISOString();
  const message = 'sandbox submit: accepted (202, correlation 0HN7GJ2Q5KQ1B:00000042, 120 ms)';
  const secret = `sandbox submit: accepted (202, correlation ${SECRETS.clientSecret}, 120 ms)`;
  await writeFile(log, [message, secret].map((msg) => JSON.stringify({ level: 20, time, msg })).join('\n'));
  const bundle = await makeBundle(settings, ['--log', log]);
  expect(bundle.files.get('log.jsonl')).toContain('correlation 0HN7GJ2Q5KQ1B:00000042,');
  expect(findSecrets(bundle)).toEqual([]);
});

it('is made without a database, and says so', async () => {
  const url = `postgres://einvoice_owner:${encodeURIComponent(SECRETS.databasePassword)}@127.0.0.1:1/einvoice`;
  const down = await makeBundle({ ...settings, DATABASE_OWNER_URL: url });
  expect(down.exitCode).toBe(0);
  expect(parse(down, 'queue.json')).toEqual({ problem: expect.stringMatching(/^not read: .*ECONNREFUSED/) as string });
  expect(parse(down, 'settings.json')).toMatchObject({ settings: { DATABASE_OWNER_URL: { isSet: true } } });
  expect(findSecrets(down)).toEqual([]);
  const misplaced = service.database.appUrl.replace('einvoice_app', SECRETS.tin);
  const mistaken = await makeBundle({ ...settings, DATABASE_URL: misplaced, DATABASE_DISPATCHER_URL: url });
  expect(parse(mistaken, 'doctor.json') as object[]).toContainEqual(
    expect.objectContaining({
      found: expect.stringMatching(/^DATABASE_URL is refused for its user or password: /) as string,
    }),
  );
  expect(findSecrets(mistaken)).toEqual([]);
  const unknown = await makeBundle({}, [], 'The data cannot be kept');
  expect(parse(unknown, 'tables.json')).toEqual({ problem: 'not read: The data cannot be kept' });
});

// Short, or like a word.
it.each(['Wq9x', 'rahsia-besar'])(
  'has not %s of a password that reads as hosts, because it was not escaped',
  async (part) => {
    const port = await freePort();
    // "," separates hosts, and "/" ends them.
    const url = `postgres://einvoice_owner:${port},${part}/lain@127.0.0.1:${port}/einvoice`;
    const bundle = await makeBundle({ ...settings, DATABASE_OWNER_URL: url });
    const hosts = (parse(bundle, 'doctor.json') as Finding[]).filter(({ check }) => check === 'hosts');
    expect(hosts).toHaveLength(2);
    for (const { result, fix } of hosts) {
      expect(result).toBe('problem');
      expect(fix).toContain('if the server is gone');
    }
    expect([...bundle.files].filter(([, text]) => text.includes(part)).map(([name]) => name)).toEqual([]);
  },
);

it('is for its maker alone, and overwrites no file', async () => {
  const { file } = await makeBundle(settings);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const before = await readFile(file);
  made -= 1;
  const again = await makeBundle(settings);
  expect(again).toMatchObject({ exitCode: 1, error: expect.stringContaining('exists already') as string });
  expect(await readFile(file)).toEqual(before);
});

it('takes nothing of a page that is not metrics, whichever program responds there', async () => {
  const page = createServer((_, response) => response.end(`customers{name="${SECRETS.buyerName}"} 3`));
  await new Promise<void>((resolve) => void page.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void page.close());
  const { port } = page.address() as AddressInfo;
  const bundle = await makeBundle(settings, ['--metrics', `127.0.0.1:${port}`]);
  expect(bundle.files.get('metrics.txt')).toBe(`# 127.0.0.1:${port}\n# a page that is not metrics\n`);
});

it.each(['nowhere', 'http://127.0.0.1:9464', '127.0.0.1:9464/x', ''])(
  'asks no metrics page at %j: that is no HOST:PORT',
  async (address) => {
    const refused = await makeBundle(settings, ['--metrics', address]);
    expect(refused).toMatchObject({ exitCode: 1, error: expect.stringContaining('HOST:PORT') as string });
  },
);
