import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { Compressed } from '../../http/compression.js';
import { readAs } from '../../http/validation/read-body.js';
import { createCsvFile, CsvResponse } from '../csv.js';
import { type Page, PageQuery, readPage } from '../cursor.js';
import { OrganisationEnvironmentParams, parseId } from '../path-parameters.js';
import { Access, CurrentMember, type Member, MemberAsCaller } from '../session/access.js';
import { ListQuery, readListRequest } from '../transactions/list-query.js';
import { BULK_FIELDS, nameBulkField } from './bulk-fields.js';
import { BULK_ITEMS_CSV } from './bulk-items-csv.js';
import { BulkJobsService } from './bulk-jobs.service.js';
import {
  BulkFieldsDto,
  type BulkItemDto,
  BulkItemPageDto,
  BulkJobDetailDto,
  type BulkJobDto,
  BulkJobPageDto,
  CreateBulkJobDto,
} from './dto/bulk-job.dto.js';

const JobParam = (): MethodDecorator => ApiParam({ name: 'jobId', schema: { type: 'string', format: 'uuid' } });

@ApiTags('Bulk jobs')
@Controller('dashboard/organisations/:tenantId/:environment')
export class BulkJobsController {
  constructor(private readonly jobs: BulkJobsService) {}

  @Get('bulk-fields')
  @Compressed()
  @Access('viewer')
  @ApiOperation({ operationId: 'listBulkFields', summary: 'Fields that can be corrected in many documents' })
  @OrganisationEnvironmentParams()
  @ApiOkResponse({ type: BulkFieldsDto })
  fields(): BulkFieldsDto {
    return { fields: BULK_FIELDS.map((field) => ({ field, name: nameBulkField(field) })) };
  }

  @Post('bulk-jobs')
  @Access('member')
  @ApiOperation({
    operationId: 'createBulkJob',
    summary: 'Check a correction or cancellation of many documents; nothing is sent before its start',
  })
  @OrganisationEnvironmentParams()
  @ListQuery()
  @ApiCreatedResponse({ type: BulkJobDetailDto })
  create(
    @CurrentMember() member: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Query() query: unknown,
    @Body(readAs(CreateBulkJobDto)) body: CreateBulkJobDto,
  ): Promise<BulkJobDetailDto> {
    const filter = readListRequest(query);
    return this.jobs.create({ member, caller }, body, filter);
  }

  @Get('bulk-jobs')
  @Compressed()
  @Access('viewer')
  @ApiOperation({ operationId: 'listBulkJobs', summary: 'Corrections and cancellations of many documents' })
  @OrganisationEnvironmentParams()
  @PageQuery()
  @ApiOkResponse({ type: BulkJobPageDto })
  index(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<Page<BulkJobDto>> {
    return this.jobs.index(caller, readPage(query));
  }

  @Get('bulk-jobs/:jobId')
  @Compressed()
  @Access('viewer')
  @ApiOperation({ operationId: 'getBulkJob', summary: 'One of them: its progress, its cost' })
  @OrganisationEnvironmentParams()
  @JobParam()
  @ApiOkResponse({ type: BulkJobDetailDto })
  show(@MemberAsCaller() caller: AuthenticatedCaller, @Param('jobId') jobId: string): Promise<BulkJobDetailDto> {
    return this.jobs.read(caller, parseId(jobId));
  }

  @Get('bulk-jobs/:jobId/items')
  @Compressed()
  @Access('viewer')
  @ApiOperation({ operationId: 'listBulkItems', summary: 'Its documents, each with its result' })
  @OrganisationEnvironmentParams()
  @JobParam()
  @PageQuery()
  @ApiOkResponse({ type: BulkItemPageDto })
  items(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('jobId') jobId: string,
    @Query() query: unknown,
  ): Promise<Page<BulkItemDto>> {
    return this.jobs.items(caller, parseId(jobId), readPage(query));
  }

  @Get('bulk-jobs/:jobId/items.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadBulkItems', summary: 'The same list, whole, as CSV' })
  @OrganisationEnvironmentParams()
  @JobParam()
  @CsvResponse('The documents of the job.')
  download(@MemberAsCaller() caller: AuthenticatedCaller, @Param('jobId') jobId: string): Promise<StreamableFile> {
    const id = parseId(jobId);
    return createCsvFile(BULK_ITEMS_CSV, caller.tenantId, (page) => this.jobs.items(caller, id, page));
  }

  @Post('bulk-jobs/:jobId/start')
  @HttpCode(HttpStatus.OK)
  @Access('member')
  @ApiOperation({ operationId: 'startBulkJob', summary: 'Send what was checked, or continue' })
  @OrganisationEnvironmentParams()
  @JobParam()
  @ApiOkResponse({ type: BulkJobDetailDto })
  start(
    @CurrentMember() member: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('jobId') jobId: string,
  ): Promise<BulkJobDetailDto> {
    return this.jobs.start({ member, caller }, parseId(jobId));
  }

  @Post('bulk-jobs/:jobId/pause')
  @HttpCode(HttpStatus.OK)
  @Access('member')
  @ApiOperation({ operationId: 'pauseBulkJob', summary: 'Pause it after the document that is under way' })
  @OrganisationEnvironmentParams()
  @JobParam()
  @ApiOkResponse({ type: BulkJobDetailDto })
  pause(
    @CurrentMember() member: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('jobId') jobId: string,
  ): Promise<BulkJobDetailDto> {
    return this.jobs.pause({ member, caller }, parseId(jobId));
  }
}
