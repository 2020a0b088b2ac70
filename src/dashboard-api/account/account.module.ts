import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { AccountController } from './account.controller.js';

@Module({ imports: [AccountsModule], controllers: [AccountController] })
export class AccountModule {}
