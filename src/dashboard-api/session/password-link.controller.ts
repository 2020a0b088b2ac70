import { Body, Controller, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PasswordLinksService } from '../../accounts/password-links.service.js';
import { readBody } from '../../validation/read-body.js';
import { compileShape } from '../../validation/shape.js';
import { Access } from './access.js';
import { SessionDto, OpenedPasswordLinkDto, OpenPasswordLinkDto, UsePasswordLinkDto } from './dto/session.dto.js';
import { readOrigin } from './origin.js';
import { SessionResponsesService } from './session-responses.service.js';

const OPEN = compileShape(OpenPasswordLinkDto);
const USE = compileShape(UsePasswordLinkDto);

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
  @ApiBody({ type: OpenPasswordLinkDto })
  @ApiOkResponse({ type: OpenedPasswordLinkDto })
  async lookUp(@Body() body: unknown): Promise<OpenedPasswordLinkDto> {
    const { secret } = readBody<OpenPasswordLinkDto>(OPEN, body);
    const { email } = await this.links.lookUp(secret);
    return { email };
  }

  @Post('use')
  @HttpCode(HttpStatus.OK)
  @Access('everybody', { countedAs: 'link' })
  @ApiOperation({ operationId: 'usePasswordLink', summary: 'Set the password, end every session, and sign in' })
  @ApiBody({ type: UsePasswordLinkDto })
  @ApiOkResponse({ type: SessionDto })
  async use(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionDto> {
    const { secret, password } = readBody<UsePasswordLinkDto>(USE, body);
    return this.sessionResponses.startSession(await this.links.use(secret, password, readOrigin(request)), reply);
  }
}
