import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { DashboardTransactions } from '../../database/database.module.js';
import { CsvResponse, createCsvFile } from '../csv.js';
import { type Page, toPage, PageQuery, type PageRequest, readPage } from '../cursor.js';
import { CompressedResponse } from '../responses.js';
import { Access, CurrentMember, type Member } from '../session/access.js';
import { AUDIT_COLUMNS, AuditQuery, readAuditFilter } from './audit-query.js';
import { type AuditFilter, listAudit } from './audit.sql.js';
import { type AuditEntryDto, AuditPageDto } from './dto/audit.dto.js';

@ApiTags('Audit log')
@ApiParam({ name: 'tenantId', type: String })
@Controller('dashboard/organisations/:tenantId')
export class AuditController {
  constructor(private readonly transactions: DashboardTransactions) {}

  @Get('audit')
  @Access('owner')
  @PageQuery()
  @AuditQuery()
  @ApiOperation({ operationId: 'listAudit', summary: 'List audit entries, newest first' })
  @CompressedResponse(AuditPageDto)
  list(@CurrentMember() member: Member, @Query() query: unknown): Promise<Page<AuditEntryDto>> {
    return this.read(member, readAuditFilter(query), readPage(query));
  }

  @Get('audit.csv')
  @Access('owner')
  @AuditQuery()
  @ApiOperation({ operationId: 'downloadAudit', summary: 'Download the audit entries as CSV' })
  @CsvResponse('One line per entry.')
  download(@CurrentMember() member: Member, @Query() query: unknown): Promise<StreamableFile> {
    const filter = readAuditFilter(query);
    return createCsvFile({ name: 'audit-log', columns: AUDIT_COLUMNS }, member.tenantId, (request) =>
      this.read(member, filter, request),
    );
  }

  private read({ tenantId }: Member, filter: AuditFilter, request: PageRequest): Promise<Page<AuditEntryDto>> {
    return this.transactions.inTenant({ tenantId }, async ({ tx }) =>
      toPage(await listAudit(tx, tenantId, filter, request), request, ({ entryId }) => entryId),
    );
  }
}
