import { Body, Controller, Delete, Get, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { AccountsService } from '../../accounts/accounts.service.js';
import { PasswordLinksService } from '../../accounts/password-links.service.js';
import { type Session, SessionsService } from '../../accounts/sessions.service.js';
import type { UserActor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { readAs } from '../../http/validation/read-body.js';
import { Access, CurrentActor, CurrentSession } from './access.js';
import {
  ChangePasswordDto,
  OpenedPasswordLinkDto,
  OpenPasswordLinkDto,
  RenameDto,
  SessionDto,
  SessionListingDto,
  SignInDto,
  SignUpDto,
  UsePasswordLinkDto,
} from './dto/session.dto.js';
import { readOrigin } from './cookies.js';
import { SessionResponsesService } from './session-responses.service.js';
import { SignUpService } from './sign-up.service.js';
import { NoContentResponse, OkResponse } from '../responses.js';

@ApiTags('Session')
@Controller('dashboard')
export class SessionController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly signUps: SignUpService,
    private readonly sessionResponses: SessionResponsesService,
  ) {}

  @Get('session')
  @Access('user')
  @ApiOperation({ operationId: 'getSession', summary: 'Get the signed-in user and their organisations' })
  @ApiOkResponse({ type: SessionDto })
  show(@CurrentSession() session: Session): Promise<SessionDto> {
    return this.sessionResponses.describe(session);
  }

  @Post('sign-in')
  @Access('everybody')
  @ApiOperation({ operationId: 'signIn', summary: 'Sign in' })
  @OkResponse(SessionDto)
  async signIn(
    @Body(readAs(SignInDto)) given: SignInDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionDto> {
    return this.sessionResponses.startSession(await this.accounts.signIn(given, readOrigin(request)), reply);
  }

  @Post('sign-up')
  @Access('everybody')
  @ApiOperation({ operationId: 'signUp', summary: 'Create an account and an organisation, and sign in' })
  @ApiCreatedResponse({ type: SessionDto })
  async signUp(
    @Body(readAs(SignUpDto)) given: SignUpDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionDto> {
    const secret = await this.signUps.signUp(given, readOrigin(request));
    if (secret !== null) return this.sessionResponses.startSession(secret, reply);
    const organisation = { tenantId: uuidv7(), name: given.organisationName, role: 'owner' } as const;
    return this.sessionResponses.respondToTakenAddress(given, organisation, reply);
  }

  @Post('sign-out')
  @Access('user')
  @ApiOperation({ operationId: 'signOut', summary: 'End this session' })
  @NoContentResponse()
  async signOut(
    @CurrentSession() { sessionId }: Session,
    @CurrentActor() actor: UserActor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.end(actor, sessionId, 'user.signed_out');
    this.sessionResponses.endSession(reply);
  }

  @Get('sessions')
  @Access('user')
  @ApiOperation({ operationId: 'listSessions', summary: 'List the sessions of the user' })
  @ApiOkResponse({ type: SessionListingDto, isArray: true })
  async list(@CurrentSession() session: Session): Promise<SessionListingDto[]> {
    const sessions = await this.sessions.list(session);
    return sessions.map((listed) => Object.assign({}, listed, { isCurrent: listed.sessionId === session.sessionId }));
  }

  @Delete('sessions/:sessionId')
  @Access('user', { countedAs: 'sessions' })
  @ApiOperation({ operationId: 'endSession', summary: 'Sign out another browser' })
  @NoContentResponse()
  async end(@CurrentActor() actor: UserActor, @Param('sessionId') sessionId: string): Promise<void> {
    const isEnded = isUuid(sessionId) && (await this.sessions.end(actor, sessionId, 'user.session_ended'));
    if (!isEnded) throw new DashboardError('not_found_here', { message: 'That session has ended already' });
  }

  @Post('password')
  @Access('user', { countedAs: 'password' })
  @ApiOperation({ operationId: 'changePassword', summary: 'Change the password and end all other sessions' })
  @NoContentResponse()
  async changePassword(
    @CurrentSession() session: Session,
    @Body(readAs(ChangePasswordDto)) given: ChangePasswordDto,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.accounts.changePassword(session, given, readOrigin(request));
  }

  @Patch('account')
  @Access('user', { countedAs: 'rename' })
  @ApiOperation({ operationId: 'renameAccount', summary: 'Change the name of the user' })
  @NoContentResponse()
  async rename(@CurrentActor() actor: UserActor, @Body(readAs(RenameDto)) { name }: RenameDto): Promise<void> {
    await this.accounts.rename(actor, name);
  }

  @Post('sessions/end-others')
  @Access('user', { countedAs: 'sessions' })
  @ApiOperation({ operationId: 'endOtherSessions', summary: 'Sign out every other browser' })
  @NoContentResponse()
  async endOthers(@CurrentActor() actor: UserActor, @CurrentSession() { sessionId }: Session): Promise<void> {
    await this.accounts.endOtherSessions(actor, sessionId);
  }
}

/** Links that set a password. Paths never contain the secret of a link because proxies and browsers log them. */
@ApiTags('Session')
@Controller('dashboard/password-links')
export class PasswordLinkController {
  constructor(
    private readonly links: PasswordLinksService,
    private readonly sessionResponses: SessionResponsesService,
  ) {}

  @Post('look-up')
  @Access('everybody', { countedAs: 'link' })
  @ApiOperation({ operationId: 'lookUpPasswordLink', summary: 'Get the account of a password link' })
  @OkResponse(OpenedPasswordLinkDto)
  async lookUp(@Body(readAs(OpenPasswordLinkDto)) { secret }: OpenPasswordLinkDto): Promise<OpenedPasswordLinkDto> {
    const { email } = await this.links.lookUp(secret);
    return { email };
  }

  @Post('use')
  @Access('everybody', { countedAs: 'link' })
  @ApiOperation({ operationId: 'usePasswordLink', summary: 'Set the password, end all sessions and sign in' })
  @OkResponse(SessionDto)
  async use(
    @Body(readAs(UsePasswordLinkDto)) { secret, password }: UsePasswordLinkDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionDto> {
    return this.sessionResponses.startSession(await this.links.use(secret, password, readOrigin(request)), reply);
  }
}
