import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import { ValidationError } from '../../common/errors.js';
import { AUDIT_COLUMNS, AuditQuery, readAuditFilter } from '../audit/audit-query.js';
import { CsvAnswer, csvFile, type CsvFile, instantColumn } from '../csv.js';
import { PageQuery, readPage } from '../cursor.js';
import { Access } from '../session/access.js';
import type { OperatorAuditFilter, OperatorAuditRow } from './audit.sql.js';
import {
  AuthorityHealthDto,
  OperatorAuditDto,
  OrganisationListingDto,
  OrganisationListingsDto,
} from './dto/operator.dto.js';
import { OperatorPages } from './operator.service.js';

const AUDIT_FILE: CsvFile<OperatorAuditRow> = {
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
    instantColumn('Latest batch', ({ lastActivityAt }) => lastActivityAt),
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
  constructor(private readonly pages: OperatorPages) {}

  @Get('organisations')
  @Access('operator')
  @PageQuery()
  @SearchQuery()
  @ApiOperation({ operationId: 'listOrganisations', summary: 'All organisations, the newest first' })
  @ApiOkResponse({ type: OrganisationListingsDto })
  organisations(@Query() query: Record<string, unknown>): Promise<OrganisationListingsDto> {
    return this.pages.organisations(textOf(query.search), readPage(query));
  }

  @Get('organisations.csv')
  @Access('operator')
  @SearchQuery()
  @ApiOperation({ operationId: 'downloadOrganisations', summary: 'The same list as CSV' })
  @CsvAnswer('A line for each organisation.')
  organisationsFile(@Query() query: Record<string, unknown>): Promise<StreamableFile> {
    return csvFile(ORGANISATIONS_FILE, (page) => this.pages.organisations(textOf(query.search), page));
  }

  @Get('authority')
  @Access('operator')
  @ApiOperation({ operationId: 'getAuthorityHealth', summary: 'How the authority and the dispatcher do' })
  @ApiOkResponse({ type: AuthorityHealthDto })
  authority(): Promise<AuthorityHealthDto> {
    return this.pages.authority();
  }

  @Get('audit')
  @Access('operator')
  @PageQuery()
  @AuditQuery()
  @OrganisationQuery()
  @ApiOperation({ operationId: 'listAllAuditEntries', summary: 'The audit log of all organisations, the newest first' })
  @ApiOkResponse({ type: OperatorAuditDto })
  audit(@Query() query: Record<string, unknown>): Promise<OperatorAuditDto> {
    return this.pages.audit(filterOf(query), readPage(query));
  }

  @Get('audit.csv')
  @Access('operator')
  @AuditQuery()
  @OrganisationQuery()
  @ApiOperation({ operationId: 'downloadAllAuditEntries', summary: 'The same as CSV' })
  @CsvAnswer('A line for each entry.')
  auditFile(@Query() query: Record<string, unknown>): Promise<StreamableFile> {
    const filter = filterOf(query);
    return csvFile(AUDIT_FILE, (page) => this.pages.audit(filter, page));
  }
}

/** @throws ValidationError (400) naming the parameter */
function filterOf(query: Record<string, unknown>): OperatorAuditFilter {
  const tenantId = textOf(query.tenantId);
  if (tenantId !== null && !isUuid(tenantId)) {
    const hint = 'the list of organisations shows their ids';
    throw new ValidationError([{ pointer: '/tenantId', rule: 'tenant_id', message: 'must be an id', hint }]);
  }
  return { ...readAuditFilter(query), tenantId };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
