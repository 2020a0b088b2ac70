import { Module } from '@nestjs/common';
import { ApiKeyGuard } from './api-key.guard.js';
import { KeyService } from './key.service.js';

@Module({ providers: [KeyService, ApiKeyGuard], exports: [KeyService, ApiKeyGuard] })
export class AuthModule {}
