import { Injectable } from '@nestjs/common';
import type { Readiness } from '../../common/metrics-page.js';
import { probeDisk, SMALL_PROBE_ROWS } from '../../database/disk-probe.js';
import { findConnectionCause, isDiskFull } from '../../errors/database-unavailable.js';
import { LoopActivity } from '../../common/loops/loop-activity.js';
import { MonitoringPool } from './monitoring-pool.js';
import { within } from './within.js';

const WAIT_MS_MAX = 3_000;
const APPLIED = /* sql */ `SELECT ARRAY(SELECT name::text FROM schema_migration) AS migrations`;

/** Checks the loops, the migrations and the disk of the database. */
@Injectable()
export class ReadinessService {
  private reading: Promise<Readiness> | null = null;

  constructor(
    private readonly activity: LoopActivity,
    private readonly pool: MonitoringPool,
  ) {}

  /** Never throws. Simultaneous callers share one statement. */
  async read(): Promise<Readiness> {
    const { state } = this.activity;
    if (state === 'starting') return refuse('starting', 'The loops have not started yet');
    if (state === 'draining')
      return refuse('draining', 'The process is stopping: it finishes its running calls and starts no new work');
    const stuck = this.activity.listStuck();
    if (stuck.length > 0) return refuse('loops_stuck', `These loops are stuck: ${stuck.join(', ')}`);
    this.reading ??= this.readDatabase().finally(() => (this.reading = null));
    const readiness = (await within(this.reading, WAIT_MS_MAX)) ?? UNAVAILABLE;
    return readiness.isReady ? (this.judgeFailing() ?? readiness) : readiness;
  }

  private judgeFailing(): Readiness | null {
    const failing = this.activity.listFailing();
    if (failing.length === 0) return null;
    if (failing.some(({ error }) => isDiskFull(error))) return DISK_FULL;
    const names = failing.map(({ loop, error }) => `${loop} (${toCause(error)})`).join(', ');
    const fix = failing.some(({ error }) => toCause(error) === INSUFFICIENT_PRIVILEGE)
      ? 'its role lacks a right: repeat its GRANT from src/database/ as the owner'
      : 'see the log';
    return refuse('loops_failing', `Every tick of these loops fails: ${names}; ${fix}`);
  }

  private async readDatabase(): Promise<Readiness> {
    try {
      const dataSource = await this.pool.open();
      const { manager, migrations } = dataSource;
      const [{ migrations: applied }] = await manager.query<[{ migrations: string[] }]>(APPLIED);
      const isMissing = migrations.some(({ name, constructor }) => !applied.includes(name ?? constructor.name));
      if (isMissing) return refuse('migrations_missing', 'Migrations are missing: run "npm run migrate"');
      await probeDisk(dataSource, SMALL_PROBE_ROWS);
      return READY;
    } catch (error) {
      return isDiskFull(error) ? DISK_FULL : UNAVAILABLE;
    }
  }
}

const READY: Readiness = { isReady: true, body: { status: 'ok', database: 'ok', loops: 'ok' } };
const UNAVAILABLE = refuse('database_unavailable', 'The database does not respond');
const DISK_FULL = refuse('disk_full', "The database's disk is full: make room on it");

const INSUFFICIENT_PRIVILEGE = '42501';

/** Returns the SQL state, cause or class of an error, because its message may contain request data. */
function toCause(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const hasCode = 'code' in error && /^[A-Z\d_]{5,30}$/.test(String(error.code));
  return hasCode ? String(error.code) : (findConnectionCause(error) ?? error.name);
}

function refuse(code: string, message: string): Readiness {
  return { isReady: false, body: { code, message } };
}
