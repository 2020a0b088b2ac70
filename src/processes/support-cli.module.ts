import { type DynamicModule, Module } from '@nestjs/common';
import { DoctorCommand, OPEN_LOGIN } from '../cli/doctor.command.js';
import { REPORT_PRINTER, type ReportPrinter } from '../cli/output.js';
import { type CommandContext, COMMAND_CONTEXT } from '../cli/command-context.js';
import { SupportBundleCommand } from '../cli/support-bundle.command.js';
import { openLogin } from './open-login.js';

/** The commands that must work when settings are wrong or the database is down: nothing is opened before they run. */
@Module({})
export class SupportCliModule {
  static forRoot(context: CommandContext, printer: ReportPrinter): DynamicModule {
    return {
      module: SupportCliModule,
      providers: [
        { provide: REPORT_PRINTER, useValue: printer },
        { provide: COMMAND_CONTEXT, useValue: context },
        { provide: OPEN_LOGIN, useValue: openLogin },
        DoctorCommand,
        SupportBundleCommand,
      ],
    };
  }
}
