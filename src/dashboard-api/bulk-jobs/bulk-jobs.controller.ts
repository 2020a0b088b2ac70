import { Body, Controller, Get, Param, Post, Query, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { readAs } from '../../http/validation/read-body.js';
import type { BulkItemState } from '../../entities/bulk-job-item.entity.js';
import { createCsvFile, type CsvFile, CsvResponse } from '../csv.js';
import { type Page, PageQuery, readPage } from '../cursor.js';
import { OrganisationEnvironmentParams, parseId } from '../parameters.js';
import { CompressedResponse, OkResponse } from '../responses.js';
import { Access, CurrentMember, type Member, MemberAsCaller } from '../session/access.js';
import { ListQuery, readListRequest } from '../transactions/list-query.js';
import { BULK_FIELDS, nameBulkField } from './bulk-fields.js';
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

const RESULTS: Readonly<Record<BulkItemState, string>> = {
  waiting: 'Not checked yet',
  ready: 'Ready, not sent yet',
  refused: 'Not sent: it would be refused',
  done: 'Sent',
  changed: 'Left alone: changed meanwhile',
  failed: 'Refused',
};

const BULK_ITEMS_CSV: CsvFile<BulkItemDto> = {
  name: 'bulk-job',
  columns: [
    { title: 'Type', value: ({ documentType }) => documentType },
    { title: 'Document number', value: ({ referenceId }) => referenceId },
    { title: 'Result', value: ({ state }) => RESULTS[state] },
    {
      title: 'Reason',
      value: ({ problems }) =>
        problems.map(({ field, message }) => [field, message].filter((part) => part !== null).join(': ')).join('; '),
    },
    { title: 'Credits', value: ({ credits }) => credits },
    { title: 'Status now', value: ({ status }) => status },
    { title: 'Document id', value: ({ documentId }) => documentId },
    { title: 'Transaction id', value: ({ currentTransactionId }) => currentTransactionId },
  ],
};

const JobParam = (): MethodDecorator => ApiParam({ name: 'jobId', schema: { type: 'string', format: 'uuid' } });

@ApiTags('Bulk jobs')
@OrganisationEnvironmentParams()
@Controller('dashboard/organisations/:tenantId/:environment')
export class BulkJobsController {
  constructor(private readonly jobs: BulkJobsService) {}

  @Get('bulk-fields')
  @Access('viewer')
  @ApiOperation({ operationId: 'listBulkFields', summary: 'List the fields that a bulk job can correct' })
  @CompressedResponse(BulkFieldsDto)
  fields(): BulkFieldsDto {
    return { fields: BULK_FIELDS.map((field) => ({ field, name: nameBulkField(field) })) };
  }

  @Post('bulk-jobs')
  @Access('member')
  @ApiOperation({
    operationId: 'createBulkJob',
    summary: 'Create a bulk job and check its documents. Documents are sent only after a start',
  })
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
  @Access('viewer')
  @ApiOperation({ operationId: 'listBulkJobs', summary: 'List bulk jobs, newest first' })
  @PageQuery()
  @CompressedResponse(BulkJobPageDto)
  index(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<Page<BulkJobDto>> {
    return this.jobs.index(caller, readPage(query));
  }

  @Get('bulk-jobs/:jobId')
  @Access('viewer')
  @ApiOperation({ operationId: 'getBulkJob', summary: 'Get the progress and cost of a bulk job' })
  @JobParam()
  @CompressedResponse(BulkJobDetailDto)
  show(@MemberAsCaller() caller: AuthenticatedCaller, @Param('jobId') jobId: string): Promise<BulkJobDetailDto> {
    return this.jobs.read(caller, parseId(jobId));
  }

  @Get('bulk-jobs/:jobId/items')
  @Access('viewer')
  @ApiOperation({ operationId: 'listBulkItems', summary: 'List the documents of a bulk job with their results' })
  @JobParam()
  @PageQuery()
  @CompressedResponse(BulkItemPageDto)
  items(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('jobId') jobId: string,
    @Query() query: unknown,
  ): Promise<Page<BulkItemDto>> {
    return this.jobs.items(caller, parseId(jobId), readPage(query));
  }

  @Get('bulk-jobs/:jobId/items.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadBulkItems', summary: 'Download the documents of a bulk job as CSV' })
  @JobParam()
  @CsvResponse('One line per document.')
  download(@MemberAsCaller() caller: AuthenticatedCaller, @Param('jobId') jobId: string): Promise<StreamableFile> {
    const id = parseId(jobId);
    return createCsvFile(BULK_ITEMS_CSV, caller.tenantId, (page) => this.jobs.items(caller, id, page));
  }

  @Post('bulk-jobs/:jobId/start')
  @Access('member')
  @ApiOperation({ operationId: 'startBulkJob', summary: 'Start or continue a bulk job' })
  @JobParam()
  @OkResponse(BulkJobDetailDto)
  start(
    @CurrentMember() member: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('jobId') jobId: string,
  ): Promise<BulkJobDetailDto> {
    return this.jobs.start({ member, caller }, parseId(jobId));
  }

  @Post('bulk-jobs/:jobId/pause')
  @Access('member')
  @ApiOperation({ operationId: 'pauseBulkJob', summary: 'Pause a bulk job after its current document' })
  @JobParam()
  @OkResponse(BulkJobDetailDto)
  pause(
    @CurrentMember() member: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('jobId') jobId: string,
  ): Promise<BulkJobDetailDto> {
    return this.jobs.pause({ member, caller }, parseId(jobId));
  }
}
