import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DASHBOARD_DATA_SOURCE } from '../database/database.module.js';
import { UserSession } from '../entities/user-session.entity.js';
import { AccountsService } from './accounts.service.js';
import { PasswordLinksService } from './password-links.service.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([UserSession], DASHBOARD_DATA_SOURCE)],
  providers: [AccountsService, SessionsService, PasswordLinksService],
  exports: [AccountsService, SessionsService, PasswordLinksService],
})
export class AccountsModule {}
