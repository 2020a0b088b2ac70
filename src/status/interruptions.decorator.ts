import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What may end the wait of a held response before its time. */
export interface Interruptions {
  /** Calls back when the connection closes before the response is sent; returns what takes the listener off again. */
  readonly onGone: (listener: () => void) => () => void;
  /**
   * Asks the database again, unless another request has done so since this moment of `performance.now()`.
   * @throws ApiKeyError (401) once the key of the caller is revoked or has expired
   */
  readonly checkKeyAgain: (since: number) => Promise<unknown>;
}

/** The interruptions of a call that carries a key. */
export const Interrupted = createParamDecorator((_: unknown, context: ExecutionContext): Interruptions => {
  const http = context.switchToHttp();
  const { checkKeyAgain } = http.getRequest<FastifyRequest>();
  if (checkKeyAgain === undefined) throw new Error('A handler asked for the key of a public route');
  const { raw } = http.getResponse<FastifyReply>();
  const onGone: Interruptions['onGone'] = (listener) => {
    raw.once('close', listener);
    // Behind others of its connection, a response may be closed before it waits.
    if (raw.destroyed) listener();
    return () => raw.off('close', listener);
  };
  return { onGone, checkKeyAgain };
});
