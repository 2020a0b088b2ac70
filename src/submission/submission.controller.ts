import { Controller, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../accounts/api-keys/current-caller.decorator.js';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import { ApiErrors } from '../errors/api-errors.decorator.js';
import { applyResult, type ResponseBody } from '../http/http-result.js';
import { AddRouteConfig } from '../http/route-config.js';
import { ApiIdempotencyKey } from '../idempotency/idempotency.service.js';
import { LimitedAs } from '../rate-limits/rate-limit.hook.js';
import { DuplicateDocumentDto, SUBMIT_ERROR_EXAMPLES } from './dto/submit-conflict.dto.js';
import { SUBMIT_EXAMPLES } from './dto/submit-examples.js';
import { SubmitDto } from './dto/submit.dto.js';
import type { PreparedSubmit } from './prepare-submit.js';
import { SubmissionService } from './submission.service.js';
import { ApiDryRunRequest, ApiSubmitRequest, prepareBody, readSubmitRequest } from './submit-request.js';
import { SubmitWorkers } from './submit-workers.js';

@ApiTags('E-invoice')
@Controller('v1/einvoice')
export class SubmissionController {
  constructor(
    private readonly submission: SubmissionService,
    private readonly workers: SubmitWorkers,
  ) {}

  @Post('submit')
  @LimitedAs('submits')
  @ApiOperation({
    operationId: 'submit',
    summary: 'Submit documents',
    description:
      'Accepts 1 to 100 invoices and credit notes and queues them for the tax authority. A 200 means queued, not ' +
      'accepted by the authority: poll the submission status for the outcome. One credit is charged per document. ' +
      'With `?dryRun=true`, the request is a dry run.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: SubmitDto, examples: SUBMIT_EXAMPLES })
  @ApiSubmitRequest()
  @ApiErrors('submit', { members: { duplicate_document: DuplicateDocumentDto }, examples: SUBMIT_ERROR_EXAMPLES })
  @AddRouteConfig({ keepsBytes: true })
  async submit(
    @CurrentCaller() caller: AuthenticatedCaller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const prepared: PreparedSubmit = await prepareBody(reply.request, this.workers);
    return applyResult(reply, await this.submission.submit(caller, readSubmitRequest(reply.request), prepared));
  }

  @Post('submit/dry-run')
  @LimitedAs('submits')
  @ApiOperation({
    operationId: 'submitDryRun',
    summary: 'Check documents without submitting them',
    description:
      'Runs all checks of a submit including credits and computes the totals, but stores, charges and queues nothing. ' +
      'Needs no idempotency-key.',
  })
  @ApiBody({ type: SubmitDto, examples: SUBMIT_EXAMPLES })
  @ApiDryRunRequest()
  @ApiErrors('dryRun', { members: { duplicate_document: DuplicateDocumentDto }, examples: SUBMIT_ERROR_EXAMPLES })
  @AddRouteConfig({ keepsBytes: true })
  async dryRun(
    @CurrentCaller() caller: AuthenticatedCaller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const prepared: PreparedSubmit = await prepareBody(reply.request, this.workers);
    return applyResult(reply, await this.submission.submit(caller, { isDryRun: true }, prepared));
  }
}
