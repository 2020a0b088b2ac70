import { type DynamicModule, Module } from '@nestjs/common';
import { DoctorCommand, OPEN_LOGIN } from '../cli/doctor.command.js';
import { REPORT_PRINTER, type ReportPrinter } from '../cli/output.js';
import { type CommandContext, COMMAND_CONTEXT } from '../cli/command-context.js';
import { openLogin } from './open-login.js';

/** The command that must work with malformed settings or without a database: Nest opens no connection before it runs. */
@Module({})
export class DiagnosisCliModule {
  static forRoot(context: CommandContext, printer: ReportPrinter): DynamicModule {
    return {
      module: DiagnosisCliModule,
      providers: [
        { provide: REPORT_PRINTER, useValue: printer },
        { provide: COMMAND_CONTEXT, useValue: context },
        { provide: OPEN_LOGIN, useValue: openLogin },
        DoctorCommand,
      ],
    };
  }
}
