import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { AccountsService } from '../../accounts/accounts.service.js';
import { type Session, SessionsService } from '../../accounts/sessions.service.js';
import type { UserActor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { readAs } from '../../http/validation/read-body.js';
import { Access, CurrentActor, CurrentSession } from './access.js';
import { ChangePasswordDto, SessionDto, SessionListingDto, SignInDto, SignUpDto } from './dto/session.dto.js';
import { readOrigin } from './origin.js';
import { SessionResponsesService } from './session-responses.service.js';
import { SignUpService } from './sign-up.service.js';

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
  @ApiOperation({ operationId: 'getSession', summary: 'Who is signed in, and where they are a member' })
  @ApiOkResponse({ type: SessionDto })
  show(@CurrentSession() session: Session): Promise<SessionDto> {
    return this.sessionResponses.describe(session);
  }

  @Post('sign-in')
  @HttpCode(HttpStatus.OK)
  @Access('everybody')
  @ApiOperation({ operationId: 'signIn', summary: 'Sign in' })
  @ApiOkResponse({ type: SessionDto })
  async signIn(
    @Body(readAs(SignInDto)) given: SignInDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionDto> {
    return this.sessionResponses.startSession(await this.accounts.signIn(given, readOrigin(request)), reply);
  }

  @Post('sign-up')
  @Access('everybody')
  @ApiOperation({ operationId: 'signUp', summary: 'Make an account and an organisation, and sign in' })
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
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access('user')
  @ApiOperation({ operationId: 'signOut', summary: 'End this session' })
  @ApiNoContentResponse()
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
  @ApiOperation({ operationId: 'listSessions', summary: 'Where the user is signed in' })
  @ApiOkResponse({ type: SessionListingDto, isArray: true })
  async list(@CurrentSession() session: Session): Promise<SessionListingDto[]> {
    const sessions = await this.sessions.list(session);
    return sessions.map((listed) => Object.assign({}, listed, { isCurrent: listed.sessionId === session.sessionId }));
  }

  @Delete('sessions/:sessionId')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access('user', { countedAs: 'sessions' })
  @ApiOperation({ operationId: 'endSession', summary: 'Sign out another browser' })
  @ApiNoContentResponse()
  async end(@CurrentActor() actor: UserActor, @Param('sessionId') sessionId: string): Promise<void> {
    const isEnded = isUuid(sessionId) && (await this.sessions.end(actor, sessionId, 'user.session_ended'));
    if (!isEnded) throw new DashboardError('not_found_here', { message: 'That session has ended already' });
  }

  @Post('password')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access('user', { countedAs: 'password' })
  @ApiOperation({ operationId: 'changePassword', summary: 'Change the password; every other session ends' })
  @ApiNoContentResponse()
  async changePassword(
    @CurrentSession() session: Session,
    @Body(readAs(ChangePasswordDto)) given: ChangePasswordDto,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.accounts.changePassword(session, given, readOrigin(request));
  }
}
