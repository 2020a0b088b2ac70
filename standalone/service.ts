import type { AddressInfo } from 'node:net';
import { type ClockFollower, startSimulator } from '../simulator/simulator.js';
import { createApi, LISTEN_BACKLOG, stopApi } from '../src/processes/api-application.js';
import { type Readiness, serveMetrics } from '../src/common/metrics-page.js';
import { type Configuration, readConfiguration } from '../src/config/configuration.js';
import { ReadinessService } from '../src/dispatcher/monitoring/readiness.service.js';
import { createDispatcher } from '../src/processes/dispatcher-application.js';
import { migrate } from '../src/processes/migrate.js';
import { openDataFolder, prepareLog, type DataFolder } from './data-folder.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import type { Closing } from './program.js';
import { openServiceClock } from './service-clock.js';
import {
  databaseSettings,
  environment,
  isSet,
  realEnvironments,
  refuseStandInsInProduction,
  simulatorSettings,
  usesEmbeddedDatabase,
  usesSimulator,
} from './settings.js';

const SIMULATOR_PORT = 4010;

export const SHUTDOWN_MESSAGES = {
  stopping: 'Stopping; a second Ctrl-C does not wait.',
  stopped: 'Stopped. The data stay; the next start continues with them.',
};

export interface StandaloneService {
  readonly folder: DataFolder;
  /** Base address of the interface: `http://HOST:PORT/api`. */
  readonly apiUrl: string;
  /** Settings of the service, including those for the embedded parts. */
  readonly settings: NodeJS.ProcessEnv;
}

/**
 * Starts the database and the simulator unless the settings configure others, and then the API and the dispatcher.
 * Prints the address of each part and registers it in `closing`.
 */
export async function startService(closing: Closing): Promise<StandaloneService> {
  refuseStandInsInProduction();
  const folder = await openDataFolder(environment);
  const settings = { ...environment };
  const database = await startDatabase(closing, folder);
  Object.assign(settings, database);
  const clock = await openClock(database, folder);
  Object.assign(settings, await startAuthority(closing, folder, clock));
  await prepareLog(folder.serviceLog);
  const dispatcher = readConfiguration('dispatcher', settings);
  const api = readConfiguration('api', settings);
  const loops = await createDispatcher(dispatcher, { logFile: folder.serviceLog });
  await closing.add(loops);
  const apiUrl = await startApi(closing, api, folder);
  const metricsUrl = await startMetrics(closing, api.metricsPort, () => loops.get(ReadinessService).read());
  console.log(`API         ${apiUrl}`);
  console.log(`Dashboard   ${dashboardUrl(apiUrl)}`);
  console.log(`Docs        ${apiUrl.replace(/\/api$/, '')}/docs`);
  console.log(`Metrics     ${metricsUrl}`);
  console.log(`Log         ${folder.serviceLog}`);
  return { folder, apiUrl, settings };
}

export function dashboardUrl(apiUrl: string): string {
  return new URL('/dashboard/', apiUrl).href;
}

async function startDatabase(closing: Closing, folder: DataFolder): Promise<NodeJS.ProcessEnv> {
  if (!usesEmbeddedDatabase()) {
    if (isSet('DATABASE_OWNER_URL')) await migrate(environment.DATABASE_OWNER_URL ?? '');
    console.log('Database    as set in DATABASE_URL');
    return {};
  }
  const database = await openEmbeddedDatabase(folder, 'service');
  await closing.add(database);
  void database.lost.then(() => closing.fail(`PostgreSQL has stopped by itself; its log is ${folder.postgres}.log`));
  console.log(`Database    PostgreSQL on port ${database.port}, data in ${folder.path}`);
  return databaseSettings(database, folder);
}

/**
 * Returns the clock that follows the simulator's clock. It exists only with the embedded database and if no documents
 * are sent to the real authority.
 * @throws Error if the clock was moved and documents would be sent to the real authority with its time
 */
async function openClock(database: NodeJS.ProcessEnv, folder: DataFolder): Promise<ClockFollower | undefined> {
  if (database.DATABASE_OWNER_URL === undefined) return undefined;
  const clock = await openServiceClock(database.DATABASE_OWNER_URL);
  const real = realEnvironments();
  if (real.length === 0) return clock;
  if (clock.offsetMs === 0) return undefined;
  throw new Error(
    `The clock of the data in ${folder.path} is ${formatHours(clock.offsetMs)} ahead, moved for the simulator, and documents of ` +
      `${real.join(' and ')} would carry its time to the authority: give this service its own folder, as with ` +
      'DATA_DIR=.data2 npm start',
  );
}

function formatHours(offsetMs: number): string {
  return `${Math.round(offsetMs / 36_000) / 100} hours`;
}

async function startAuthority(
  closing: Closing,
  folder: DataFolder,
  follower: ClockFollower | undefined,
): Promise<NodeJS.ProcessEnv> {
  if (!usesSimulator()) {
    console.log(`Authority   ${environment.AUTHORITY_SANDBOX_API_URL} (sandbox)`);
    return {};
  }
  const simulator = await onPort({ port: SIMULATOR_PORT, what: 'simulator' }, (port) =>
    startSimulator({ port, folder: folder.simulator, follower }),
  );
  await closing.add({ close: () => simulator.close() });
  console.log(`Authority   ${simulator.url} (simulator: no data leaves this machine)`);
  if (simulator.clockOffsetMs > 0) {
    const whose = follower ? "the simulator's and the service's" : "the simulator's alone";
    console.log(`Clock       ${formatHours(simulator.clockOffsetMs)} ahead, ${whose}: it was moved`);
  }
  return simulatorSettings(simulator.url);
}

async function startApi(closing: Closing, wanted: Configuration, folder: DataFolder): Promise<string> {
  const api = await createApi(wanted, { logFile: folder.serviceLog });
  let isListening = false;
  await closing.add({ close: () => (isListening ? stopApi(api) : api.close()) });
  const port = await onPort({ port: wanted.port, what: 'API', setting: 'PORT' }, async (each) => {
    await api.listen({ port: each, host: wanted.host, backlog: LISTEN_BACKLOG });
    isListening = true;
    return (api.getHttpServer().address() as AddressInfo).port;
  });
  const host = wanted.host === '0.0.0.0' || wanted.host === '::' ? '127.0.0.1' : wanted.host;
  return `http://${host}:${port}/api`;
}

// The metrics page includes the dispatcher's readiness. The API's readiness is at /api/health/ready.
async function startMetrics(
  closing: Closing,
  wanted: number,
  readReadiness: () => Promise<Readiness>,
): Promise<string> {
  const metrics = await onPort({ port: wanted, what: 'metrics page', setting: 'METRICS_PORT' }, (port) =>
    serveMetrics(port, { readReadiness }),
  );
  await closing.add({ close: () => metrics.close() });
  return metrics.url;
}

interface WantedPort {
  readonly port: number;
  readonly what: string;
  /** Setting for this port. If it is set, no other port is used, because clients rely on it. */
  readonly setting?: string;
}

/**
 * Uses the preferred port. If that port is in use, uses a free one and prints a message.
 * @throws Error if the port is in use and was explicitly set
 */
async function onPort<T>({ port, what, setting }: WantedPort, open: (port: number) => Promise<T>): Promise<T> {
  try {
    return await open(port);
  } catch (error) {
    const reason = REFUSED_PORTS[error instanceof Error && 'code' in error ? String(error.code) : ''];
    if (reason === undefined) throw error;
    if (setting !== undefined && isSet(setting)) {
      throw new Error(
        `Port ${port} ${reason}, and ${setting} asks for it for the ${what}: free it, set ${setting} to another one, or ` +
          'unset it to take any that is free',
        { cause: error },
      );
    }
    const opened = await open(0);
    console.log(`Port ${port} ${reason}, so the ${what} is on another one this time.`);
    return opened;
  }
}

const REFUSED_PORTS: Readonly<Record<string, string | undefined>> = {
  EADDRINUSE: 'is taken',
  EACCES: 'may not be opened by this user',
};
