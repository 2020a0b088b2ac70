import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { RoleAssignmentsService } from '../accounts/role-assignments.service.js';
import { AuthorityModule } from '../authority/authority.module.js';
import { CreditsCommands } from '../cli/credits.commands.js';
import { DoctorCommand, OPEN_LOGIN } from '../cli/doctor.command.js';
import { EventsCommands } from '../cli/events.commands.js';
import { EvidenceCommands } from '../cli/evidence.commands.js';
import { KeyCommands } from '../cli/key.commands.js';
import { COMMAND_INPUT, type CommandInput, REPORT_PRINTER, type ReportPrinter } from '../cli/output.js';
import { QueueCommands } from '../cli/queue.commands.js';
import { RecoverCommands } from '../cli/recover.commands.js';
import { type CommandContext, COMMAND_CONTEXT } from '../cli/command-context.js';
import { TenantCommands } from '../cli/tenant.commands.js';
import { UserCommands } from '../cli/user.commands.js';
import type { Configuration } from '../config/configuration.js';
import { ConfigurationModule } from '../config/configuration.module.js';
import { CreditsModule } from '../credits/credits.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { AuthorityDocuments } from '../dispatcher/queue/authority-documents.js';
import { SubmissionReleaseService } from '../dispatcher/releases/submission-release.service.js';
import { FoundDocuments } from '../recovery/found-documents.js';
import { RecoveryService } from '../recovery/recovery.service.js';
import { openLogin } from './open-login.js';
import { TenantsModule } from '../tenants/tenants.module.js';

const POOL_SIZE = 2;

const DEFAULT_CONTEXT: CommandContext = { environment: process.env, problem: null };

/** The process of operator commands: the same features with the owner's role. */
@Module({})
export class CliModule {
  static forRoot(
    configuration: Configuration,
    printer: ReportPrinter,
    input: CommandInput = process.stdin,
  ): DynamicModule {
    return {
      module: CliModule,
      imports: [
        ConfigurationModule.forRoot(configuration),
        DatabaseModule.forRoot({
          url: configuration.databaseUrl,
          poolSize: POOL_SIZE,
          applicationName: 'einvoice-cli',
          preparesStatements: configuration.databasePreparedStatements,
          // An audit of all credits may take longer than the statement timeout.
          isUnbounded: true,
        }),
        DatabaseModule.withoutDashboard(),
        TenantsModule,
        AuthorityModule,
        AccountsModule,
        CreditsModule,
      ],
      providers: [
        { provide: REPORT_PRINTER, useValue: printer },
        { provide: COMMAND_INPUT, useValue: input },
        RoleAssignmentsService,
        AuthorityDocuments,
        SubmissionReleaseService,
        FoundDocuments,
        RecoveryService,
        // Only for the help: runDiagnosis runs the command without this module.
        { provide: COMMAND_CONTEXT, useValue: DEFAULT_CONTEXT },
        { provide: OPEN_LOGIN, useValue: openLogin },
        DoctorCommand,
        ...[
          TenantCommands,
          KeyCommands,
          CreditsCommands,
          QueueCommands,
          RecoverCommands,
          EventsCommands,
          UserCommands,
          EvidenceCommands,
        ].flatMap((group) => group.registerWithSubCommands()),
      ],
      exports: [TenantsModule, CreditsModule],
    };
  }
}
