import { readConfiguration } from '../../src/config/configuration.js';
import type { Extension } from '../../src/extensions/extensions.js';
import { DispatcherModule } from '../../src/processes/dispatcher.module.js';
import { createLoops, tickLoop } from '../support/loops.js';
import type { TestService } from '../support/service.js';

/** An additional dispatcher on the service's database. */
export interface DispatcherReplica {
  /** Runs one tick of the named loop and returns its amount of work. */
  tick(name: string): Promise<number>;
  close(): Promise<void>;
}

/** Settings of a dispatcher on the service's database, with the authority at `authorityUrl`. */
export function dispatcherSettings(
  service: TestService,
  authorityUrl: string,
  settings: Record<string, string> = {},
): Record<string, string> {
  return {
    DATABASE_DISPATCHER_URL: service.database.dispatcherUrl,
    AUTHORITY_SANDBOX_API_URL: authorityUrl,
    AUTHORITY_SANDBOX_CLIENT_ID: 'test-client-sandbox',
    AUTHORITY_SANDBOX_CLIENT_SECRET: 'test-secret',
    AUTHORITY_SANDBOX_RATE_FACTOR: '0',
    AUTHORITY_DEADLINE_SECONDS: '3',
    DISPATCH_LEASE_SECONDS: '10',
    SECRETS_KEY: 'a-key-for-tests-of-at-least-32-characters',
    LOG_LEVEL: 'silent',
    ...settings,
  };
}

/** A replica whose loops are run by the test. */
export async function startReplica(
  settings: Record<string, string>,
  extensions?: readonly Extension[],
): Promise<DispatcherReplica> {
  const application = await createLoops(
    DispatcherModule.forRoot(readConfiguration('dispatcher', settings), extensions),
  );
  return {
    tick: (name) => tickLoop(application, name),
    close: () => application.close(),
  };
}
