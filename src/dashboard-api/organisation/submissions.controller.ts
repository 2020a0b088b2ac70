import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { applyResult, type ResponseBody } from '../../http/http-result.js';
import { ENVIRONMENTS } from '../../config/environment.js';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { ApiIdempotencyKey } from '../../idempotency/idempotency.service.js';
import { LimitedAs } from '../../rate-limits/rate-limit.hook.js';
import { SubmissionStatusDto } from '../../status/dto/submission-status.dto.js';
import { SUBMIT_EXAMPLES } from '../../submission/dto/submit-examples.js';
import { SubmitDto } from '../../submission/dto/submit.dto.js';
import { ApiDryRunRequest, ApiSubmitRequest, prepareBody, readSubmitRequest } from '../../submission/submit-request.js';
import { SubmitWorkers } from '../../submission/submit-workers.js';
import { CompressedResponse } from '../responses.js';
import { Access, CurrentMember, type Member, MemberAsCaller } from '../session/access.js';
import { SubmissionsService } from './submissions.service.js';

/** Submit and status for users, with the services and responses of the API. */
@ApiTags('Submissions')
@ApiParam({ name: 'tenantId', schema: { type: 'string', format: 'uuid' } })
@ApiParam({ name: 'environment', enum: ENVIRONMENTS })
@Controller('dashboard/organisations/:tenantId/:environment/submissions')
export class SubmissionsController {
  constructor(
    private readonly submissions: SubmissionsService,
    private readonly workers: SubmitWorkers,
  ) {}

  @Post()
  @Access('member', { keepsBytes: true })
  @LimitedAs('submits')
  @ApiOperation({ operationId: 'submitDocuments', summary: 'Submit documents with the rules of the API' })
  @ApiIdempotencyKey()
  @ApiBody({ type: SubmitDto, examples: SUBMIT_EXAMPLES })
  @ApiSubmitRequest()
  async submit(
    @CurrentMember() { actor }: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const body = await prepareBody(reply.request, this.workers);
    const request = readSubmitRequest(reply.request);
    return applyResult(reply, await this.submissions.submit(caller, actor, { request, body }));
  }

  @Post('dry-run')
  @Access('member', { keepsBytes: true })
  @LimitedAs('submits')
  @ApiOperation({ operationId: 'checkDocuments', summary: 'Check documents without submitting them' })
  @ApiBody({ type: SubmitDto, examples: SUBMIT_EXAMPLES })
  @ApiDryRunRequest()
  async dryRun(
    @CurrentMember() { actor }: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const body = await prepareBody(reply.request, this.workers);
    return applyResult(reply, await this.submissions.submit(caller, actor, { request: { isDryRun: true }, body }));
  }

  @Get(':submissionBatchId')
  @Access('viewer')
  @ApiOperation({ operationId: 'getSubmission', summary: 'Get the status of a submission' })
  @ApiParam({ name: 'submissionBatchId', schema: { type: 'string', format: 'uuid' } })
  @CompressedResponse(SubmissionStatusDto)
  async read(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('submissionBatchId') submissionBatchId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return applyResult(reply, await this.submissions.read(caller, submissionBatchId));
  }
}
