import { Module } from '@nestjs/common';
import { AccountsService } from './accounts.service.js';
import { SessionsService } from './sessions.service.js';

@Module({ providers: [AccountsService, SessionsService], exports: [AccountsService, SessionsService] })
export class AccountsModule {}
