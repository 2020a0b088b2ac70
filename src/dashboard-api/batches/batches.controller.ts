import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { CsvResponse, type CsvFile, createCsvFile, createInstantColumn } from '../csv.js';
import { type Page, PageQuery, readPage } from '../cursor.js';
import { DaysQuery, readDays, BY_RULE, ByQuery, readSubmitter, OrganisationEnvironmentParams } from '../parameters.js';
import { CompressedResponse } from '../responses.js';
import { Access, MemberAsCaller } from '../session/access.js';
import { formatActor } from '../shown-actor.js';
import { BatchesService, type BatchFilter } from './batches.service.js';
import type { BatchDto } from './dto/batch.dto.js';
import { BatchPageDto } from './dto/batch.dto.js';

const FILE: CsvFile<BatchDto> = {
  name: 'batches',
  columns: [
    createInstantColumn('Accepted', ({ createdAt }) => createdAt),
    { title: 'Batch id', value: ({ submissionBatchId }) => submissionBatchId },
    { title: 'Type', value: ({ submissionType }) => submissionType },
    { title: 'Submitted by', value: ({ submittedBy }) => formatActor(submittedBy) },
    { title: 'Status', value: ({ status }) => status },
    { title: 'Documents', value: ({ documentCount }) => documentCount },
    { title: 'Queued', value: ({ counts }) => counts.queued },
    { title: 'Processing', value: ({ counts }) => counts.processing },
    { title: 'Submitted', value: ({ counts }) => counts.submitted },
    { title: 'Valid', value: ({ counts }) => counts.valid },
    { title: 'Invalid', value: ({ counts }) => counts.invalid },
    { title: 'SubmitFailed', value: ({ counts }) => counts.submitFailed },
    { title: 'Cancelled', value: ({ counts }) => counts.cancelled },
    { title: 'Replaced', value: ({ replacedCount }) => replacedCount },
  ],
};

@ApiTags('Batches')
@OrganisationEnvironmentParams()
@Controller('dashboard/organisations/:tenantId/:environment')
export class BatchesController {
  constructor(private readonly batches: BatchesService) {}

  @Get('batches')
  @Access('viewer')
  @ApiOperation({ operationId: 'listBatches', summary: 'List batches with counts per status, newest first' })
  @DaysQuery()
  @ByQuery()
  @PageQuery()
  @CompressedResponse(BatchPageDto)
  index(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<Page<BatchDto>> {
    return this.batches.list(caller, readFilter(query), readPage(query));
  }

  @Get('batches.csv')
  @Access('viewer')
  @ApiOperation({ operationId: 'downloadBatches', summary: 'Download the batches as CSV' })
  @DaysQuery()
  @ByQuery()
  @CsvResponse('One line per batch.')
  download(@MemberAsCaller() caller: AuthenticatedCaller, @Query() query: unknown): Promise<StreamableFile> {
    const filter = readFilter(query);
    return createCsvFile(FILE, caller.tenantId, (page) => this.batches.list(caller, filter, page));
  }
}

function readFilter(query: unknown): BatchFilter {
  return { ...readDays(query, BY_RULE), by: readSubmitter(query) };
}
