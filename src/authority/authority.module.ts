import { HttpModule } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { AuthorityClient } from './authority-client.js';
import { CallBudget } from './call-budget.js';
import { TokenStore } from './token-store.js';
import { AuthorityTokens } from './tokens.js';
import { AuthorityTransport } from './transport.js';

/** The authority for both processes: its operations, and the calls that may be made. */
@Module({
  imports: [HttpModule],
  providers: [AuthorityClient, AuthorityTokens, AuthorityTransport, CallBudget, TokenStore],
  exports: [AuthorityClient, AuthorityTokens, CallBudget],
})
export class AuthorityModule {}
