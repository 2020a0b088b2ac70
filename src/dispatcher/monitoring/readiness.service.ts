import { Injectable } from '@nestjs/common';
import type { Readiness } from '../../common/metrics-page.js';
import { LoopActivity } from '../../loops/loop-activity.js';
import { MonitoringPool } from './monitoring-pool.js';
import { within } from './patience.js';

const WAIT_MS_MAX = 3_000;
const APPLIED = /* sql */ `SELECT applied_migrations() AS migrations`;

/** Whether this dispatcher works: its loops run, and its database has what this build needs. */
@Injectable()
export class ReadinessService {
  private reading: Promise<Readiness> | null = null;

  constructor(
    private readonly activity: LoopActivity,
    private readonly pool: MonitoringPool,
  ) {}

  /** Never throws; those who ask at the same time share one statement. */
  async read(): Promise<Readiness> {
    const { state } = this.activity;
    if (state === 'starting') return refuse('starting', 'The loops do not run yet');
    if (state === 'draining')
      return refuse('draining', 'The process ends: its calls finish, and it begins nothing new');
    const stuck = this.activity.listStuck();
    if (stuck.length > 0) return refuse('loops_stuck', `No tick of these loops ends: ${stuck.join(', ')}`);
    this.reading ??= this.readDatabase().finally(() => (this.reading = null));
    return (await within(this.reading, WAIT_MS_MAX)) ?? UNAVAILABLE;
  }

  private async readDatabase(): Promise<Readiness> {
    try {
      const { manager, migrations } = await this.pool.open();
      const [{ migrations: applied }] = await manager.query<[{ migrations: string[] }]>(APPLIED);
      const isMissing = migrations.some(({ name, constructor }) => !applied.includes(name ?? constructor.name));
      return isMissing ? refuse('migrations_missing', 'Migrations are missing: run "npm run migrate"') : READY;
    } catch {
      return UNAVAILABLE;
    }
  }
}

const READY: Readiness = { isReady: true, body: { status: 'ok', database: 'ok', loops: 'ok' } };
const UNAVAILABLE = refuse('database_unavailable', 'The database does not respond');

function refuse(code: string, message: string): Readiness {
  return { isReady: false, body: { code, message } };
}
