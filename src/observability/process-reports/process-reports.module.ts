import { Module } from '@nestjs/common';
import { AuthorityModule } from '../../authority/authority.module.js';
import { ReportLoop } from './report.loop.js';

@Module({ imports: [AuthorityModule], providers: [ReportLoop] })
export class ProcessReportsModule {}
