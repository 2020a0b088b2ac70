import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuthorityTokens } from '../../authority/tokens.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import {
  findDifferentSettings,
  fingerprintSettings,
  type SettingFingerprints,
} from '../../config/setting-fingerprints.js';
import { MIGRATIONS } from '../../database/schema.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import { type Loop, RepeatedLoop } from '../../common/loops/loop.js';
import { formatProcess } from './process-name.js';
import { FIND_OTHER_PROCESSES, FORGET, FORGET_GONE, REPORT } from './process-report.sql.js';

interface OtherProcess {
  readonly id: string;
  readonly role: string;
  readonly host: string;
  readonly pid: number;
  readonly metricsPort: number;
  readonly fingerprints: SettingFingerprints;
}

const VERSION = MIGRATIONS.at(-1)?.name ?? '';
const LOG_AGAIN_MS = 10 * 60_000;

/** Reports this process in `service_process`, and logs each other process that runs with different settings. */
@Injectable()
@RepeatedLoop({ name: 'report', intervalMs: 10_000, concurrency: 1 })
export class ReportLoop implements Loop, OnApplicationShutdown {
  private readonly logger = new Logger(ReportLoop.name);
  private readonly id = randomUUID();
  private readonly fingerprints: SettingFingerprints;
  private logged: { readonly text: string; readonly at: number } = { text: '', at: 0 };

  constructor(
    private readonly dataSource: DataSource,
    private readonly tokens: AuthorityTokens,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {
    this.fingerprints = fingerprintSettings(configuration);
  }

  async tick(): Promise<number> {
    const { role, metricsPort, authorities } = this.configuration;
    const host = hostname();
    const environments = Object.keys(authorities);
    const [fingerprints, logins] = [JSON.stringify(this.fingerprints), JSON.stringify(this.tokens.lastLogins)];
    await withFailpoints('report.note', async () => {
      const row = [this.id, role, host, process.pid, metricsPort, VERSION, environments, fingerprints, logins];
      await this.dataSource.query(REPORT, row);
      await this.dataSource.query(FORGET_GONE, [this.id, role, host, metricsPort]);
    });
    this.logDifferences(await this.dataSource.query<OtherProcess[]>(FIND_OTHER_PROCESSES, [this.id]));
    return 0;
  }

  /** Deletes the report, so that a stopped process is not reported as missing. */
  async onApplicationShutdown(): Promise<void> {
    // Best effort: the row of an unreachable database is removed after a day.
    await this.dataSource.query(FORGET, [this.id]).catch(() => undefined);
  }

  private logDifferences(others: readonly OtherProcess[]): void {
    const lines = others
      .map((other) => ({ other, settings: findDifferentSettings(this.fingerprints, other.fingerprints) }))
      .filter(({ settings }) => settings.length > 0)
      .map(({ other, settings }) => `${formatProcess(other)}: ${settings.join(', ')}`);
    const text = lines.join('; ');
    const isKnown = text === this.logged.text && performance.now() - this.logged.at < LOG_AGAIN_MS;
    if (isKnown) return;
    this.logged = { text, at: performance.now() };
    if (text !== '')
      this.logger.error(`Processes run with other settings than this one: ${text}. "doctor" has the fix`);
  }
}
