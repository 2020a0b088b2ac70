import { readFile } from 'node:fs/promises';
import { choosePort } from '../../standalone/ports.js';
import type { Closing } from '../../standalone/program.js';
import { startCompiled } from './program.js';

const MEBIBYTE_KIBIBYTES = 1_024;

export interface ApiProcess {
  /** Base address: `http://HOST:PORT/api`. */
  readonly url: string;
  readonly processId: number;
  /** The most memory that it held at any time; null where the system does not tell. */
  peakResidentMebibytes(): Promise<number | null>;
  stop(): Promise<void>;
}

export interface ApiOptions {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly logFile: string;
  /** The folder of the build, when it is not this one. */
  readonly dist?: string;
  /** In addition to the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The API, with its default log level. */
export async function startApi(closing: Closing, options: ApiOptions): Promise<ApiProcess> {
  const { port } = await choosePort(0);
  const url = `http://127.0.0.1:${port}/api`;
  const program = await startCompiled(closing, {
    program: 'src/processes/api.js',
    dist: options.dist,
    settings: buildSettings(options, port),
    logFile: options.logFile,
    readyUrl: `${url}/health/ready`,
  });
  return {
    url,
    processId: program.processId,
    stop: () => program.stop(),
    peakResidentMebibytes: () => peakResidentMebibytes(program.processId),
  };
}

function buildSettings({ databaseUrl, connections, settings }: ApiOptions, port: number): Record<string, string> {
  return {
    PORT: String(port),
    METRICS_PORT: '0',
    DATABASE_URL: databaseUrl,
    // As many as the floor has.
    DATABASE_POOL_SIZE: String(connections),
    // Accepting and reading never call the authority.
    AUTHORITY_SANDBOX_API_URL: 'http://127.0.0.1:9',
    AUTHORITY_SANDBOX_CLIENT_ID: 'bench',
    AUTHORITY_SANDBOX_CLIENT_SECRET: 'bench',
    SECRETS_KEY: 'a-key-for-benchmarks-of-at-least-32-characters',
    // Counted as everywhere, and never used up: the limits of docs/rules.md#rate-limits are there to stop exactly what a
    // benchmark does.
    RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
    RATE_LIMIT_SUBMITS_PER_MINUTE: '1000000',
    RATE_LIMIT_TIN_CHECKS_PER_MINUTE: '1000000',
    RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE: '1000000',
    ...settings,
  };
}

async function peakResidentMebibytes(processId: number): Promise<number | null> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return kibibytes === undefined ? null : Number(kibibytes) / MEBIBYTE_KIBIBYTES;
}
