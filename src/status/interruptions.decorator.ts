import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What may end the wait of a held response before its time. A class, since thousands are kept at the same time. */
export class Interruptions {
  constructor(
    private readonly request: FastifyRequest,
    private readonly response: ServerResponse,
  ) {}

  /** Calls back when the connection closes before the response is sent. */
  onGone(listener: () => void): void {
    this.response.on('close', listener);
    // Behind others of its connection, a response may be closed before it waits.
    if (this.response.destroyed) listener();
  }

  offGone(listener: () => void): void {
    this.response.off('close', listener);
  }

  /**
   * Asks the database again, unless another request has done so since this moment of `performance.now()`.
   * @throws ApiKeyError (401) once the key of the caller is revoked or has expired
   */
  async checkKeyAgain(since: number): Promise<void> {
    await this.request.checkKeyAgain?.(since);
  }
}

/** The interruptions of a call that carries a key. */
export const Interrupted = createParamDecorator((_: unknown, context: ExecutionContext): Interruptions => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  if (request.checkKeyAgain === undefined) throw new Error('A handler asked for the key of a public route');
  return new Interruptions(request, http.getResponse<FastifyReply>().raw);
});
