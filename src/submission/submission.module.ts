import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits/credits.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { SubmissionController } from './submission.controller.js';
import { SubmissionService } from './submission.service.js';
import { SubmitReader } from './submit-reader.js';
import { SubmitWorkers } from './submit-workers.js';

@Module({
  imports: [IdempotencyModule, CreditsModule],
  controllers: [SubmissionController],
  providers: [SubmissionService, SubmitReader, SubmitWorkers],
  exports: [SubmissionService, SubmitWorkers],
})
export class SubmissionModule {}
