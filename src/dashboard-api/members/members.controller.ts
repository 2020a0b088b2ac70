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
  @ApiOperation({ operationId: 'listMembers', summary: 'Who belongs to the organisation' })
  @CompressedResponse(MemberPageDto)
  list(@CurrentMember() member: Member, @Query() query: unknown): Promise<Page<MemberDto>> {
    return this.members.list(member, readPage(query));
  }

  @Get('members.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadMembers', summary: 'The same list as a file' })
  @CsvResponse('All members.')
  download(@CurrentMember() member: Member): Promise<StreamableFile> {
    return createCsvFile({ name: 'members', columns: COLUMNS }, member.tenantId, (request) =>
      this.members.list(member, request),
    );
  }

  @Patch('members/:userId')
  @Access('owner')
  @ApiParam({ name: 'userId', type: String })
  @ApiOperation({ operationId: 'changeRole', summary: 'Give a member another role' })
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
  @ApiParam({ name: 'userId', type: String })
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

/** Documents the parameter `keys`. */
function KeysQuery(): MethodDecorator {
  const description =
    'What becomes of the API keys that the member made. When there are such that still work, a request without it is a ' +
    '409 `member_keys_undecided`, whose `keys` lists them.';
  return Parameter('keys', description, { enum: [...KEY_CHOICES] });
}

/** @throws ValidationError (400) for another word */
function readKeyChoice(query: unknown): KeyChoice | null {
  checkParameters(query, { keys: createChoiceRule(KEY_CHOICES, 'send keep or revoke') });
  return readParameter(query, 'keys') as KeyChoice | null;
}
