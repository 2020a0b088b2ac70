import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits/credits.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { CancellationController } from './cancellation.controller.js';
import { CancellationService } from './cancellation.service.js';

@Module({
  imports: [IdempotencyModule, TenantsModule, CreditsModule],
  controllers: [CancellationController],
  providers: [CancellationService],
})
export class CancellationModule {}
