import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits/credits.module.js';
import { TracingModule } from '../observability/tracing/tracing.module.js';
import { IdempotencyService } from './idempotency.service.js';

@Module({ imports: [CreditsModule, TracingModule], providers: [IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule {}
