import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { PasswordLinkController } from './password-link.controller.js';
import { SessionResponsesService } from './session-responses.service.js';
import { SessionController } from './session.controller.js';
import { SessionHook } from './session.hook.js';
import { SignUpService } from './sign-up.service.js';

@Module({
  imports: [AccountsModule, RateLimitsModule],
  controllers: [SessionController, PasswordLinkController],
  providers: [SessionHook, SessionResponsesService, SignUpService],
  exports: [SessionHook, SessionResponsesService],
})
export class SessionModule {}
