import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import { readOutages } from '../../dispatcher/operations/outages.js';
import { readQueue } from '../../dispatcher/operations/queue-report.js';
import { retryTenantQueues } from '../../dispatcher/operations/retry-tenant-queues.js';
import { SubmissionReleaseService } from '../../dispatcher/releases/submission-release.service.js';
import { retryDeadLetters } from '../../document-events/event-operations.js';
import { AuthoritySubmission } from '../../entities/authority-submission.entity.js';
import { Tenant } from '../../entities/tenant.entity.js';
import type { Actor } from '../../accounts/audit.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { readAs } from '../../http/validation/read-body.js';
import { CompressedResponse, OkResponse } from '../responses.js';
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
import { asConflict, OperatorDatabase } from './operator-database.js';

@ApiTags('Operators')
@Controller('dashboard/operator')
export class OperatorQueueController {
  constructor(
    private readonly database: OperatorDatabase,
    private readonly releases: SubmissionReleaseService,
  ) {}

  @Get('queue')
  @Access('operator')
  @ApiOperation({ operationId: 'getQueue', summary: 'Get the queue and the reasons for its delays' })
  @CompressedResponse(QueueDto)
  queue(): Promise<QueueDto> {
    return this.database.read(readQueue);
  }

  @Get('outages')
  @Access('operator')
  @ApiOperation({ operationId: 'listOutages', summary: 'List outages that affect all organisations' })
  @CompressedResponse(OutagesDto)
  outages(): Promise<OutagesDto> {
    return this.database.read(async (manager) => ({ outages: await readOutages(manager) }));
  }

  @Post('tenant-queues/retry')
  @Access('operator')
  @ApiOperation({ operationId: 'retryTenantQueues', summary: "Send an organisation's waiting documents immediately" })
  @OkResponse(RetriedDto)
  async retry(
    @Body(readAs(RetryTenantQueuesDto)) { tenantId }: RetryTenantQueuesDto,
    @CurrentActor() actor: Actor,
  ): Promise<RetriedDto> {
    const retried = await this.database.change(async (tx) => {
      const tenant = isUuid(tenantId) ? await tx.findOneBy(Tenant, { tenantId }) : null;
      if (tenant === null) throw new DashboardError('not_found_here', { message: 'There is no such organisation' });
      return retryTenantQueues(tx, tenant, actor);
    });
    return { retried };
  }

  @Post('events/retry')
  @Access('operator')
  @ApiOperation({ operationId: 'retryEvents', summary: 'Redeliver the dead letters of a consumer' })
  @OkResponse(RetriedEventsDto)
  async retryEvents(
    @Body(readAs(RetryEventsDto)) { consumer, documentId }: RetryEventsDto,
    @CurrentActor() actor: Actor,
  ): Promise<RetriedEventsDto> {
    if (documentId !== undefined && !isUuid(documentId)) {
      throw new DashboardError('not_found_here', { message: 'There is no document with this id' });
    }
    const deadLetters = { consumer, documentId: documentId ?? null };
    const retried = await this.database.change((tx) => retryDeadLetters(tx, deadLetters, actor));
    return { events: retried.length };
  }

  @Post('in-doubt/:submissionId/release')
  @Access('operator')
  @ApiParam({ name: 'submissionId', format: 'uuid' })
  @ApiOperation({ operationId: 'releaseSubmission', summary: 'Decide a submission in doubt' })
  @OkResponse(ReleasedDto)
  async release(
    @Param('submissionId') id: string,
    @Body(readAs(ReleaseDto)) { decision, documents = [], outcomes = [] }: ReleaseDto,
    @CurrentActor() actor: Actor,
  ): Promise<ReleasedDto> {
    const { manager } = await this.database.open();
    if (!isUuid(id) || !(await manager.existsBy(AuthoritySubmission, { id }))) {
      throw new DashboardError('not_found_here', { message: 'There is no submission with this id' });
    }
    const submissionId = id.toLowerCase();
    const released = await asConflict(() => {
      if (decision === 'outcome') {
        const stated = outcomes.map(({ authorityUuid = null, ...outcome }) => ({ ...outcome, authorityUuid }));
        return this.releases.outcome(submissionId, stated, actor);
      }
      if (decision === 'adopt') {
        const named = documents.map(({ referenceId, authorityUuid }) => `${referenceId}=${authorityUuid}`);
        return this.releases.adopt(submissionId, named, actor);
      }
      return decision === 'resend'
        ? this.releases.resend(submissionId, actor)
        : this.releases.fail(submissionId, actor);
    });
    return { ...released, documents: [...released.documents] };
  }
}
