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

/**
 * Where cases play, one after the other: a database, an authority that never refuses a duplicate by itself, and an API
 * without failpoints. Each case finds it empty.
 */
export class Stage {
  private dispatcher: Program | null = null;

  private constructor(
    private readonly settings: Record<string, string>,
    /** As the owner of the tables: sees and may do everything. */
    readonly owner: pg.Client,
    readonly simulator: StartedServer,
    /** Answers when the API of the case does not. */
    readonly api: StartedServer,
    private readonly tables: readonly string[],
  ) {}

  static async open(server: TestPostgres, name: string): Promise<Stage> {
    const addressOf = await server.createDatabase(name);
    await migrate(addressOf('einvoice_owner'), [MovableClock9000000000000]);
    const owner = new pg.Client({ connectionString: addressOf('einvoice_owner') });
    await owner.connect();
    await owner.query(RECORDER_TABLE);
    // As if they had run before: the first case makes documents before a dispatcher starts.
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

  /** Back to the beginning: nothing stored, nothing known to the authority, the machine's time. */
  async clear(): Promise<void> {
    // The books are append-only even for their owner, who must take that rule away to empty them. One transaction, as
    // all that is sent together.
    const triggers = (state: 'ENABLE' | 'DISABLE'): string =>
      this.tables.map((table) => `ALTER TABLE ${table} ${state} TRIGGER USER;`).join('\n');
    await this.runWithDeadlockRetries(
      `${triggers('DISABLE')} TRUNCATE ${this.tables.join(', ')}; ${triggers('ENABLE')}`,
    );
    await this.owner.query('UPDATE service_clock SET offset_seconds = 0');
    await this.control('reset', {});
  }

  /**
   * The dispatcher that lives through the cases locks tables in its own order, so PostgreSQL may break a deadlock
   * by refusing the statement, whole; the next try finds the other side gone on.
   */
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

  /** A dispatcher without failpoints that lives through the cases of the API. */
  async withDispatcher(): Promise<void> {
    this.dispatcher ??= await this.startDispatcher({});
  }

  async withoutDispatcher(): Promise<void> {
    await this.dispatcher?.stop();
    this.dispatcher = null;
  }

  /** Lets time pass, much faster than it does, until something is so. @throws Error when it does not become so */
  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (await isSo()) return;
      await wait(ROUND_MS);
      await this.advance(ROUND_SECONDS);
    }
    throw new Error(`Not so after ${(ROUNDS_MAX * ROUND_MS) / 1_000} s: ${what}`);
  }

  /** Moves the clock of the service and the authority's together. */
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

// Leases run by the service's clock, calls by the machine's, and here the former is 30 times as fast: a lease must
// outlast the deadline by that clock too, or a call would be looked up while it is still under way.
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
