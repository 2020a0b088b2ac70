import { readFileSync } from 'node:fs';
import path from 'node:path';
import { NO_RATE_LIMITS } from './no-rate-limits.js';
import { freePort } from './ports.js';
import type { DatabaseRole } from './postgres.js';
import { type Program, REPOSITORY, startProgram, untilReady } from './program.js';

/** What the processes are at the authority. */
export const CLIENT_ID = 'test-client';

/** A program that has an address; an API's is `http://HOST:PORT/api`. */
export type StartedServer = Program & { readonly url: string };

type Settings = Readonly<Record<string, string>>;

/** As `npm run start:api` has it, and docs/operations.md#processes. */
const HEAP_LIMIT = '--max-old-space-size=512';

/** A program of the build, as an operator runs it. */
function startBuilt(file: string, settings: Settings, parameters: readonly string[] = [], redirection = ''): Program {
  return startProgram([path.join(REPOSITORY, 'dist', file), ...parameters], settings, redirectOutput(redirection));
}

interface Redirected {
  /** Where a shell sends the output instead of to the test, such as `>FILE 2>&1`. */
  readonly redirection?: string;
}

function redirectOutput(redirection: string): { readonly prefix: readonly string[] } {
  return { prefix: redirection === '' ? [] : ['sh', '-c', `exec "$@" ${redirection}`, 'sh'] };
}

/** The API; ready when it says so itself. Every setting that it needs is in `settings`, but its ports. */
export async function startApiProcess(
  settings: Settings,
  { redirection = '' }: Redirected = {},
): Promise<StartedServer & { readonly metricsUrl: string }> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const file = path.join(REPOSITORY, 'dist/src/processes/api.js');
  const program = startProgram([HEAP_LIMIT, file], { ...settings, ...ports }, redirectOutput(redirection));
  const url = `http://127.0.0.1:${port}/api`;
  await untilReady(program, `${url}/health/ready`);
  return Object.assign(program, { url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` });
}

/** The most memory that a process has had so far. */
export function readPeakMegabytes({ processId }: Program): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
  return (Number(kibibytes) * 1_024) / 1_000_000;
}

/**
 * The dispatcher, or a file of the build that is one with more in it. With `isReady` false it is not waited for: one that
 * is to die early never becomes ready. Its `url` has `/metrics`, `/live` and `/ready`.
 */
export async function startDispatcherProcess(
  settings: Settings,
  {
    isReady = true,
    file = 'src/processes/dispatcher.js',
    redirection,
  }: Redirected & { readonly isReady?: boolean; readonly file?: string } = {},
): Promise<StartedServer> {
  const port = await freePort();
  const program = startBuilt(file, { ...settings, METRICS_PORT: String(port) }, [], redirection);
  const url = `http://127.0.0.1:${port}`;
  if (isReady) await untilReady(program, `${url}/ready`);
  return Object.assign(program, { url });
}

/** The authority's stand-in as a process that is its own; `options` as on its command line, such as `--duplicate-rules`. */
export async function startSimulatorProcess(options: Settings = {}): Promise<StartedServer> {
  const port = await freePort();
  const program = startBuilt('simulator/main.js', {}, ['--port', String(port), ...Object.entries(options).flat()]);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(program, `${url}/_control/settings`);
  return Object.assign(program, { url });
}

/** The settings that both processes need, with the dispatcher's times in seconds and no call limits. */
export function buildSettings(addressOf: (role: DatabaseRole) => string, simulatorUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'test',
    DATABASE_URL: addressOf('einvoice_app'),
    DATABASE_DISPATCHER_URL: addressOf('einvoice_dispatcher'),
    AUTHORITY_SANDBOX_API_URL: simulatorUrl,
    AUTHORITY_SANDBOX_CLIENT_ID: CLIENT_ID,
    AUTHORITY_SANDBOX_CLIENT_SECRET: 'test-secret',
    AUTHORITY_SANDBOX_RATE_FACTOR: '0',
    SECRETS_KEY: 'a-key-for-tests-of-at-least-32-characters',
    AUTHORITY_DEADLINE_SECONDS: '2',
    DISPATCH_LEASE_SECONDS: '4',
    RECONCILE_GRACE_SECONDS: '1',
    RECONCILE_SECOND_LOOK_SECONDS: '1',
    LOG_LEVEL: 'info',
    // Tests say what an organisation has.
    SIGN_UP_SANDBOX_CREDITS: '0',
    ...NO_RATE_LIMITS,
  };
}
