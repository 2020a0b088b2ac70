import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ATTEMPT_MEMORY_SECONDS } from '../../accounts/attempts.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import { countCreditAudit } from '../../common/metrics.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { CreditAudit } from '../../credits/credit-audit.js';
import { claimTurn } from '../../database/claim-turn.js';
import { describeOverdueCalls, readOverdueCalls } from '../queue/overdue-calls.js';
import { CallWindows } from '../queue/call-windows.js';
import { LOWER_FLOORS } from '../queue/tenant-queues.js';
import { type Loop, RepeatedLoop } from '../../common/loops/loop.js';
import { limitStoredWaits } from './stored-waits.js';
import { markUnconfigured } from './unconfigured-environments.sql.js';

/** Retention of stored responses (docs/rules.md#idempotency). */
const IDEMPOTENCY_RECORD_DAYS = 30;
const ROWS_AT_ONCE = 1_000;

const MINUTE_SECONDS = 60;
const AUDIT_INTERVAL_SECONDS = 5 * MINUTE_SECONDS;
// Twice the interval, so that consecutive audits overlap.
const AUDIT_WINDOW_SECONDS = 2 * AUDIT_INTERVAL_SECONDS;
const OVERDUE_REPORT_SECONDS = 5 * MINUTE_SECONDS;
const DEVIATIONS_LOGGED_MAX = 20;

const RATE_LIMIT_MEMORY_SECONDS = 10 * MINUTE_SECONDS;

/** Exceeds the time for which a call can be in doubt and the age of a backup. */
const AUTHORITY_CLOCK_DAYS = 7;

interface Task {
  readonly name: string;
  readonly intervalSeconds: number;
  /** Changes at most $1 rows, so that locks are short. */
  readonly statement: string;
}

function buildDeletion(table: string, key: string, condition: string): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT $1)`;
}

const TASKS: readonly Task[] = [
  {
    name: 'forget_idempotency_records',
    intervalSeconds: MINUTE_SECONDS,
    statement: buildDeletion(
      'idempotency_record',
      'tenant_id, environment, operation, key',
      `created_at < service_now() - interval '${IDEMPOTENCY_RECORD_DAYS} days'`,
    ),
  },
  {
    name: 'forget_taxpayer_checks',
    intervalSeconds: MINUTE_SECONDS,
    statement: buildDeletion(
      'taxpayer_check',
      'tenant_id, environment, tin, id_type, id_value',
      'expires_at < service_now()',
    ),
  },
  {
    name: 'forget_sessions',
    intervalSeconds: 10 * MINUTE_SECONDS,
    statement: buildDeletion('user_session', 'id', 'expires_at <= service_now()'),
  },
  {
    name: 'forget_failed_sign_ins',
    intervalSeconds: MINUTE_SECONDS,
    statement: buildDeletion(
      'sign_in_throttle',
      'subject',
      `updated_at < service_now() - interval '${ATTEMPT_MEMORY_SECONDS} seconds' AND blocked_until <= service_now()`,
    ),
  },
  {
    name: 'forget_rate_limits',
    intervalSeconds: 10 * MINUTE_SECONDS,
    statement: buildDeletion(
      'rate_limit_window',
      'bucket',
      `started_at < service_now() - interval '${RATE_LIMIT_MEMORY_SECONDS} seconds'`,
    ),
  },
  {
    name: 'forget_authority_clocks',
    intervalSeconds: 10 * MINUTE_SECONDS,
    statement: buildDeletion(
      'authority_clock',
      'environment, measured_at',
      `measured_at < service_now() - interval '${AUTHORITY_CLOCK_DAYS} days'`,
    ),
  },
  { name: 'look_from_the_beginning', intervalSeconds: 25, statement: LOWER_FLOORS },
];

/** Deletes expired rows, shortens stored waits, audits the credits and lowers the floors of tenant queues. */
@Injectable()
@RepeatedLoop({ name: 'housekeeping', intervalMs: 30_000, concurrency: 1 })
export class HousekeepingLoop implements Loop {
  private readonly logger = new Logger(HousekeepingLoop.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: CreditAudit,
    private readonly windows: CallWindows,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async tick(): Promise<number> {
    let changed = await this.limitStoredWaits();
    for (const { name, intervalSeconds, statement } of TASKS) {
      if (!(await this.claimTurn(name, intervalSeconds))) continue;
      const [, count] = await withFailpoints('housekeeping.delete', () =>
        this.dataSource.query<[unknown[], number]>(statement, [ROWS_AT_ONCE]),
      );
      changed += count;
    }
    await this.markUnconfigured();
    await this.reportOverdueCalls();
    await this.auditCredits();
    return changed;
  }

  /** Runs on each tick, because the task schedule is itself a stored wait. */
  private async limitStoredWaits(): Promise<number> {
    const limited = await withFailpoints('housekeeping.limit_waits', () =>
      limitStoredWaits(this.dataSource.manager, this.configuration),
    );
    for (const { kind, waits, longestSeconds } of limited) {
      this.logger.error({
        message: "The database's clock was set back: stored waits were shortened to the longest wait of the service",
        kind,
        waits,
        longestSeconds: Math.round(longestSeconds),
      });
    }
    return limited.reduce((total, { waits }) => total + waits, 0);
  }

  private async markUnconfigured(): Promise<void> {
    const { environments } = this.windows;
    // Dispatchers with different environments run this task separately.
    const name = `mark_unconfigured ${environments.join('+')}`;
    if (!(await this.claimTurn(name, MINUTE_SECONDS))) return;
    const found = await withFailpoints('housekeeping.mark_unconfigured', () =>
      markUnconfigured(this.dataSource.manager, environments),
    );
    for (const { environment, tenants } of found) {
      this.logger.error(
        `Documents of ${tenants} organisations wait in ${environment} and are not sent: environment_not_configured`,
      );
    }
  }

  private async reportOverdueCalls(): Promise<void> {
    const own = this.windows.environments.map((environment) => this.windows.getClientId(environment));
    // Dispatchers with different client ids run this task separately.
    if (!(await this.claimTurn(`report_overdue_calls ${own.join('+')}`, OVERDUE_REPORT_SECONDS))) return;
    for (const calls of await readOverdueCalls(this.dataSource.manager, own)) {
      this.logger.error(
        `${describeOverdueCalls(calls)} in ${calls.environment}: their client id is not that of this dispatcher ` +
          `("queue show" lists it). Start a dispatcher with that client id`,
      );
    }
  }

  private async auditCredits(): Promise<void> {
    if (!(await this.claimTurn('audit_recent_credits', AUDIT_INTERVAL_SECONDS))) return;
    const deviations = await this.audit.auditLast(AUDIT_WINDOW_SECONDS);
    countCreditAudit(deviations.length);
    for (const deviation of deviations.slice(0, DEVIATIONS_LOGGED_MAX)) {
      this.logger.error({ message: 'The credits deviate', deviations: deviations.length, ...deviation });
    }
  }

  private claimTurn(name: string, intervalSeconds: number): Promise<boolean> {
    return withFailpoints('housekeeping.turn', () => claimTurn(this.dataSource.manager, name, intervalSeconds));
  }
}
