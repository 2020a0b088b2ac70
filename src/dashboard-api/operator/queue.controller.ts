import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import type { Actor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { Compressed } from '../../http/compression.js';
import { readAs } from '../../http/validation/read-body.js';
import { Access, CurrentActor } from '../session/access.js';
import {
  OutagesDto,
  QueueDto,
  ReleaseDto,
  ReleasedDto,
  RetriedDto,
  RetriedEventsDto,
  RetryEventsDto,
  RetryTenantQueuesDto,
} from './dto/operator-queue.dto.js';
import { OperatorPagesService } from './operator.service.js';
import { OperatorReleaseService } from './operator-release.service.js';

@ApiTags('Operators')
@Controller('dashboard/operator')
export class OperatorQueueController {
  constructor(
    private readonly pages: OperatorPagesService,
    private readonly releases: OperatorReleaseService,
  ) {}

  @Get('queue')
  @Compressed()
  @Access('operator')
  @ApiOperation({
    operationId: 'getQueue',
    summary: 'What waits for the authority or an operator, and what holds it up',
  })
  @ApiOkResponse({ type: QueueDto })
  queue(): Promise<QueueDto> {
    return this.pages.readQueue();
  }

  @Get('outages')
  @Compressed()
  @Access('operator')
  @ApiOperation({ operationId: 'listOutages', summary: 'What keeps documents of all organisations from their outcome' })
  @ApiOkResponse({ type: OutagesDto })
  outages(): Promise<OutagesDto> {
    return this.pages.readOutages();
  }

  @Post('tenant-queues/retry')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiOperation({ operationId: 'retryTenantQueues', summary: "Send an organisation's waiting documents immediately" })
  @ApiOkResponse({ type: RetriedDto })
  async retry(
    @Body(readAs(RetryTenantQueuesDto)) { tenantId }: RetryTenantQueuesDto,
    @CurrentActor() actor: Actor,
  ): Promise<RetriedDto> {
    if (!isUuid(tenantId)) throw new DashboardError('not_found_here', { message: 'There is no such organisation' });
    return { retried: await this.pages.retry(tenantId, actor) };
  }

  @Post('events/retry')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiOperation({ operationId: 'retryEvents', summary: 'Deliver events again that a consumer could not handle' })
  @ApiOkResponse({ type: RetriedEventsDto })
  async retryEvents(
    @Body(readAs(RetryEventsDto)) { consumer, documentId }: RetryEventsDto,
    @CurrentActor() actor: Actor,
  ): Promise<RetriedEventsDto> {
    if (documentId !== undefined && !isUuid(documentId)) {
      throw new DashboardError('not_found_here', { message: 'There is no document with this id' });
    }
    return { events: await this.pages.retryEvents({ consumer, documentId: documentId ?? null }, actor) };
  }

  @Post('in-doubt/:submissionId/release')
  @HttpCode(HttpStatus.OK)
  @Access('operator')
  @ApiParam({ name: 'submissionId', format: 'uuid' })
  @ApiOperation({ operationId: 'releaseSubmission', summary: 'Decide a submission that stayed in doubt' })
  @ApiOkResponse({ type: ReleasedDto })
  async release(
    @Param('submissionId') submissionId: string,
    @Body(readAs(ReleaseDto)) decision: ReleaseDto,
    @CurrentActor() actor: Actor,
  ): Promise<ReleasedDto> {
    if (!isUuid(submissionId)) {
      throw new DashboardError('not_found_here', { message: 'There is no submission with this id' });
    }
    const released = await this.releases.release(submissionId.toLowerCase(), decision, actor);
    return { ...released, documents: [...released.documents] };
  }
}
