import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../accounts/api-keys/current-caller.decorator.js';
import { describeResponseHeaders } from '../common/response-headers.js';
import { ApiErrors } from '../errors/api-errors.decorator.js';
import { applyResult, type ResponseBody } from '../http/http-result.js';
import { ApiStrictHandling, readBodyHandling } from '../http/request-headers.js';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import { ApiIdempotencyKey, readIdempotencyKey } from '../idempotency/idempotency.service.js';
import { CancellationService } from './cancellation.service.js';
import { CANCEL_ERROR_EXAMPLES, CANCEL_ERROR_MEMBERS } from './dto/cancel-conflict.dto.js';
import { CANCEL_EXAMPLES, CancelAcceptedDto, CancelDto } from './dto/cancel.dto.js';

@ApiTags('E-invoice')
@Controller('v1/einvoice')
export class CancellationController {
  constructor(private readonly cancellation: CancellationService) {}

  @Post('cancel')
  @ApiOperation({
    operationId: 'cancel',
    summary: 'Cancel a document',
    description:
      'Queues the cancellation of a document whose authority status is `Valid`, within 72 hours of its validation. ' +
      'The status of its batch contains the result. One credit is charged per request.',
  })
  @ApiIdempotencyKey()
  @ApiStrictHandling()
  @ApiBody({ type: CancelDto, examples: CANCEL_EXAMPLES })
  @ApiAcceptedResponse({
    type: CancelAcceptedDto,
    description: 'The cancellation is queued.',
    headers: describeResponseHeaders('X-Credits-Charged', 'X-Credits-Remaining', 'Idempotent-Replayed'),
  })
  @ApiErrors('cancel', { members: CANCEL_ERROR_MEMBERS, examples: CANCEL_ERROR_EXAMPLES })
  async cancel(
    @CurrentCaller() caller: AuthenticatedCaller,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const call = { key: readIdempotencyKey(reply.request), ...readBodyHandling(reply.request) };
    return applyResult(reply, await this.cancellation.cancel(caller, call, body));
  }
}
