import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { PasswordLinkController } from './password-link.controller.js';
import { SessionResponses } from './session-responses.service.js';
import { SessionController } from './session.controller.js';
import { SessionHook } from './session.hook.js';
import { SignUpService } from './sign-up.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [SessionController, PasswordLinkController],
  providers: [SessionHook, SessionResponses, SignUpService],
  exports: [SessionHook, SessionResponses],
})
export class SessionModule {}
