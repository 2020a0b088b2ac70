import { type DynamicModule, Module } from '@nestjs/common';
import { REPORT_PRINTER, type ReportPrinter } from '../cli/output.js';
import { SITUATION, SupportBundleCommand } from '../cli/support-bundle.command.js';
import type { Situation } from '../cli/support-bundle/parts.js';

/** The command that must work when settings are wrong or the database is down: nothing is opened before it runs. */
@Module({})
export class SupportCliModule {
  static forRoot(situation: Situation, printer: ReportPrinter): DynamicModule {
    return {
      module: SupportCliModule,
      providers: [
        { provide: REPORT_PRINTER, useValue: printer },
        { provide: SITUATION, useValue: situation },
        SupportBundleCommand,
      ],
    };
  }
}
