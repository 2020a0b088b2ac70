import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { PasswordLinkController } from './password-link.controller.js';
import { SessionAnswers } from './session-answers.service.js';
import { SessionController } from './session.controller.js';
import { SessionHook } from './session.guard.js';
import { SignUpService } from './sign-up.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [SessionController, PasswordLinkController],
  providers: [SessionHook, SessionAnswers, SignUpService],
  exports: [SessionHook, SessionAnswers],
})
export class SessionModule {}
