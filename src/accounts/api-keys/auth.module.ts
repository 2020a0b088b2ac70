import { Module } from '@nestjs/common';
import { ApiKeyHook } from './api-key.hook.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { KeyService } from './key.service.js';

@Module({ imports: [RateLimitsModule], providers: [KeyService, ApiKeyHook], exports: [KeyService, ApiKeyHook] })
export class AuthModule {}
