import { Module } from '@nestjs/common';
import { CreditsModule } from '../../credits/credits.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { SubmissionModule } from '../../submission/submission.module.js';
import { OrganisationModule } from '../organisation/organisation.module.js';
import { TransactionsModule } from '../transactions/transactions.module.js';
import { BulkJobsController } from './bulk-jobs.controller.js';
import { BulkJobsService } from './bulk-jobs.service.js';
import { BulkWorkService } from './bulk-work.service.js';
import { BulkLoop } from './bulk.loop.js';

/** Corrections and cancellations of many documents, which the process of the API carries out. */
@Module({
  imports: [CreditsModule, OrganisationModule, RateLimitsModule, SubmissionModule, TransactionsModule],
  controllers: [BulkJobsController],
  providers: [BulkJobsService, BulkWorkService, BulkLoop],
})
export class BulkJobsModule {}
