import { Body, Controller, Delete, Get, Param, Post, Query, type StreamableFile } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { INSTANT_EXAMPLE, parseInstant } from '../../http/validation/instant.js';
import type { Problem } from '../../errors/problem.js';
import { readBody } from '../../http/validation/read-body.js';
import { compileShape } from '../../http/validation/shape.js';
import { CsvResponse, type CsvColumn, createCsvFile, createInstantColumn } from '../csv.js';
import { type Page, PageQuery, readPage } from '../cursor.js';
import { CompressedResponse, NoContentResponse } from '../responses.js';
import { Access, CurrentMember, type Member } from '../session/access.js';
import {
  CreateKeyDto,
  KeyActivityDto,
  type KeyDto,
  KeyPageDto,
  MadeKeyDto,
  RotatedKeyDto,
  RotateKeyDto,
} from './dto/key.dto.js';
import { formatActor } from '../shown-actor.js';
import { OrganisationKeysService } from './organisation-keys.service.js';

const CREATE = compileShape(CreateKeyDto);
const ROTATE = compileShape(RotateKeyDto);

const COLUMNS: readonly CsvColumn<KeyDto>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'Environment', value: ({ environment }) => environment },
  { title: 'Key', value: ({ prefix, lastFour }) => `${prefix}…${lastFour}` },
  { title: 'State', value: ({ state }) => state },
  createInstantColumn('Created', ({ createdAt }) => createdAt),
  { title: 'Made by', value: ({ createdBy }) => formatActor(createdBy) },
  createInstantColumn('Last used', ({ lastUsedAt }) => lastUsedAt),
  createInstantColumn('Expires', ({ expiresAt }) => expiresAt),
  createInstantColumn('Revoked', ({ revokedAt }) => revokedAt),
];

@ApiTags('API keys')
@ApiParam({ name: 'tenantId', type: String })
@Controller('dashboard/organisations/:tenantId')
export class KeysController {
  constructor(private readonly keys: OrganisationKeysService) {}

  @Get('keys')
  @Access('viewer')
  @PageQuery()
  @ApiOperation({ operationId: 'listKeys', summary: "The organisation's API keys, the newest first" })
  @CompressedResponse(KeyPageDto)
  list(@CurrentMember() member: Member, @Query() query: unknown): Promise<Page<KeyDto>> {
    return this.keys.list(member, readPage(query));
  }

  @Get('keys.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadKeys', summary: 'The same list as a file' })
  @CsvResponse('All keys.')
  download(@CurrentMember() member: Member): Promise<StreamableFile> {
    return createCsvFile({ name: 'api-keys', columns: COLUMNS }, member.tenantId, (request) =>
      this.keys.list(member, request),
    );
  }

  @Post('keys')
  @Access('member', { countedAs: 'keys' })
  @ApiOperation({ operationId: 'createKey', summary: 'Make an API key; only this response has its text' })
  @ApiBody({ type: CreateKeyDto })
  @ApiCreatedResponse({ type: MadeKeyDto })
  create(@CurrentMember() member: Member, @Body() body: unknown): Promise<MadeKeyDto> {
    const { name, environment, expiresAt } = readBody<CreateKeyDto>(CREATE, body, (read) =>
      findExpiryProblems(read, member),
    );
    return this.keys.create(member, { name, environment, expiresAt: readExpiry(expiresAt) });
  }

  @Post('keys/:keyId/rotate')
  @Access('member', { countedAs: 'keys' })
  @ApiParam({ name: 'keyId', type: String })
  @ApiOperation({
    operationId: 'rotateKey',
    summary: 'Make another key of the same name; the old one ends after a while',
  })
  @ApiBody({ type: RotateKeyDto })
  @ApiCreatedResponse({ type: RotatedKeyDto })
  rotate(
    @CurrentMember() member: Member,
    @Param('keyId') keyId: string,
    @Body() body: unknown,
  ): Promise<RotatedKeyDto> {
    const { overlapHours, expiresAt } = readBody<RotateKeyDto>(ROTATE, body, (read) =>
      findExpiryProblems(read, member),
    );
    return this.keys.rotate(member, keyId, { overlapHours, expiresAt: readExpiry(expiresAt) });
  }

  @Get('keys/:keyId/activity')
  @Access('viewer')
  @ApiParam({ name: 'keyId', type: String })
  @ApiOperation({ operationId: 'getKeyActivity', summary: 'What an API key did' })
  @CompressedResponse(KeyActivityDto)
  activity(@CurrentMember() member: Member, @Param('keyId') keyId: string): Promise<KeyActivityDto> {
    return this.keys.activity(member, keyId);
  }

  @Delete('keys/:keyId')
  @Access('member', { countedAs: 'keys' })
  @ApiParam({ name: 'keyId', type: String })
  @ApiOperation({ operationId: 'revokeKey', summary: 'End an API key immediately' })
  @NoContentResponse()
  revoke(@CurrentMember() member: Member, @Param('keyId') keyId: string): Promise<void> {
    return this.keys.revoke(member, keyId);
  }
}

/** What is wrong with when a key shall end, by the database's clock. */
function findExpiryProblems({ expiresAt }: { expiresAt?: string }, { session }: Member): Problem[] {
  if (expiresAt === undefined) return [];
  const instant = parseInstant(expiresAt);
  const pointer = '/expiresAt';
  if (instant === null) {
    return [
      { pointer, rule: 'expires_at_real', message: 'is not a valid timestamp', hint: `such as ${INSTANT_EXAMPLE}` },
    ];
  }
  if (instant > session.now) return [];
  const hint = 'leave it out for a key that does not expire';
  return [{ pointer, rule: 'expires_at_future', message: 'must be in the future', hint }];
}

function readExpiry(text: string | undefined): Date | null {
  return text === undefined ? null : parseInstant(text);
}
