import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits/credits.module.js';
import { IdempotencyService } from './idempotency.service.js';

@Module({ imports: [CreditsModule], providers: [IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule {}
