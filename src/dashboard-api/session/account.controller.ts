import { Body, Controller, HttpCode, HttpStatus, Patch, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountsService } from '../../accounts/accounts.service.js';
import type { UserActor } from '../../accounts/audit.js';
import type { Session } from '../../accounts/sessions.service.js';
import { readAs } from '../../http/validation/read-body.js';
import { Access, CurrentActor, CurrentSession } from '../session/access.js';
import { RenameDto } from '../session/dto/session.dto.js';

/** One's own account; signing in and out, sessions and the password are the session's part. */
@ApiTags('Account')
@Controller('dashboard')
export class AccountController {
  constructor(private readonly accounts: AccountsService) {}

  @Patch('account')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access('user', { countedAs: 'rename' })
  @ApiOperation({ operationId: 'renameAccount', summary: 'Change the name that others see' })
  @ApiNoContentResponse()
  async rename(@CurrentActor() actor: UserActor, @Body(readAs(RenameDto)) { name }: RenameDto): Promise<void> {
    await this.accounts.rename(actor, name);
  }

  @Post('sessions/end-others')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access('user', { countedAs: 'sessions' })
  @ApiOperation({ operationId: 'endOtherSessions', summary: 'Sign out every other browser' })
  @ApiNoContentResponse()
  async endOthers(@CurrentActor() actor: UserActor, @CurrentSession() { sessionId }: Session): Promise<void> {
    await this.accounts.endOtherSessions(actor, sessionId);
  }
}
