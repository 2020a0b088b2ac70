import { Body, Controller, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PasswordLinksService } from '../../accounts/password-links.service.js';
import { readAs } from '../../http/validation/read-body.js';
import { Access } from './access.js';
import { SessionDto, OpenedPasswordLinkDto, OpenPasswordLinkDto, UsePasswordLinkDto } from './dto/session.dto.js';
import { readOrigin } from './origin.js';
import { SessionResponsesService } from './session-responses.service.js';

/**
 * Links with which users set their passwords. The secret is in the link's fragment and in bodies, never in an address:
 * those are written to logs and histories on their way.
 */
@ApiTags('Session')
@Controller('dashboard/password-links')
export class PasswordLinkController {
  constructor(
    private readonly links: PasswordLinksService,
    private readonly sessionResponses: SessionResponsesService,
  ) {}

  @Post('look-up')
  @HttpCode(HttpStatus.OK)
  @Access('everybody', { countedAs: 'link' })
  @ApiOperation({ operationId: 'lookUpPasswordLink', summary: 'Whose password a link sets' })
  @ApiOkResponse({ type: OpenedPasswordLinkDto })
  async lookUp(@Body(readAs(OpenPasswordLinkDto)) { secret }: OpenPasswordLinkDto): Promise<OpenedPasswordLinkDto> {
    const { email } = await this.links.lookUp(secret);
    return { email };
  }

  @Post('use')
  @HttpCode(HttpStatus.OK)
  @Access('everybody', { countedAs: 'link' })
  @ApiOperation({ operationId: 'usePasswordLink', summary: 'Set the password, end every session, and sign in' })
  @ApiOkResponse({ type: SessionDto })
  async use(
    @Body(readAs(UsePasswordLinkDto)) { secret, password }: UsePasswordLinkDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionDto> {
    return this.sessionResponses.startSession(await this.links.use(secret, password, readOrigin(request)), reply);
  }
}
