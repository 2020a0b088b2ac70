import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { OrganisationModule } from './organisation/organisation.module.js';
import { SessionController } from './session/session.controller.js';
import { SessionGuard } from './session/session.guard.js';
import { SignUpService } from './session/sign-up.service.js';

/** What the dashboard's pages ask: the same services as the four endpoints, for people with sessions. */
@Module({
  imports: [AccountsModule, OrganisationModule],
  controllers: [SessionController],
  providers: [SessionGuard, SignUpService],
  exports: [SessionGuard],
})
export class DashboardModule {}
