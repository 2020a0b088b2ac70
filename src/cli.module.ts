import { type DynamicModule, Module } from '@nestjs/common';
import { AuthorityModule } from './authority/authority.module.js';
import { CreditsCommands } from './cli/credits.commands.js';
import { KeyCommands } from './cli/key.commands.js';
import { REPORT_PRINTER, type ReportPrinter } from './cli/output.js';
import { SUBMISSION_RELEASES, type SubmissionReleases } from './cli/queue-release.command.js';
import { QueueReport } from './cli/queue-report.js';
import { QueueCommands } from './cli/queue.commands.js';
import { TenantCommands } from './cli/tenant.commands.js';
import type { Configuration } from './config/configuration.js';
import { ConfigurationModule } from './config/configuration.module.js';
import { CreditAudit } from './credits/credit-audit.js';
import { CreditLedger } from './credits/credit-ledger.js';
import { DatabaseModule } from './database/database.module.js';
import { ReleaseService } from './dispatcher/release.service.js';
import { TenantsModule } from './tenants/tenants.module.js';

// A command runs a few statements one after the other.
const POOL_SIZE = 2;

/** The operator's process: the same features, in the owner's role. */
@Module({})
export class CliModule {
  static forRoot(configuration: Configuration, printer: ReportPrinter): DynamicModule {
    return {
      module: CliModule,
      imports: [
        ConfigurationModule.forRoot(configuration),
        DatabaseModule.forRoot({
          url: configuration.databaseUrl,
          poolSize: POOL_SIZE,
          applicationName: 'einvoice-cli',
          // An audit of everything takes as long as there is much; an operator waits for it.
          isUnbounded: true,
        }),
        TenantsModule,
        AuthorityModule,
      ],
      providers: [
        { provide: REPORT_PRINTER, useValue: printer },
        CreditAudit,
        CreditLedger,
        QueueReport,
        ReleaseService,
        {
          provide: SUBMISSION_RELEASES,
          inject: [ReleaseService],
          useFactory: (releases: ReleaseService): SubmissionReleases => releases,
        },
        ...[TenantCommands, KeyCommands, CreditsCommands, QueueCommands].flatMap((group) =>
          group.registerWithSubCommands(),
        ),
      ],
      exports: [TenantsModule, CreditLedger],
    };
  }
}
