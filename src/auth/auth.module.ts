import { Module } from '@nestjs/common';
import { ApiKeyHook } from './api-key.hook.js';
import { KeyService } from './key.service.js';

@Module({ providers: [KeyService, ApiKeyHook], exports: [KeyService, ApiKeyHook] })
export class AuthModule {}
