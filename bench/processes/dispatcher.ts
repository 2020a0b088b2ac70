import path from 'node:path';
import { choosePort } from '../../standalone/ports.js';
import type { Closing } from '../../standalone/program.js';
import type { Program } from '../../test/support/program.js';
import { startCompiled } from './program.js';

/** The authority's stand-in with its usual delays and no call limits. */
export async function startSimulator(closing: Closing, directory: string): Promise<Program & { readonly url: string }> {
  const { port } = await choosePort(0);
  const url = `http://127.0.0.1:${port}`;
  const program = await startCompiled(closing, {
    program: 'simulator/main.js',
    // The notes of the content refer to invoices that it has never seen.
    parameters: ['--port', String(port), '--unknown-parents', 'accepted'],
    logFile: path.join(directory, 'simulator.log'),
    readyUrl: `${url}/_control/settings`,
  });
  return Object.assign(program, { url });
}

export interface DispatcherOptions {
  readonly directory: string;
  readonly databaseUrl: string;
  readonly authorityUrl: string;
  /** The folder of the build, when it is not this one. */
  readonly dist?: string;
  /** In addition to the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The dispatcher with its default log level, connections and times. */
export async function startDispatcher(
  closing: Closing,
  { directory, databaseUrl, authorityUrl, dist, settings }: DispatcherOptions,
): Promise<Program> {
  const { port } = await choosePort(0);
  return startCompiled(closing, {
    program: 'src/processes/dispatcher.js',
    dist,
    settings: {
      METRICS_PORT: String(port),
      DATABASE_DISPATCHER_URL: databaseUrl,
      AUTHORITY_SANDBOX_API_URL: authorityUrl,
      AUTHORITY_SANDBOX_CLIENT_ID: 'bench',
      AUTHORITY_SANDBOX_CLIENT_SECRET: 'bench',
      AUTHORITY_SANDBOX_RATE_FACTOR: '0',
      SECRETS_KEY: 'a-key-for-benchmarks-of-at-least-32-characters',
      ...settings,
    },
    logFile: path.join(directory, 'dispatcher.log'),
    readyUrl: `http://127.0.0.1:${port}/ready`,
  });
}
