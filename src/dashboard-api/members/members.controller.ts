import { Body, Controller, Delete, Get, Param, Patch, Post, Query, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { readAs } from '../../http/validation/read-body.js';
import { KEY_CHOICES, type KeyChoice } from '../../accounts/api-keys/user-keys.js';
import { CsvResponse, type CsvColumn, createCsvFile, createInstantColumn } from '../csv.js';
import { type Page, PageQuery, readPage } from '../cursor.js';
import { checkParameters, createChoiceRule, Parameter, readParameter } from '../parameters.js';
import { CompressedResponse, NoContentResponse } from '../responses.js';
import { Access, CurrentMember, type Member } from '../session/access.js';
import { ChangeRoleDto, MemberDto, MemberPageDto } from './dto/member.dto.js';
import { MembersService } from './members.service.js';

const COLUMNS: readonly CsvColumn<MemberDto>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'E-mail', value: ({ email }) => email },
  { title: 'Role', value: ({ role }) => role },
  createInstantColumn('Member since', ({ joinedAt }) => joinedAt),
];

@ApiTags('Members')
@ApiParam({ name: 'tenantId', type: String })
@Controller('dashboard/organisations/:tenantId')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get('members')
  @Access('viewer')
  @PageQuery()
  @ApiOperation({ operationId: 'listMembers', summary: 'List the members of the organisation' })
  @CompressedResponse(MemberPageDto)
  list(@CurrentMember() member: Member, @Query() query: unknown): Promise<Page<MemberDto>> {
    return this.members.list(member, readPage(query));
  }

  @Get('members.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadMembers', summary: 'Download the members as CSV' })
  @CsvResponse('One line per member.')
  download(@CurrentMember() member: Member): Promise<StreamableFile> {
    return createCsvFile({ name: 'members', columns: COLUMNS }, member.tenantId, (request) =>
      this.members.list(member, request),
    );
  }

  @Patch('members/:userId')
  @Access('owner')
  @ApiOperation({ operationId: 'changeRole', summary: 'Change the role of a member' })
  @ApiOkResponse({ type: MemberDto })
  changeRole(
    @CurrentMember() member: Member,
    @Param('userId') userId: string,
    @Body(readAs(ChangeRoleDto)) { role }: ChangeRoleDto,
  ): Promise<MemberDto> {
    return this.members.changeRole(member, userId, role);
  }

  @Delete('members/:userId')
  @Access('owner')
  @KeysQuery()
  @ApiOperation({ operationId: 'removeMember', summary: 'Remove a member' })
  @NoContentResponse()
  remove(@CurrentMember() member: Member, @Param('userId') userId: string, @Query() query: unknown): Promise<void> {
    return this.members.remove(member, userId, readKeyChoice(query));
  }

  @Post('leave')
  @Access('viewer')
  @KeysQuery()
  @ApiOperation({ operationId: 'leaveOrganisation', summary: 'Leave the organisation' })
  @NoContentResponse()
  leave(@CurrentMember() member: Member, @Query() query: unknown): Promise<void> {
    return this.members.leave(member, readKeyChoice(query));
  }
}

function KeysQuery(): MethodDecorator {
  const description =
    'Whether to keep or revoke the API keys that the member created. If the member has active keys, a request ' +
    'without this parameter fails with 409 `member_keys_undecided` and lists them in `keys`.';
  return Parameter('keys', description, { enum: [...KEY_CHOICES] });
}

function readKeyChoice(query: unknown): KeyChoice | null {
  checkParameters(query, { keys: createChoiceRule(KEY_CHOICES, 'send keep or revoke') });
  return readParameter(query, 'keys') as KeyChoice | null;
}
