import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** A signal that is aborted when the connection closes before the answer is sent. */
export const ClientGone = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const controller = new AbortController();
  context
    .switchToHttp()
    .getResponse<FastifyReply>()
    .raw.once('close', () => controller.abort());
  return controller.signal;
});
