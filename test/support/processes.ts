import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { NO_RATE_LIMITS } from './no-rate-limits.js';
import { freePort } from './ports.js';
import type { DatabaseRole } from './postgres.js';
import { type Program, REPOSITORY, startProgram, untilReady } from './program.js';

export const CLIENT_ID = 'test-client';

/** Program that listens on a URL. The URL of an API ends with `/api`. */
export type StartedServer = Program & { readonly url: string };

type Settings = Readonly<Record<string, string>>;

/** Recommended heap limit (docs/operations.md). */
export const HEAP_LIMIT = '--max-old-space-size=512';

interface ProcessOptions {
  /** Path in `dist`, or absolute path of a file in another build. */
  readonly file?: string;
  readonly logFile?: string;
  /** Shell redirection of the output, such as `>FILE 2>&1`. */
  readonly redirection?: string;
}

/** Starts a program of the build with the heap limit of an operator. */
function startBuilt(
  words: readonly string[],
  settings: Settings,
  { file = '', redirection, logFile }: ProcessOptions,
): Program {
  const prefix = redirection ? ['sh', '-c', `exec "$@" ${redirection}`, 'sh'] : [];
  const command = [HEAP_LIMIT, path.resolve(REPOSITORY, 'dist', file), ...words];
  return startProgram(command, settings, { prefix, logFile });
}

/** Starts the API and waits until it is ready. `settings` contains all settings except the ports. */
export async function startApiProcess(
  settings: Settings,
  options: ProcessOptions = {},
): Promise<StartedServer & { readonly metricsUrl: string }> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const program = startBuilt([], { ...settings, ...ports }, { file: 'src/processes/api.js', ...options });
  const url = `http://127.0.0.1:${port}/api`;
  await untilReady(program, `${url}/health/ready`);
  return Object.assign(program, { url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` });
}

/**
 * Starts the dispatcher, or another `file` that adds consumers to it. Waits for its readiness unless `isReady` is
 * false. `url` serves `/metrics`, `/live` and `/ready`.
 */
export async function startDispatcherProcess(
  settings: Settings,
  { isReady = true, ...options }: ProcessOptions & { readonly isReady?: boolean } = {},
): Promise<StartedServer> {
  const port = await freePort();
  const ports = { METRICS_PORT: String(port) };
  const program = startBuilt([], { ...settings, ...ports }, { file: 'src/processes/dispatcher.js', ...options });
  const url = `http://127.0.0.1:${port}`;
  if (isReady) await untilReady(program, `${url}/ready`);
  return Object.assign(program, { url });
}

/** Starts the simulator. `parameters` are command-line options such as `--duplicate-rules`. */
export async function startSimulatorProcess(
  parameters: Settings = {},
  options: ProcessOptions = {},
): Promise<StartedServer> {
  const port = await freePort();
  const words = ['--port', String(port), ...Object.entries(parameters).flat()];
  const program = startBuilt(words, {}, { file: 'simulator/main.js', ...options });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(program, `${url}/_control/settings`);
  return Object.assign(program, { url });
}

/** Sends a control call to the simulator (docs/simulator.md). */
export async function controlSimulator(url: string, name: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}/_control/${name}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`Control call ${name}: ${response.status} ${await response.text()}`);
  return response.json().catch(() => null);
}

/** Returns the peak memory of a process, or NaN if it is unknown. */
export function readPeakBytes({ processId }: Program): number {
  const file = `/proc/${processId}/status`;
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(existsSync(file) ? readFileSync(file, 'utf8') : '') ?? [];
  return Number(kibibytes) * 1_024;
}

/** Builds the settings of API and dispatcher with short timeouts and without call limits. */
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
    // Tests grant credits themselves.
    SIGN_UP_SANDBOX_CREDITS: '0',
    ...NO_RATE_LIMITS,
  };
}
