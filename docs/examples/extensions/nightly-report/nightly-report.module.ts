import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DocumentTransaction } from '../../../../src/entities/document-transaction.entity.js';
import { Tenant } from '../../../../src/entities/tenant.entity.js';
import { NightlyReport1797000000310 } from './1797000000310-nightly-report.js';
import { NightlyReport } from './nightly-report.entity.js';
import { NightlyReportTask } from './nightly-report.task.js';

@Module({
  imports: [TypeOrmModule.forFeature([NightlyReport, DocumentTransaction, Tenant])],
  providers: [NightlyReportTask],
})
export class NightlyReportModule {
  static readonly migrations = [NightlyReport1797000000310];
}
