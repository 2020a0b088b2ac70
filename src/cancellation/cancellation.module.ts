import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { CancellationController } from './cancellation.controller.js';
import { CancellationService } from './cancellation.service.js';

@Module({
  imports: [IdempotencyModule],
  controllers: [CancellationController],
  providers: [CancellationService],
  exports: [CancellationService],
})
export class CancellationModule {}
