import { Compressed } from '../../http/compression.js';
import { Body, Controller, Get, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type HttpResult, HttpResultInterceptor } from '../../http/http-result.js';
import { ENVIRONMENTS } from '../../config/environment.js';
import type { AuthenticatedCaller } from '../../database/in-tenant.js';
import { ApiIdempotencyKey } from '../../idempotency/idempotency-key.decorator.js';
import { LimitedAs } from '../../rate-limits/rate-limit.hook.js';
import { SubmissionStatusDto } from '../../status/dto/submission-status.dto.js';
import type { PreparedSubmit } from '../../submission/prepare-submit.js';
import { SubmitBodyInterceptor } from '../../submission/submit-body.interceptor.js';
import { SUBMIT_EXAMPLES } from '../../submission/dto/submit-examples.js';
import { SubmitDto } from '../../submission/dto/submit.dto.js';
import {
  ApiDryRunRequest,
  ApiSubmitRequest,
  RequestedSubmit,
  type SubmitRequest,
} from '../../submission/submit-request.decorator.js';
import { Access, CurrentMember, type Member, MemberAsCaller } from '../session/access.js';
import { SubmissionsService } from './submissions.service.js';

/** What the API's submit and status do, for people: the same services, with the same responses and problems. */
@ApiTags('Submissions')
@ApiParam({ name: 'tenantId', schema: { type: 'string', format: 'uuid' } })
@ApiParam({ name: 'environment', enum: ENVIRONMENTS })
@Controller('dashboard/organisations/:tenantId/:environment/submissions')
@UseInterceptors(HttpResultInterceptor)
export class SubmissionsController {
  constructor(private readonly submissions: SubmissionsService) {}

  @Post()
  @Access('member', { keepsBytes: true })
  @LimitedAs('submits')
  @UseInterceptors(SubmitBodyInterceptor)
  @ApiOperation({ operationId: 'submitDocuments', summary: 'Submit documents, as the API does' })
  @ApiIdempotencyKey()
  @ApiBody({ type: SubmitDto, examples: SUBMIT_EXAMPLES })
  @ApiSubmitRequest()
  submit(
    @CurrentMember() { actor }: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @RequestedSubmit() request: SubmitRequest,
    @Body() body: PreparedSubmit,
  ): Promise<HttpResult> {
    return this.submissions.submit(caller, actor, { request, body });
  }

  @Post('dry-run')
  @Access('member', { keepsBytes: true })
  @LimitedAs('submits')
  @UseInterceptors(SubmitBodyInterceptor)
  @ApiOperation({ operationId: 'checkDocuments', summary: 'Check documents without submitting them, as the API does' })
  @ApiBody({ type: SubmitDto, examples: SUBMIT_EXAMPLES })
  @ApiDryRunRequest()
  dryRun(
    @CurrentMember() { actor }: Member,
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Body() body: PreparedSubmit,
  ): Promise<HttpResult> {
    return this.submissions.submit(caller, actor, { request: { isDryRun: true }, body });
  }

  @Get(':submissionBatchId')
  @Compressed()
  @Access('viewer')
  @ApiOperation({ operationId: 'getSubmission', summary: 'What became of a submission, as the API tells it' })
  @ApiParam({ name: 'submissionBatchId', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ type: SubmissionStatusDto })
  read(
    @MemberAsCaller() caller: AuthenticatedCaller,
    @Param('submissionBatchId') submissionBatchId: string,
  ): Promise<HttpResult> {
    return this.submissions.read(caller, submissionBatchId);
  }
}
