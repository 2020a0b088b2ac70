import { Body, Controller, Get, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import type { Actor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { readAs } from '../../http/validation/read-body.js';
import type { OwnLimits } from '../../rate-limits/limits.js';
import { changeOwnLimits } from '../../rate-limits/organisation-limits.js';
import { AUDIT_COLUMNS, AuditQuery, readAuditFilter } from '../audit/audit-query.js';
import type { OperatorAuditFilter } from '../audit/audit.sql.js';
import { CsvResponse, createCsvFile, type CsvFile, createInstantColumn } from '../csv.js';
import { PageQuery, readPage } from '../cursor.js';
import { checkParameters, readParameter, SEARCH_WORDS } from '../parameters.js';
import { CompressedResponse, OkResponse } from '../responses.js';
import { Access, CurrentActor } from '../session/access.js';
import { OPERATORS } from '../streamed-file.js';
import type { OperatorAuditEntryDto } from './dto/operator.dto.js';
import {
  AuthorityHealthDto,
  ChangeLimitsDto,
  OperatorAuditDto,
  OrganisationListingDto,
  OrganisationListingsDto,
  OwnLimitsDto,
} from './dto/operator.dto.js';
import { OperatorDatabase } from './operator-database.js';
import { OperatorPagesService } from './operator.service.js';

const AUDIT_FILE: CsvFile<OperatorAuditEntryDto> = {
  name: 'audit-log',
  columns: [
    ...AUDIT_COLUMNS,
    { title: 'Organisation', value: ({ organisation }) => organisation },
    { title: 'Organisation id', value: ({ tenantId }) => tenantId },
  ],
};

const ORGANISATIONS_FILE: CsvFile<OrganisationListingDto> = {
  name: 'organisations',
  columns: [
    { title: 'Organisation', value: ({ name }) => name },
    { title: 'TIN', value: ({ tin }) => tin },
    { title: 'Missing in its profile', value: ({ missing }) => missing.join(', ') },
    { title: 'Credits left', value: ({ balance }) => balance },
    { title: 'Documents, 30 days', value: ({ documentsLast30Days }) => documentsLast30Days },
    createInstantColumn('Latest batch', ({ lastActivityAt }) => lastActivityAt),
    { title: 'Organisation id', value: ({ tenantId }) => tenantId },
  ],
};

function SearchQuery(): MethodDecorator {
  const description = 'Part of the name, TIN or id.';
  return ApiQuery({ name: 'search', required: false, type: String, description });
}

function OrganisationQuery(): MethodDecorator {
  return ApiQuery({
    name: 'tenantId',
    required: false,
    type: String,
    description: 'Limits the list to one organisation.',
  });
}

@ApiTags('Operators')
@Controller('dashboard/operator')
export class OperatorController {
  constructor(
    private readonly pages: OperatorPagesService,
    private readonly database: OperatorDatabase,
  ) {}

  @Get('organisations')
  @Access('operator')
  @PageQuery()
  @SearchQuery()
  @ApiOperation({ operationId: 'listOrganisations', summary: 'List all organisations, newest first' })
  @CompressedResponse(OrganisationListingsDto)
  organisations(@Query() query: unknown): Promise<OrganisationListingsDto> {
    return this.pages.listOrganisations(readSearch(query), readPage(query));
  }

  @Get('organisations.csv')
  @Access('operator')
  @SearchQuery()
  @ApiOperation({ operationId: 'downloadOrganisations', summary: 'Download all organisations as CSV' })
  @CsvResponse('One line per organisation.')
  organisationsFile(@Query() query: unknown): Promise<StreamableFile> {
    const search = readSearch(query);
    return createCsvFile(ORGANISATIONS_FILE, OPERATORS, (page) => this.pages.listOrganisations(search, page));
  }

  @Post('organisations/:tenantId/rate-limits')
  @Access('operator')
  @ApiParam({ name: 'tenantId', format: 'uuid' })
  @ApiOperation({ operationId: 'changeRateLimits', summary: 'Set all rate limits of an organisation' })
  @OkResponse(OwnLimitsDto)
  async changeLimits(
    @Param('tenantId') tenantId: string,
    @Body(readAs(ChangeLimitsDto)) body: ChangeLimitsDto,
    @CurrentActor() actor: Actor,
  ): Promise<OwnLimits> {
    const { requests = null, submits = null, tinChecks = null } = body;
    const change = { requests, submits, tinChecks };
    const figures = isUuid(tenantId)
      ? await this.database.change((tx) => changeOwnLimits(tx, actor, { tenantId, change }))
      : null;
    if (figures === null) throw new DashboardError('not_found_here', { message: 'There is no such organisation' });
    return figures;
  }

  @Get('authority')
  @Access('operator')
  @ApiOperation({ operationId: 'getAuthorityHealth', summary: 'Get the state of the authority and the dispatcher' })
  @CompressedResponse(AuthorityHealthDto)
  authority(): Promise<AuthorityHealthDto> {
    return this.pages.readAuthority();
  }

  @Get('audit')
  @Access('operator')
  @PageQuery()
  @AuditQuery()
  @OrganisationQuery()
  @ApiOperation({
    operationId: 'listAllAuditEntries',
    summary: 'List audit entries of all organisations, newest first',
  })
  @CompressedResponse(OperatorAuditDto)
  audit(@Query() query: unknown): Promise<OperatorAuditDto> {
    return this.pages.listAudit(readFilter(query), readPage(query));
  }

  @Get('audit.csv')
  @Access('operator')
  @AuditQuery()
  @OrganisationQuery()
  @ApiOperation({
    operationId: 'downloadAllAuditEntries',
    summary: 'Download audit entries of all organisations as CSV',
  })
  @CsvResponse('One line per entry.')
  auditFile(@Query() query: unknown): Promise<StreamableFile> {
    const filter = readFilter(query);
    return createCsvFile(AUDIT_FILE, OPERATORS, (page) => this.pages.listAudit(filter, page));
  }
}

const TENANT_ID = {
  isKept: (text: string): boolean => isUuid(text),
  message: 'must be an id',
  hint: 'copy it from the list of organisations',
};

function readFilter(query: unknown): OperatorAuditFilter {
  checkParameters(query, { tenantId: TENANT_ID });
  return { ...readAuditFilter(query), tenantId: readParameter(query, 'tenantId') };
}

function readSearch(query: unknown): string | null {
  checkParameters(query, { search: SEARCH_WORDS });
  const search = readParameter(query, 'search')?.trim() ?? '';
  return search === '' ? null : search;
}
