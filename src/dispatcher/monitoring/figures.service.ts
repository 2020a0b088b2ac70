import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type AuthorityApi, computeGapSeconds } from '../../authority/call-limits.js';
import { beforeMetrics, type Figures, showFigures } from '../../common/metrics.js';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { LITTLE_CREDITS } from '../../credits/credit-warnings.js';
import { countWaitingOrganisations } from '../queue/waiting-organisations.js';
import { isDatabaseUnavailable } from '../../errors/database-unavailable.js';
import {
  countCallsToDecide,
  countWaitsForRecovery,
  countLowCredits,
  readBudgetFigures,
  readClockDifferences,
  readQueueFigures,
} from './figures.sql.js';
import { MonitoringPool } from './monitoring-pool.js';
import { within } from './within.js';

// Prometheus times out after ten seconds. The other metrics are returned even if the database hangs.
const WAIT_MS_MAX = 3_000;

@Injectable()
export class FiguresService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(FiguresService.name);
  private reading: Promise<true> | null = null;
  private unregister: (() => void) | null = null;

  constructor(
    private readonly pool: MonitoringPool,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  onModuleInit(): void {
    this.unregister = beforeMetrics(() => this.refresh());
  }

  onApplicationShutdown(): void {
    this.unregister?.();
  }

  private async refresh(): Promise<void> {
    this.reading ??= this.show().finally(() => (this.reading = null));
    if ((await within(this.reading, WAIT_MS_MAX)) === null) showFigures(null);
  }

  private async show(): Promise<true> {
    try {
      showFigures(await this.read());
    } catch (error) {
      if (!isDatabaseUnavailable(error))
        this.logger.warn(`The metrics of the database could not be read: ${String(error)}`);
      showFigures(null);
    }
    return true;
  }

  private async read(): Promise<Figures> {
    const { manager } = await this.pool.open();
    const environments = ENVIRONMENTS.filter((name) => this.configuration.authorities[name] !== undefined);
    const clientIds = environments.map((name) => this.configuration.authorities[name]?.clientId ?? '');
    const budget = await readBudgetFigures(manager, clientIds);
    return {
      queue: await readQueueFigures(manager, environments),
      budget: budget
        .filter(({ environment }) => environments.includes(environment as Environment))
        .map((row) => ({
          ...row,
          callsPerMinute: this.countCallsPerMinute(row.environment as Environment, row.api as AuthorityApi),
        })),
      waiting: await countWaitingOrganisations(manager),
      clocks: await readClockDifferences(manager, environments),
      doubts: await countCallsToDecide(manager, environments, clientIds),
      waitsForRecovery: await countWaitsForRecovery(manager),
      credits: await countLowCredits(manager, LITTLE_CREDITS),
    };
  }

  private countCallsPerMinute(environment: Environment, api: AuthorityApi): number | null {
    const gapSeconds = computeGapSeconds(api, this.configuration.authorities[environment]?.rateFactor ?? 0);
    return gapSeconds === 0 ? null : 60 / gapSeconds;
  }
}
