import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { SessionModule } from '../session/session.module.js';
import { InvitationLinkController, InvitationsController } from './invitations.controller.js';
import { InvitationsService } from './invitations.service.js';
import { MembersController } from './members.controller.js';
import { MembersService } from './members.service.js';

@Module({
  imports: [AccountsModule, SessionModule],
  controllers: [MembersController, InvitationsController, InvitationLinkController],
  providers: [MembersService, InvitationsService],
})
export class MembersModule {}
