import type { AddressInfo } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource, type QueryRunner } from 'typeorm';
import { inject } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.js';
import type { SimulatorSettings } from '../../simulator/settings.js';
import { createApi } from '../../src/processes/api-application.js';
import { readConfiguration } from '../../src/config/configuration.js';
import type { Environment } from '../../src/config/environment.js';
import { createDataSource } from '../../src/database/data-source.js';
import { MovableClock9000000000000 } from '../../src/database/movable-clock.js';
import type { Extension } from '../../src/extensions/extensions.js';
import { EXTENSIONS, listMigrations } from '../../src/extensions/registered-extensions.js';
import { DispatcherModule } from '../../src/processes/dispatcher.module.js';
import { migrate } from '../../src/processes/migrate.js';
import { createEmptyDatabase, createTestDatabase, deleteAllRows, type TestDatabase } from './database.js';
import { createLoops, registeredLoops, tickLoop } from './loops.js';
import { NO_RATE_LIMITS } from './no-rate-limits.js';
import { controlSimulator } from './processes.js';
import { until } from './until.js';

export interface ServiceOptions {
  /** Replaces settings of the simulator. `checkTotals` is on by default. */
  readonly simulator?: Partial<SimulatorSettings>;
  /** Served environments, which share one simulator. The default is the sandbox. */
  readonly environments?: readonly Environment[];
  /** Environment variables of the service. */
  readonly environment?: Record<string, string>;
  /** Replaces the extensions of src/extensions/extensions.ts. */
  readonly extensions?: readonly Extension[];
}

export interface WireLogEntry {
  readonly sequence: number;
  /** SHA-256 of the document's raw bytes. */
  readonly sha256: string;
  readonly number: string;
  readonly type: string;
  readonly supplierTin: string;
  readonly submissionUid: string;
  readonly uuid: string;
}

/**
 * API, dispatcher and simulator on a separate database. Tests run the dispatcher's loops tick by tick and move the
 * clock instead of waiting.
 */
export class TestService {
  private constructor(
    readonly simulator: Simulator,
    readonly database: TestDatabase,
    /** Connection of the owner of the tables, which bypasses row-level security. */
    readonly owner: DataSource,
    readonly settings: Readonly<Record<string, string>>,
    private readonly extensions: readonly Extension[],
    private processes: Processes,
  ) {}

  get url(): string {
    return this.processes.url;
  }

  get api(): NestFastifyApplication {
    return this.processes.api;
  }

  get loops(): string[] {
    return [...this.roundsOf.keys()];
  }

  /** Interval of each loop in rounds of `settle`. */
  private get roundsOf(): Map<string, number> {
    const { api, dispatcher } = this.processes;
    const loops = [api, dispatcher].flatMap((process) => registeredLoops(process));
    return new Map(loops.map(({ name, intervalMs }) => [name, Math.ceil(intervalMs / 1_000 / ROUND_SECONDS)]));
  }

  static async start(options: ServiceOptions = {}): Promise<TestService> {
    const { extensions = EXTENSIONS } = options;
    // The template database contains the migrations of the registered extensions only.
    const isOther = extensions !== EXTENSIONS;
    const database = await (isOther && EXTENSIONS.length > 0 ? createEmptyDatabase() : createTestDatabase());
    const simulator = await startSimulator({ port: 0, settings: { checkTotals: true, ...options.simulator } });
    const owner = await createDataSource({ url: database.ownerUrl, poolSize: 5, applicationName: 'test' }).initialize();
    const served = options.environments ?? ['sandbox'];
    const environment = {
      ...settingsFor(database),
      ...Object.assign({}, ...served.map((name) => authoritySettingsFor(name, simulator))),
      ...options.environment,
    };
    if (isOther) await migrate(database.ownerUrl, [...listMigrations(extensions), MovableClock9000000000000]);
    const processes = await startProcesses(environment, extensions);
    return new TestService(simulator, database, owner, environment, extensions, processes);
  }

  /** Restarts API and dispatcher, which lose all state outside the database. */
  async restart(): Promise<void> {
    await this.stopProcesses();
    this.processes = await startProcesses(this.settings, this.extensions);
  }

  /**
   * Deletes all data, resets clocks and simulator, and restarts the dispatcher. The API keeps running, so that a reset
   * takes a third of the time of a new service.
   */
  async reset(): Promise<void> {
    await this.processes.dispatcher.close();
    await deleteAllRows(this.database.superuserUrl);
    const runner = this.owner.createQueryRunner();
    await new MovableClock9000000000000().up(runner);
    await runner.release();
    await this.control('reset', {});
    this.processes = { ...this.processes, dispatcher: await startDispatcher(this.settings, this.extensions) };
  }

  private async stopProcesses(): Promise<void> {
    await this.processes.api.close();
    await this.processes.dispatcher.close();
  }

  async stop(): Promise<void> {
    await this.stopProcesses();
    await this.simulator.close();
    await this.owner.destroy();
    await this.database.drop();
  }

  /** Runs one tick of a loop in each process that has the loop. Returns the sum of their results. */
  async tick(loop: string): Promise<number> {
    const { api, dispatcher } = this.processes;
    const has = (process: INestApplicationContext): boolean =>
      registeredLoops(process).some(({ name }) => name === loop);
    // If no process has the loop, tickLoop() throws.
    const owners = has(api) && has(dispatcher) ? [api, dispatcher] : [has(api) ? api : dispatcher];
    const done = await Promise.all(owners.map((process) => tickLoop(process, loop)));
    return done.reduce((sum, each) => sum + each, 0);
  }

  /** Advances the clocks of the service and of the simulator. */
  async advance(seconds: number): Promise<void> {
    await this.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
    await this.control('clock', { advanceSeconds: seconds });
  }

  /** Advances the clocks to noon in Malaysia, so that the date does not change during a test. */
  async advanceToNoon(): Promise<void> {
    const [{ seconds }] = await this.owner.query<{ seconds: number }[]>(SECONDS_TO_NOON);
    await this.advance(seconds);
  }

  /** Stops the service's clock, so that a test stays within one minute. `advance` still moves it. */
  async stopClock(): Promise<void> {
    await stopClock(this.owner);
  }

  /** Sends a control call to the simulator (docs/simulator.md#reserved-document-numbers). */
  control(name: string, body: object): Promise<unknown> {
    return controlSimulator(this.simulator.url, name, body);
  }

  /** Lists all documents that the authority accepted, in order. */
  async wireLog(): Promise<WireLogEntry[]> {
    const response = await fetch(`${this.simulator.url}/_control/wire-log?after=0`);
    return (await response.json()) as WireLogEntry[];
  }

  /**
   * Waits until a connection is blocked by a lock of this database transaction.
   * @returns the process id of the blocked connection
   */
  async blockedBy(holder: QueryRunner): Promise<number> {
    const [{ pid }] = (await holder.query('SELECT pg_backend_pid() AS pid')) as { pid: number }[];
    const waiting = `SELECT pid FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))`;
    let blocked: { pid: number }[] = [];
    await until('a call waits for the lock', async () => {
      blocked = await this.owner.query<{ pid: number }[]>(waiting, [pid]);
      return blocked.length > 0;
    });
    return blocked[0].pid;
  }

  /** Runs the loops at their intervals while advancing the clocks, until no loop has work left. */
  async settle(): Promise<void> {
    const loops = [...this.roundsOf];
    let busy: string[] = [];
    let seconds = ROUND_SECONDS;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      busy = await this.tickAll(loops.filter(([, rounds]) => round % rounds === 0));
      if (busy.length === 0 && !(await this.isMoving())) {
        busy = await this.tickAll(loops.filter(([, rounds]) => round % rounds !== 0));
        if (busy.length === 0) return;
      }
      // While the loops only wait, the waits become longer.
      seconds = busy.length === 0 ? Math.min(2 * seconds, ROUND_SECONDS_MAX) : ROUND_SECONDS;
      await this.advance(seconds);
    }
    const states = JSON.stringify(await this.owner.query(STATES));
    throw new Error(`The dispatcher did not come to rest: ${busy.join(' ') || 'no loop'} had work; ${states}`);
  }

  /** Runs one tick of each loop, one after the other. Returns the names of the loops that did work. */
  private async tickAll(loops: readonly (readonly [name: string, rounds: number])[]): Promise<string[]> {
    const busy: string[] = [];
    for (const [name] of loops) if ((await this.tick(name)) > 0) busy.push(name);
    return busy;
  }

  private async isMoving(): Promise<boolean> {
    const [{ moving }] = await this.owner.query<{ moving: boolean }[]>(
      `SELECT EXISTS (SELECT FROM document_transaction
                       WHERE submission_status IN ('Queued', 'Processing') OR authority_status = 'Submitted')
           OR EXISTS (SELECT FROM document_cancellation WHERE status IN ('Queued', 'Processing')) AS moving`,
    );
    return moving;
  }
}

const SECONDS_TO_NOON = /* sql */ `
  SELECT extract(epoch FROM date_trunc('day', local) + interval '36 hours' - local)::float8 AS seconds
    FROM (SELECT service_now() AT TIME ZONE 'Asia/Kuala_Lumpur' AS local) now`;

/** Stops the clock of a service's database. Its offset can still be changed. */
export async function stopClock(owner: DataSource): Promise<void> {
  await owner.query(STOP_CLOCK);
}

const STOP_CLOCK = /* sql */ `
  DO $do$
  BEGIN
    EXECUTE format($function$
      CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz
      LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
      BEGIN
        RETURN %L::timestamptz + make_interval(secs => (SELECT offset_seconds FROM service_clock));
      END $$
    $function$, date_trunc('milliseconds', clock_timestamp()));
  END $do$`;

/** Database state for the error of `settle`. */
const STATES = /* sql */ `
  SELECT environment, submission_status, authority_status, count(*)::int AS documents, min(due_at) AS due_at, service_now() AS now,
         (SELECT json_agg(q) FROM tenant_queue q) AS "tenantQueues", (SELECT json_agg(b) FROM call_budget b) AS "callBudgets"
    FROM document_transaction GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;

const ROUNDS_MAX = 60;
const ROUND_SECONDS = 5;
const ROUND_SECONDS_MAX = 40;

function settingsFor(database: TestDatabase): Record<string, string> {
  return {
    DATABASE_URL: throughPooler(database.appUrl),
    DATABASE_DISPATCHER_URL: throughPooler(database.dispatcherUrl),
    DATABASE_OPERATOR_URL: throughPooler(database.operatorUrl),
    DATABASE_PREPARED_STATEMENTS: inject('preparedStatements') ?? 'on',
    AUTHORITY_DEADLINE_SECONDS: '3',
    DISPATCH_LEASE_SECONDS: '10',
    SECRETS_KEY: 'a-key-for-tests-of-at-least-32-characters',
    LOG_LEVEL: 'silent',
    // Tests grant credits themselves.
    SIGN_UP_SANDBOX_CREDITS: '0',
    ...NO_RATE_LIMITS,
  };
}

/** Returns the URL of the same database through PgBouncer if the run has one (`npm run check -- pgbouncer`). */
function throughPooler(url: string): string {
  const address = new URL(url);
  address.port = String(inject('poolerPort') ?? address.port);
  return address.href;
}

function authoritySettingsFor(environment: Environment, simulator: Simulator): Record<string, string> {
  const prefix = `AUTHORITY_${environment.toUpperCase()}`;
  return {
    [`${prefix}_API_URL`]: simulator.url,
    [`${prefix}_CLIENT_ID`]: `test-client-${environment}`,
    [`${prefix}_CLIENT_SECRET`]: 'test-secret',
    [`${prefix}_RATE_FACTOR`]: '0',
  };
}

interface Processes {
  readonly url: string;
  readonly api: NestFastifyApplication;
  readonly dispatcher: INestApplicationContext;
}

async function startProcesses(
  environment: Record<string, string>,
  extensions: readonly Extension[],
): Promise<Processes> {
  const api = await createApi(readConfiguration('api', environment), { repeatsLoops: false });
  await api.listen(0, '127.0.0.1');
  const { port } = api.getHttpServer().address() as AddressInfo;
  const dispatcher = await startDispatcher(environment, extensions);
  return { url: `http://127.0.0.1:${port}/api`, api, dispatcher };
}

function startDispatcher(
  environment: Record<string, string>,
  extensions: readonly Extension[],
): Promise<INestApplicationContext> {
  return createLoops(DispatcherModule.forRoot(readConfiguration('dispatcher', environment), extensions));
}
