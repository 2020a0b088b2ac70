import type { AddressInfo } from 'node:net';
import { startSimulator } from '../simulator/simulator.js';
import { createApi } from '../src/api.js';
import { serveMetrics } from '../src/common/metrics.js';
import { type Configuration, readConfiguration } from '../src/config/configuration.js';
import { createDispatcher } from '../src/dispatcher-application.js';
import { migrate } from '../src/migrate.js';
import { openDataFolder, rotateLog, type DataFolder } from './data-folder.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import type { Closing } from './program.js';
import {
  databaseSettings,
  environment,
  isSet,
  simulatorSettings,
  usesEmbeddedDatabase,
  usesSimulator,
} from './settings.js';

const SIMULATOR_PORT = 4010;

/** Everything on one machine, running. */
export interface StandaloneService {
  readonly folder: DataFolder;
  /** Base address of the interface: `http://HOST:PORT/api`. */
  readonly apiUrl: string;
  /** Settings that the service runs with, the embedded parts filled in. */
  readonly settings: NodeJS.ProcessEnv;
}

/**
 * Starts what the settings do not name (database, simulator) and then the API and the dispatcher, and prints where each
 * of them is. Whatever was started is in `closing`, in an order that its reverse closes cleanly.
 */
export async function startService(closing: Closing): Promise<StandaloneService> {
  const folder = await openDataFolder(environment);
  const settings = { ...environment };
  Object.assign(settings, await startDatabase(closing, folder));
  Object.assign(settings, await startAuthority(closing));
  await rotateLog(folder.serviceLog);
  const dispatcher = readConfiguration('dispatcher', settings);
  const api = readConfiguration('api', settings);
  await closing.add(await createDispatcher(dispatcher, { logFile: folder.serviceLog }));
  const apiUrl = await startApi(closing, api, folder);
  const metricsUrl = await startMetrics(closing, api.metricsPort);
  console.log(`API         ${apiUrl}`);
  console.log(`Dashboard   ${dashboardUrl(apiUrl)}`);
  console.log(`Reference   ${apiUrl}/docs`);
  console.log(`Metrics     ${metricsUrl}`);
  console.log(`Log         ${folder.serviceLog}`);
  return { folder, apiUrl, settings };
}

/** Where the pages are, beside the API. */
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

async function startAuthority(closing: Closing): Promise<NodeJS.ProcessEnv> {
  if (!usesSimulator()) {
    console.log(`Authority   ${environment.AUTHORITY_SANDBOX_API_URL} (sandbox)`);
    return {};
  }
  const simulator = await onPort(SIMULATOR_PORT, 'simulator', (port) => startSimulator({ port }));
  await closing.add({ close: () => simulator.close() });
  console.log(`Authority   ${simulator.url} (simulator: nothing leaves this machine)`);
  return simulatorSettings(simulator.url);
}

async function startApi(closing: Closing, wanted: Configuration, folder: DataFolder): Promise<string> {
  const api = await createApi(wanted, { logFile: folder.serviceLog });
  await closing.add(api);
  const port = await onPort(wanted.port, 'API', async (each) => {
    await api.listen(each, wanted.host);
    return (api.getHttpServer().address() as AddressInfo).port;
  });
  const host = wanted.host === '0.0.0.0' || wanted.host === '::' ? '127.0.0.1' : wanted.host;
  return `http://${host}:${port}/api`;
}

async function startMetrics(closing: Closing, wanted: number): Promise<string> {
  const metrics = await onPort(wanted, 'metrics page', serveMetrics);
  await closing.add({ close: () => metrics.close() });
  return metrics.url;
}

/** What listens on the wanted port, or on any free one when that is taken, which is printed. */
async function onPort<T>(wanted: number, what: string, open: (port: number) => Promise<T>): Promise<T> {
  try {
    return await open(wanted);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ['EADDRINUSE', 'EACCES'].includes(String(error.code)))) {
      throw error;
    }
    const opened = await open(0);
    console.log(`Port ${wanted} is taken, so the ${what} is on another one this time.`);
    return opened;
  }
}
