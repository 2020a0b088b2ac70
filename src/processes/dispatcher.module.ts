import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AuthorityModule } from '../authority/authority.module.js';
import type { Configuration } from '../config/configuration.js';
import { ConfigurationModule } from '../config/configuration.module.js';
import { CreditsModule } from '../credits/credits.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { AuthorityDocuments } from '../dispatcher/queue/authority-documents.js';
import { CallWindows } from '../dispatcher/queue/call-windows.js';
import { CancelLoop } from '../dispatcher/cancel/cancel.loop.js';
import { CredentialsLoop } from '../dispatcher/credentials/credentials.loop.js';
import { FiguresService } from '../dispatcher/monitoring/figures.service.js';
import { HeldNotesLoop } from '../dispatcher/held-notes/held-notes.loop.js';
import { HousekeepingLoop } from '../dispatcher/housekeeping/housekeeping.loop.js';
import { MonitoringPool } from '../dispatcher/monitoring/monitoring-pool.js';
import { ReadinessService } from '../dispatcher/monitoring/readiness.service.js';
import { OutcomeReader } from '../dispatcher/queue/outcome-reader.js';
import { PollLoop } from '../dispatcher/poll/poll.loop.js';
import { ReconcileLoop } from '../dispatcher/reconcile/reconcile.loop.js';
import { ResendService } from '../dispatcher/reconcile/resend.service.js';
import { SubmittedDocuments } from '../dispatcher/reconcile/submitted-documents.js';
import { RecoverLoop } from '../recovery/recover.loop.js';
import { DeliveryService } from '../dispatcher/queue/delivery.service.js';
import { ProbeService } from '../dispatcher/submit/probe.service.js';
import { Signers } from '../dispatcher/submit/signers.js';
import { SubmitLoop } from '../dispatcher/submit/submit.loop.js';
import { DocumentEventsModule } from '../document-events/document-events.module.js';
import type { Extension } from '../extensions/extensions.js';
import { EXTENSIONS } from '../extensions/registered-extensions.js';
import { LoopActivity } from '../common/loops/loop-activity.js';
import { LoopRegistry } from '../common/loops/loop-registry.js';
import { ScheduleService } from '../common/loops/schedule.service.js';
import { ProcessReportsModule } from '../observability/process-reports/process-reports.module.js';
import { TracingModule } from '../observability/tracing/tracing.module.js';

/** The dispatcher process: all loops, with the database role that works for all tenants. */
@Module({
  imports: [AuthorityModule, CreditsModule, DiscoveryModule, DocumentEventsModule, ProcessReportsModule, TracingModule],
  providers: [
    SubmitLoop,
    PollLoop,
    HeldNotesLoop,
    CancelLoop,
    ReconcileLoop,
    RecoverLoop,
    CredentialsLoop,
    HousekeepingLoop,
    AuthorityDocuments,
    CallWindows,
    DeliveryService,
    FiguresService,
    LoopActivity,
    LoopRegistry,
    MonitoringPool,
    OutcomeReader,
    ProbeService,
    ReadinessService,
    ResendService,
    Signers,
    SubmittedDocuments,
  ],
})
export class DispatcherModule {
  static forRoot(configuration: Configuration, extensions: readonly Extension[] = EXTENSIONS): DynamicModule {
    return {
      module: DispatcherModule,
      imports: [
        ConfigurationModule.forRoot(configuration),
        DatabaseModule.forRoot({
          url: configuration.databaseUrl,
          poolSize: configuration.databasePoolSize,
          applicationName: 'einvoice-dispatcher',
          preparesStatements: configuration.databasePreparedStatements,
        }),
        ScheduleModule.forRoot(),
        ...extensions,
      ],
      providers: [ScheduleService],
    };
  }
}
