import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AuthModule } from '../accounts/api-keys/auth.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { type Configuration } from '../config/configuration.js';
import { ConfigurationModule } from '../config/configuration.module.js';
import { DashboardModule } from '../dashboard-api/dashboard.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { HealthModule } from '../observability/health/health.module.js';
import { KnownParametersGuard } from '../http/known-parameters.guard.js';
import { LoopActivity } from '../common/loops/loop-activity.js';
import { LoopRegistry } from '../common/loops/loop-registry.js';
import { ScheduleService } from '../common/loops/schedule.service.js';
import { ProcessReportsModule } from '../observability/process-reports/process-reports.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { StatusModule } from '../status/status.module.js';
import { SubmissionModule } from '../submission/submission.module.js';
import { TaxpayerModule } from '../taxpayer/taxpayer.module.js';
import { TracingModule } from '../observability/tracing/tracing.module.js';

const OPERATOR_POOL_SIZE = 3;

/** The API process: the four endpoints, health and dashboard, with a role that sees one tenant at a time. */
@Module({})
export class ApiModule {
  /** @param repeatsLoops whether loops run automatically; tests run their ticks instead */
  static forRoot(configuration: Configuration, { repeatsLoops = true } = {}): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ConfigurationModule.forRoot(configuration),
        DatabaseModule.forRoot(
          {
            url: configuration.databaseUrl,
            poolSize: configuration.databasePoolSize,
            applicationName: 'einvoice-api',
            preparesStatements: configuration.databasePreparedStatements,
          },
          { isShared: true },
        ),
        DatabaseModule.forDashboard({
          url: configuration.databaseUrl,
          applicationName: 'einvoice-dashboard',
          preparesStatements: configuration.databasePreparedStatements,
        }),
        DatabaseModule.forOperator({
          url: configuration.operatorDatabaseUrl ?? '',
          poolSize: OPERATOR_POOL_SIZE,
          applicationName: 'einvoice-operator',
          preparesStatements: configuration.databasePreparedStatements,
        }),
        AuthModule,
        RateLimitsModule,
        SubmissionModule,
        StatusModule,
        TaxpayerModule,
        CancellationModule,
        HealthModule,
        ProcessReportsModule,
        DashboardModule,
        DiscoveryModule,
        ScheduleModule.forRoot(),
        TracingModule,
      ],
      providers: [
        { provide: APP_GUARD, useClass: KnownParametersGuard },
        LoopRegistry,
        LoopActivity,
        ...(repeatsLoops ? [ScheduleService] : []),
      ],
    };
  }
}
