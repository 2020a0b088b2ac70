import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What may end the wait of a held response before its time. */
export interface Interruptions {
  /** Aborted when the connection closes before the response is sent. */
  readonly gone: AbortSignal;
  /** @throws ApiKeyError (401) once the key of the caller is revoked or has expired */
  readonly checkKeyAgain: () => Promise<unknown>;
}

/** The interruptions of a call that carries a key. */
export const Interrupted = createParamDecorator((_: unknown, context: ExecutionContext): Interruptions => {
  const http = context.switchToHttp();
  const { checkKeyAgain } = http.getRequest<FastifyRequest>();
  if (checkKeyAgain === undefined) throw new Error('A handler asked for the key of a public route');
  const controller = new AbortController();
  http.getResponse<FastifyReply>().raw.once('close', () => controller.abort());
  return { gone: controller.signal, checkKeyAgain };
});
