import { type DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { Configuration } from '../config/configuration.js';
import { ConfigurationModule } from '../config/configuration.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { DispatchModule } from '../dispatcher/dispatch.module.js';
import { ScheduleService } from '../dispatcher/schedule.service.js';

/** The dispatcher process: the loops and what repeats them, as the database role that works for all tenants. */
@Module({})
export class DispatcherModule {
  static forRoot(configuration: Configuration): DynamicModule {
    return {
      module: DispatcherModule,
      imports: [
        ConfigurationModule.forRoot(configuration),
        DatabaseModule.forRoot({
          url: configuration.databaseUrl,
          poolSize: configuration.databasePoolSize,
          applicationName: 'einvoice-dispatcher',
        }),
        ScheduleModule.forRoot(),
        DispatchModule,
      ],
      providers: [ScheduleService],
    };
  }
}
