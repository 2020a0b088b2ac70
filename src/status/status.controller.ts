import { Controller, Get, HttpCode, HttpStatus, Param, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../accounts/api-keys/current-caller.decorator.js';
import { EXAMPLE_IDS } from '../common/response-fields.js';
import { describeResponseHeaders } from '../common/response-headers.js';
import { ApiErrors } from '../errors/api-errors.decorator.js';
import { applyResult, type ResponseBody } from '../http/http-result.js';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import { SubmissionStatusDto } from './dto/submission-status.dto.js';
import { readConditions } from './status-conditions.js';
import { type PollingClient, StatusService } from './status.service.js';

const STATUS_HEADERS = describeResponseHeaders('ETag', 'Cache-Control', 'Retry-After');

@ApiTags('E-invoice')
@Controller('v1/saas/submissions')
export class StatusController {
  constructor(private readonly status: StatusService) {}

  @Get(':submissionBatchId/status')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'readSubmissionStatus',
    summary: 'Submission status',
    description:
      'Returns the stored status of a batch and its documents. Poll until `terminal` is true, and wait ' +
      '`nextPollAfterSeconds` (also in `Retry-After`) between polls.',
  })
  @ApiParam({
    name: 'submissionBatchId',
    description: 'Id from the response of the submit request.',
    schema: { type: 'string', format: 'uuid', example: EXAMPLE_IDS.submissionBatchId },
  })
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: 'The `ETag` of an earlier response. If the batch has not changed since, the response is 304.',
    schema: { type: 'string', example: 'W/"Xqz3DdqmcbJDJ3TUZ8x0yA2nJ5k"' },
  })
  @ApiHeader({
    name: 'Prefer',
    required: false,
    description:
      '`wait=N`, with If-None-Match: delays the response by up to N seconds (at most 20) until the batch changes.',
    schema: { type: 'string', example: 'wait=20' },
  })
  @ApiOkResponse({
    type: SubmissionStatusDto,
    description: 'The batch and its documents, in the order of submission.',
    headers: STATUS_HEADERS,
  })
  @ApiResponse({
    status: 304,
    description: 'The batch has not changed since the response with this ETag. No body.',
    headers: STATUS_HEADERS,
  })
  @ApiErrors('status')
  async read(
    @CurrentCaller() caller: AuthenticatedCaller,
    @Param('submissionBatchId') submissionBatchId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const conditions = readConditions(reply.request.headers);
    return applyResult(reply, await this.status.poll(caller, submissionBatchId, conditions, toClient(reply)));
  }
}

function toClient({ raw, request: { access } }: FastifyReply): PollingClient {
  if (!access) throw new Error('A poll has no key');
  const connection = new AbortController();
  raw.once('close', () => connection.abort());
  // A pipelined request may start after its connection was closed.
  if (raw.destroyed) connection.abort();
  return { gone: connection.signal, confirmAccess: access.confirm };
}
