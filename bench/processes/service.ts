import path from 'node:path';
import type { Closing } from '../../standalone/program.js';
import {
  startApiProcess,
  startDispatcherProcess,
  type StartedServer,
  startSimulatorProcess,
} from '../../test/support/processes.js';

// Does not set NODE_ENV to production, because the service would refuse the simulator.
const SETTINGS = {
  AUTHORITY_SANDBOX_CLIENT_ID: 'bench',
  AUTHORITY_SANDBOX_CLIENT_SECRET: 'bench',
  SECRETS_KEY: 'a-key-for-benchmarks-of-at-least-32-characters',
};

interface ServiceOptions {
  readonly databaseUrl: string;
  /** `dist` folder of the build. */
  readonly dist: string;
}

export interface ApiOptions extends ServiceOptions {
  readonly connections: number;
  readonly logFile: string;
}

export function startApi(
  closing: Closing,
  { databaseUrl, connections, logFile, dist }: ApiOptions,
): Promise<StartedServer> {
  const api = startApiProcess(
    {
      ...SETTINGS,
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: String(connections),
      // The measured requests never call the authority.
      AUTHORITY_SANDBOX_API_URL: 'http://127.0.0.1:9',
      // The limits of docs/rules.md#rate-limits would stop a benchmark. The service still counts each request.
      RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
      RATE_LIMIT_SUBMITS_PER_MINUTE: '1000000',
      RATE_LIMIT_TIN_CHECKS_PER_MINUTE: '1000000',
      RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE: '1000000',
    },
    { logFile, file: path.join(dist, 'src/processes/api.js') },
  );
  return closeWith(closing, api);
}

/** Starts the simulator with its usual delays and no call limits. */
export function startSimulator(closing: Closing, directory: string): Promise<StartedServer> {
  // The generated notes refer to invoices that the simulator has never received.
  const parameters = { '--unknown-parents': 'accepted' };
  return closeWith(closing, startSimulatorProcess(parameters, { logFile: path.join(directory, 'simulator.log') }));
}

export interface DispatcherOptions extends ServiceOptions {
  readonly directory: string;
  readonly authorityUrl: string;
}

export function startDispatcher(
  closing: Closing,
  { directory, databaseUrl, authorityUrl, dist }: DispatcherOptions,
): Promise<StartedServer> {
  const dispatcher = startDispatcherProcess(
    {
      ...SETTINGS,
      DATABASE_DISPATCHER_URL: databaseUrl,
      AUTHORITY_SANDBOX_API_URL: authorityUrl,
      AUTHORITY_SANDBOX_RATE_FACTOR: '0',
    },
    { logFile: path.join(directory, 'dispatcher.log'), file: path.join(dist, 'src/processes/dispatcher.js') },
  );
  return closeWith(closing, dispatcher);
}

async function closeWith(closing: Closing, starting: Promise<StartedServer>): Promise<StartedServer> {
  const program = await starting;
  await closing.add({ close: () => program.stop() });
  return program;
}
