import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { MovableClock9000000000000 } from '../../src/database/movable-clock.js';
import { migrate } from '../../src/processes/migrate.js';
import type { TestPostgres } from '../support/postgres.js';
import { RECORDER_TABLE, RECORDERS } from '../support/event-recorder.js';
import {
  buildSettings,
  controlSimulator,
  startApiProcess,
  startDispatcherProcess,
  type StartedServer,
  startSimulatorProcess,
} from '../support/processes.js';
import type { Program } from '../support/program.js';

/** Environment of the cases: a database, a simulator without duplicate rules, and an API without failpoints. */
export class Stage {
  private dispatcher: Program | null = null;

  private constructor(
    private readonly settings: Record<string, string>,
    /** Connection of the owner of the tables, which bypasses row-level security. */
    readonly owner: pg.Client,
    readonly simulator: StartedServer,
    /** API without failpoints. */
    readonly api: StartedServer,
    private readonly tables: readonly string[],
  ) {}

  static async open(server: TestPostgres, name: string): Promise<Stage> {
    const addressOf = await server.createDatabase(name);
    await migrate(addressOf('einvoice_owner'), [MovableClock9000000000000]);
    const owner = new pg.Client({ connectionString: addressOf('einvoice_owner') });
    await owner.connect();
    await owner.query(RECORDER_TABLE);
    // Registers the consumers before the first case, which submits documents before a dispatcher starts.
    await owner.query('INSERT INTO event_consumer SELECT unnest($1::text[]), service_now()', [RECORDERS]);
    const simulator = await startSimulatorProcess({ '--duplicate-rules': 'false' });
    const settings = { ...buildSettings(addressOf, simulator.url), ...TIMES };
    const api = await startApiProcess(settings);
    const { rows } = await owner.query<{ name: string }>(ALL_TABLES);
    const tables = rows.map(({ name }) => name);
    return new Stage(settings, owner, simulator, api, tables);
  }

  async close(): Promise<void> {
    await this.withoutDispatcher();
    await Promise.all([this.api.stop(), this.simulator.stop(), this.owner.end()]);
  }

  /** Resets database, simulator and clock before a case. */
  async clear(): Promise<void> {
    // Triggers keep the ledger append-only even for its owner. PostgreSQL runs the statements in one transaction.
    const triggers = (state: 'ENABLE' | 'DISABLE'): string =>
      this.tables.map((table) => `ALTER TABLE ${table} ${state} TRIGGER USER;`).join('\n');
    await this.runWithDeadlockRetries(
      `${triggers('DISABLE')} TRUNCATE ${this.tables.join(', ')}; ${triggers('ENABLE')}`,
    );
    await this.owner.query('UPDATE service_clock SET offset_seconds = 0');
    await this.control('reset', {});
  }

  /** Retries after deadlocks with the dispatcher, which keeps running and locks tables in another order. */
  private async runWithDeadlockRetries(sql: string): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.owner.query(sql);
        return;
      } catch (error) {
        const isDeadlock = error instanceof pg.DatabaseError && error.code === DEADLOCK_DETECTED;
        if (!isDeadlock || tries === DEADLOCKS_MAX) throw error;
      }
    }
  }

  startApi(settings: Record<string, string>): Promise<StartedServer> {
    return startApiProcess({ ...this.settings, ...settings });
  }

  startDispatcher(settings: Record<string, string>): Promise<Program> {
    return startDispatcherProcess(
      { ...this.settings, ...settings },
      { isReady: false, file: 'test/crash/dispatcher.js' },
    );
  }

  /** Starts the dispatcher without failpoints that the API cases share. */
  async withDispatcher(): Promise<void> {
    this.dispatcher ??= await this.startDispatcher({});
  }

  async withoutDispatcher(): Promise<void> {
    await this.dispatcher?.stop();
    this.dispatcher = null;
  }

  /** Advances the clock until a condition holds. @throws Error after ROUNDS_MAX rounds */
  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (await isSo()) return;
      await wait(ROUND_MS);
      await this.advance(ROUND_SECONDS);
    }
    throw new Error(`Not so after ${(ROUNDS_MAX * ROUND_MS) / 1_000} s: ${what}`);
  }

  /** Advances the clocks of the service and of the simulator. */
  async advance(seconds: number): Promise<void> {
    await this.owner.query('UPDATE service_clock SET offset_seconds = offset_seconds + $1', [seconds]);
    await this.control('clock', { advanceSeconds: seconds });
  }

  control(name: string, body: object): Promise<unknown> {
    return controlSimulator(this.simulator.url, name, body);
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const DEADLOCK_DETECTED = '40P01';
const DEADLOCKS_MAX = 5;

// The service's clock runs 30 times as fast as the real clock that limits calls. The lease must outlast the call
// deadline on both clocks. Otherwise a call would be looked up while it is still in progress.
const ROUND_MS = 100;
const ROUND_SECONDS = 3;
const ROUNDS_MAX = 600;
const TIMES = {
  AUTHORITY_DEADLINE_SECONDS: '2',
  DISPATCH_LEASE_SECONDS: '90',
  RECONCILE_GRACE_SECONDS: '5',
  RECONCILE_SECOND_LOOK_SECONDS: '5',
};

const ALL_TABLES = `
  SELECT quote_ident(tablename) AS name FROM pg_tables
   WHERE schemaname = 'public'
     AND tablename NOT IN ('schema_migration', 'service_clock', 'event_consumer', 'database_server')`;
