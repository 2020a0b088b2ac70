import { Module } from '@nestjs/common';
import { RateLimitHook } from './rate-limit.hook.js';
import { RateLimiter } from './rate-limiter.js';

@Module({ providers: [RateLimiter, RateLimitHook], exports: [RateLimitHook] })
export class RateLimitsModule {}
