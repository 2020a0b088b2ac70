import { type DynamicModule, Module } from '@nestjs/common';
import { EvidenceCommands } from '../cli/evidence.commands.js';
import { REPORT_PRINTER, type ReportPrinter } from '../cli/output.js';

/** The commands that need no database: anyone who has a file may run them. */
@Module({})
export class OfflineCliModule {
  static forRoot(printer: ReportPrinter): DynamicModule {
    return {
      module: OfflineCliModule,
      providers: [{ provide: REPORT_PRINTER, useValue: printer }, ...EvidenceCommands.registerWithSubCommands()],
    };
  }
}
