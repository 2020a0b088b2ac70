import { Module } from '@nestjs/common';
import { AccountsService } from './accounts.service.js';
import { PasswordLinksService } from './password-links.service.js';
import { SessionsService } from './sessions.service.js';

@Module({
  providers: [AccountsService, SessionsService, PasswordLinksService],
  exports: [AccountsService, SessionsService, PasswordLinksService],
})
export class AccountsModule {}
