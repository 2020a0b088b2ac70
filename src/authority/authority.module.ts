import { HttpModule } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { AuthorityCalls } from './authority-calls.js';
import { AuthorityClock } from './authority-clock.js';
import { AuthorityClient } from './authority-client.js';
import { CallBudget } from './call-budget.js';
import { PlatformLogin } from './platform-login.js';
import { TokenStore } from './token-store.js';
import { AuthorityTokens } from './tokens.js';
import { AuthorityTransport } from './transport.js';

@Module({
  imports: [HttpModule],
  providers: [
    AuthorityClient,
    AuthorityClock,
    { provide: AuthorityCalls, useExisting: AuthorityClient },
    AuthorityTokens,
    AuthorityTransport,
    CallBudget,
    PlatformLogin,
    TokenStore,
  ],
  exports: [AuthorityCalls, AuthorityTokens, CallBudget, PlatformLogin],
})
export class AuthorityModule {}
