import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../accounts/sessions.service.js';
import { readAs } from '../../http/validation/read-body.js';
import { CsvResponse, type CsvColumn, createCsvFile, createInstantColumn } from '../csv.js';
import { type Page, PageQuery, readPage } from '../cursor.js';
import { CompressedResponse, NoContentResponse, OkResponse } from '../responses.js';
import { Access, CurrentMember, CurrentSession, type Member } from '../session/access.js';
import { SessionDto } from '../session/dto/session.dto.js';
import { readOrigin } from '../session/cookies.js';
import { SessionResponsesService } from '../session/session-responses.service.js';
import {
  AcceptedInvitationDto,
  type InvitationDto,
  InvitationPageDto,
  InviteDto,
  MadeInvitationDto,
  OpenedInvitationDto,
  OpenInvitationDto,
  SignUpByInvitationDto,
} from './dto/member.dto.js';
import { InvitationsService } from './invitations.service.js';

const COLUMNS: readonly CsvColumn<InvitationDto>[] = [
  { title: 'E-mail', value: ({ email }) => email },
  { title: 'Role', value: ({ role }) => role },
  { title: 'Invited by', value: ({ invitedBy }) => invitedBy },
  createInstantColumn('Invited', ({ createdAt }) => createdAt),
  createInstantColumn('Expires', ({ expiresAt }) => expiresAt),
];

@ApiTags('Members')
@ApiParam({ name: 'tenantId', type: String })
@Controller('dashboard/organisations/:tenantId')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Get('invitations')
  @Access('owner')
  @PageQuery()
  @ApiOperation({ operationId: 'listInvitations', summary: 'List open invitations, newest first' })
  @CompressedResponse(InvitationPageDto)
  list(@CurrentMember() member: Member, @Query() query: unknown): Promise<Page<InvitationDto>> {
    return this.invitations.list(member, readPage(query));
  }

  @Get('invitations.csv')
  @Access('owner')
  @ApiOperation({ operationId: 'downloadInvitations', summary: 'Download open invitations as CSV' })
  @CsvResponse('One line per invitation.')
  download(@CurrentMember() member: Member): Promise<StreamableFile> {
    return createCsvFile({ name: 'invitations', columns: COLUMNS }, member.tenantId, (request) =>
      this.invitations.list(member, request),
    );
  }

  @Post('invitations')
  @Access('owner', { countedAs: 'invitations' })
  @ApiOperation({
    operationId: 'invite',
    summary: 'Invite a member and revoke earlier invitations for the same address',
  })
  @ApiCreatedResponse({ type: MadeInvitationDto })
  create(@CurrentMember() member: Member, @Body(readAs(InviteDto)) body: InviteDto): Promise<MadeInvitationDto> {
    return this.invitations.create(member, body);
  }

  @Delete('invitations/:invitationId')
  @Access('owner', { countedAs: 'invitations' })
  @ApiOperation({ operationId: 'revokeInvitation', summary: 'Revoke an invitation' })
  @NoContentResponse()
  revoke(@CurrentMember() member: Member, @Param('invitationId') invitationId: string): Promise<void> {
    return this.invitations.revoke(member, invitationId);
  }
}

/** Endpoints for invitees. Paths never contain the secret of a link because proxies and browsers log them. */
@ApiTags('Invitation')
@Controller('dashboard/invitations')
export class InvitationLinkController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly sessionResponses: SessionResponsesService,
  ) {}

  @Post('look-up')
  @Access('everybody', { countedAs: 'link' })
  @ApiOperation({ operationId: 'lookUpInvitation', summary: 'Get the invitation of a link' })
  @OkResponse(OpenedInvitationDto)
  async lookUp(@Body(readAs(OpenInvitationDto)) { secret }: OpenInvitationDto): Promise<OpenedInvitationDto> {
    const { organisation, email, role } = await this.invitations.lookUp(secret);
    return { organisation, email, role };
  }

  @Post('accept')
  @Access('user', { countedAs: 'invitations' })
  @ApiOperation({ operationId: 'acceptInvitation', summary: 'Add the signed-in user as a member' })
  @OkResponse(AcceptedInvitationDto)
  async accept(
    @CurrentSession() session: Session,
    @Body(readAs(OpenInvitationDto)) { secret }: OpenInvitationDto,
    @Req() { ip }: FastifyRequest,
  ): Promise<AcceptedInvitationDto> {
    return { tenantId: await this.invitations.accept(secret, session, ip) };
  }

  @Post('sign-up')
  @Access('everybody', { countedAs: 'link' })
  @ApiOperation({ operationId: 'signUpByInvitation', summary: 'Create an account, add it as a member and sign in' })
  @ApiCreatedResponse({ type: SessionDto })
  async signUp(
    @Body(readAs(SignUpByInvitationDto)) { secret, name, password }: SignUpByInvitationDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionDto> {
    const made = await this.invitations.signUp(secret, { name, password }, readOrigin(request));
    if (made.session !== null) return this.sessionResponses.startSession(made.session, reply);
    const { email, tenantId, organisation, role } = made.invitation;
    return this.sessionResponses.respondToTakenAddress({ email, name }, { tenantId, name: organisation, role }, reply);
  }
}
