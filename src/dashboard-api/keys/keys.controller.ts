import { Body, Controller, Delete, Get, Param, Post, Query, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { INSTANT_EXAMPLE, parseInstant } from '../../http/validation/instant.js';
import { ValidationError } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';
import { readAs } from '../../http/validation/read-body.js';
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
  @ApiOperation({ operationId: 'listKeys', summary: 'List the API keys of the organisation, newest first' })
  @CompressedResponse(KeyPageDto)
  list(@CurrentMember() member: Member, @Query() query: unknown): Promise<Page<KeyDto>> {
    return this.keys.list(member, readPage(query));
  }

  @Get('keys.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadKeys', summary: 'Download the API keys as CSV' })
  @CsvResponse('One line per key.')
  download(@CurrentMember() member: Member): Promise<StreamableFile> {
    return createCsvFile({ name: 'api-keys', columns: COLUMNS }, member.tenantId, (request) =>
      this.keys.list(member, request),
    );
  }

  @Post('keys')
  @Access('member', { countedAs: 'keys' })
  @ApiOperation({ operationId: 'createKey', summary: 'Create an API key. Only this response contains the key' })
  @ApiCreatedResponse({ type: MadeKeyDto })
  create(
    @CurrentMember() member: Member,
    @Body(readAs(CreateKeyDto)) { name, environment, expiresAt }: CreateKeyDto,
  ): Promise<MadeKeyDto> {
    return this.keys.create(member, { name, environment, expiresAt: readExpiry(expiresAt, member) });
  }

  @Post('keys/:keyId/rotate')
  @Access('member', { countedAs: 'keys' })
  @ApiOperation({
    operationId: 'rotateKey',
    summary: 'Replace a key by a new key of the same name. The old key expires after the overlap',
  })
  @ApiCreatedResponse({ type: RotatedKeyDto })
  rotate(
    @CurrentMember() member: Member,
    @Param('keyId') keyId: string,
    @Body(readAs(RotateKeyDto)) { overlapHours, expiresAt }: RotateKeyDto,
  ): Promise<RotatedKeyDto> {
    return this.keys.rotate(member, keyId, { overlapHours, expiresAt: readExpiry(expiresAt, member) });
  }

  @Get('keys/:keyId/activity')
  @Access('viewer')
  @ApiOperation({ operationId: 'getKeyActivity', summary: 'Get the activity of an API key' })
  @CompressedResponse(KeyActivityDto)
  activity(@CurrentMember() member: Member, @Param('keyId') keyId: string): Promise<KeyActivityDto> {
    return this.keys.activity(member, keyId);
  }

  @Delete('keys/:keyId')
  @Access('member', { countedAs: 'keys' })
  @ApiOperation({ operationId: 'revokeKey', summary: 'Revoke an API key immediately' })
  @NoContentResponse()
  revoke(@CurrentMember() member: Member, @Param('keyId') keyId: string): Promise<void> {
    return this.keys.revoke(member, keyId);
  }
}

/** @throws ValidationError (400) if the time is malformed or in the past by the database's clock */
function readExpiry(text: string | undefined, { session }: Member): Date | null {
  if (text === undefined) return null;
  const instant = parseInstant(text);
  if (instant !== null && instant > session.now) return instant;
  throw new ValidationError([instant === null ? NOT_REAL : NOT_FUTURE]);
}

const NOT_REAL: Problem = {
  pointer: '/expiresAt',
  rule: 'expires_at_real',
  message: 'is not a valid timestamp',
  hint: `such as ${INSTANT_EXAMPLE}`,
};

const NOT_FUTURE: Problem = {
  pointer: '/expiresAt',
  rule: 'expires_at_future',
  message: 'must be in the future',
  hint: 'leave it out for a key that does not expire',
};
