import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** @throws ApiKeyError (401) once the caller's key is revoked or has expired */
export type CheckKeyAgain = () => Promise<unknown>;

/** For a response that is held: whether the key of the request is still good. */
export const KeyCheck = createParamDecorator((_: unknown, context: ExecutionContext): CheckKeyAgain => {
  const { checkKeyAgain } = context.switchToHttp().getRequest<FastifyRequest>();
  if (checkKeyAgain === undefined) throw new Error('A handler asked for the key of a public route');
  return checkKeyAgain;
});
