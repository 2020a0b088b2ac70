import { Compressed } from '../../http/compression.js';
import type { OperatorAuditEntryDto } from './dto/operator.dto.js';
import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import { AUDIT_COLUMNS, AuditQuery, readAuditFilter } from '../audit/audit-query.js';
import { CsvResponse, createCsvFile, type CsvFile, createInstantColumn } from '../csv.js';
import { OPERATORS } from '../streamed-file.js';
import { PageQuery, readPage } from '../cursor.js';
import { checkParameters, readParameter, SEARCH_WORDS } from '../query-parameters.js';
import { Access } from '../session/access.js';
import type { OperatorAuditFilter } from './operator-audit.sql.js';
import {
  AuthorityHealthDto,
  OperatorAuditDto,
  OrganisationListingDto,
  OrganisationListingsDto,
} from './dto/operator.dto.js';
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
  const description = 'A part of the name, the TIN or the id.';
  return ApiQuery({ name: 'search', required: false, type: String, description });
}

function OrganisationQuery(): MethodDecorator {
  return ApiQuery({ name: 'tenantId', required: false, type: String, description: 'Of this organisation alone.' });
}

@ApiTags('Operators')
@Controller('dashboard/operator')
export class OperatorController {
  constructor(private readonly pages: OperatorPagesService) {}

  @Get('organisations')
  @Compressed()
  @Access('operator')
  @PageQuery()
  @SearchQuery()
  @ApiOperation({ operationId: 'listOrganisations', summary: 'All organisations, the newest first' })
  @ApiOkResponse({ type: OrganisationListingsDto })
  organisations(@Query() query: unknown): Promise<OrganisationListingsDto> {
    return this.pages.listOrganisations(readSearch(query), readPage(query));
  }

  @Get('organisations.csv')
  @Access('operator')
  @SearchQuery()
  @ApiOperation({ operationId: 'downloadOrganisations', summary: 'The same list as CSV' })
  @CsvResponse('A line for each organisation.')
  organisationsFile(@Query() query: unknown): Promise<StreamableFile> {
    const search = readSearch(query);
    return createCsvFile(ORGANISATIONS_FILE, OPERATORS, (page) => this.pages.listOrganisations(search, page));
  }

  @Get('authority')
  @Compressed()
  @Access('operator')
  @ApiOperation({ operationId: 'getAuthorityHealth', summary: 'State of the authority and the dispatcher' })
  @ApiOkResponse({ type: AuthorityHealthDto })
  authority(): Promise<AuthorityHealthDto> {
    return this.pages.readAuthority();
  }

  @Get('audit')
  @Compressed()
  @Access('operator')
  @PageQuery()
  @AuditQuery()
  @OrganisationQuery()
  @ApiOperation({ operationId: 'listAllAuditEntries', summary: 'The audit log of all organisations, the newest first' })
  @ApiOkResponse({ type: OperatorAuditDto })
  audit(@Query() query: unknown): Promise<OperatorAuditDto> {
    return this.pages.listAudit(readFilter(query), readPage(query));
  }

  @Get('audit.csv')
  @Access('operator')
  @AuditQuery()
  @OrganisationQuery()
  @ApiOperation({ operationId: 'downloadAllAuditEntries', summary: 'The same as CSV' })
  @CsvResponse('A line for each entry.')
  auditFile(@Query() query: unknown): Promise<StreamableFile> {
    const filter = readFilter(query);
    return createCsvFile(AUDIT_FILE, OPERATORS, (page) => this.pages.listAudit(filter, page));
  }
}

const TENANT_ID = {
  isKept: (text: string): boolean => isUuid(text),
  message: 'must be an id',
  hint: 'the list of organisations shows their ids',
};

/** @throws ValidationError (400) naming the parameter */
function readFilter(query: unknown): OperatorAuditFilter {
  checkParameters(query, { tenantId: TENANT_ID });
  return { ...readAuditFilter(query), tenantId: readParameter(query, 'tenantId') };
}

/** @throws ValidationError (400) naming the parameter */
function readSearch(query: unknown): string | null {
  checkParameters(query, { search: SEARCH_WORDS });
  const search = readParameter(query, 'search')?.trim() ?? '';
  return search === '' ? null : search;
}
