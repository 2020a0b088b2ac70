import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { type Configuration } from '../config/configuration.js';
import { ConfigurationModule } from '../config/configuration.module.js';
import { DashboardModule } from '../dashboard-api/dashboard.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { HealthModule } from '../health/health.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { StatusModule } from '../status/status.module.js';
import { SubmissionModule } from '../submission/submission.module.js';
import { TaxpayerModule } from '../taxpayer/taxpayer.module.js';
import { TracingModule } from '../tracing/tracing.module.js';

// A few people look at a few pages.
const OPERATOR_POOL_SIZE = 3;

/** The API process: the four endpoints, their health and the dashboard, as the role that sees one tenant at a time. */
@Module({})
export class ApiModule {
  static forRoot(configuration: Configuration): DynamicModule {
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
        DashboardModule,
        TracingModule,
      ],
    };
  }
}
